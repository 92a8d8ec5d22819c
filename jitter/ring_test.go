package jitter_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// The stall of field case 25, at the task that an interrupt wakes every millisecond: each
// of the ten events has its lateness, nine of them no wake of their own. Who looked at the
// latest event only would have seen one that is 1 ms late.
func TestStallDoesNotHideEvents(t *testing.T) {
	k, s := newSim(t)
	ring := jitter.NewRing(16)
	total, wake := newRecorder(t, jitter.Options{Samples: 100}), newRecorder(t, jitter.Options{})
	empty := 0
	me := spawn(t, k, "task", 1, func(me *rtos.Task) {
		total.Begin(me)
		wake.Begin(me)
		defer func() { assert.NoError(t, total.End()); assert.NoError(t, wake.End()) }()
		for !total.Full() {
			_, err := me.NotifyTake(true, rtos.Forever)
			assert.NoError(t, err)
			if ring.Drain(k.Now(), total, wake) == 0 {
				empty++
			}
		}
	})
	urgent := spawn(t, k, "urgent", 2, func(me *rtos.Task) {
		_, _ = me.NotifyTake(true, rtos.Forever)
		me.Work(10 * ms)
	})
	for i := range uint64(100) {
		s.At(i+1, func(isr *rtos.ISR) {
			if i+1 == 50 {
				urgent.NotifyGiveFromISR(isr)
			}
			ring.Post(k.Ticks(i+1)-us, k.Now()) // planned a little before
			me.NotifyGiveFromISR(isr)
		})
	}
	require.NoError(t, k.Run(t.Context()))
	res := total.Result()
	assert.EqualValues(t, 100, res.Lateness.Count())
	assert.EqualValues(t, 10, res.Coalesced) // 51 to 59, and 60, posted when the stall ended
	assert.Equal(t, 10*ms+us, res.Lateness.Max())
	assert.Equal(t, us, res.Lateness.Min())
	for i, s := range res.Worst[:10] {
		assert.EqualValues(t, 50+i, s.Index)
		assert.Equal(t, time.Duration(10-i)*ms+us, s.By)
	}
	assert.Equal(t, 10*ms, wake.Result().Lateness.Max())
	assert.Zero(t, wake.Result().Lateness.Min())
	assert.EqualValues(t, 10, wake.Result().Coalesced)
	assert.Zero(t, empty)
	assert.Zero(t, res.Lost)
}

// What was posted after the task woke waits for the next wake: nothing has a negative
// latency.
func TestDrainLeavesWhatCameAfterTheWake(t *testing.T) {
	ring, rec := jitter.NewRing(4), newRecorder(t, jitter.Options{})
	rec.BeginOn(aClock)
	ring.Post(10, 12)
	ring.Post(20, 22)
	ring.Post(30, 32)
	assert.Equal(t, 2, ring.Drain(25, rec, nil))
	assert.Zero(t, ring.Drain(31, rec, nil))
	assert.Equal(t, 1, ring.Drain(32, nil, rec))
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.EqualValues(t, 0, res.Lateness.Min())
	assert.EqualValues(t, 15, res.Lateness.Max())
	assert.EqualValues(t, 1, res.Coalesced)
}

// Events for which there was no room are counted, and the index of those that follow is
// theirs.
func TestFullRingLosesAndCounts(t *testing.T) {
	ring, rec := jitter.NewRing(4), newRecorder(t, jitter.Options{})
	rec.BeginOn(aClock)
	for i := range time.Duration(7) {
		assert.Equal(t, i < 4, ring.Post(i, i))
	}
	assert.Equal(t, 4, ring.Drain(100, rec, nil))
	assert.True(t, ring.Post(7, 7))
	assert.Equal(t, 1, ring.Drain(200, rec, nil))
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.EqualValues(t, 3, res.Lost)
	assert.EqualValues(t, 5, res.Lateness.Count())
	assert.EqualValues(t, 8, res.Worst[0].Index)
}

func TestRingLength(t *testing.T) {
	for _, length := range []int{0, -1, 3, 1<<30 + 1} {
		var misuse *rtos.MisuseError
		require.ErrorAs(t, panicOf(func() { jitter.NewRing(length) }), &misuse, "%d", length)
	}
}

// One posts while another drains: every event arrives once and in order, or is counted as
// lost. Run it under the race detector.
func TestPostWhileDraining(t *testing.T) {
	const posts = 100_000
	ring, rec := jitter.NewRing(64), newRecorder(t, jitter.Options{})
	lost, tried, done := uint64(0), uint64(posts), make(chan bool)
	go func() {
		defer close(done)
		for i := range time.Duration(posts) {
			if !ring.Post(i, i) {
				lost++
				runtime.Gosched()
			}
		}
		for tried++; !ring.Post(posts, posts); tried++ { // a last one, so that the losses before it are seen
			lost++
			runtime.Gosched()
		}
	}()
	rec.BeginOn(aClock)
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			runtime.Gosched()
		}
		ring.Drain(posts, rec, nil)
	}
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.Equal(t, lost, res.Lost)
	assert.Equal(t, tried, res.Lateness.Count()+res.Lost)
	// What is recorded is the planned time before a wake at posts: in order, these fall.
	assert.Zero(t, res.Lateness.Min())
}
