package jitter_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// lateBy pretends to wake late: the n-th time by n steps. It waits for nothing.
type lateBy struct {
	step    time.Duration
	n       time.Duration
	planned []time.Duration
	err     error
}

func (l *lateBy) Until(_ *rtos.Task, deadline time.Duration) (time.Duration, error) {
	l.n++
	l.planned = append(l.planned, deadline)
	return deadline + l.n*l.step, l.err
}

func (*lateBy) Name() string { return "late" }

const us = time.Microsecond

// The margin is what 99 of 100 plain sleeps do not exceed, within bounds, and never more
// than half a period.
func TestMarginIsFoundFromPlainSleeps(t *testing.T) {
	for _, c := range []struct {
		name   string
		wait   jitter.SleepThenSpin
		step   time.Duration
		period time.Duration
		want   time.Duration
		sleeps int
		detail string
	}{
		{"as found", jitter.SleepThenSpin{Sleeps: 100}, us, ms, 99 * us, 100, "p99 of 100 sleeps 99"},
		{"not less than 20 us", jitter.SleepThenSpin{Sleeps: 100}, us / 10, ms, 20 * us, 100, "p99 of 100 sleeps 9.9"},
		{"not less than asked", jitter.SleepThenSpin{Sleeps: 100, Least: 300 * us}, us, ms, 300 * us, 100, ""},
		{"not more than asked", jitter.SleepThenSpin{Sleeps: 100, Most: 60 * us}, us, ms, 60 * us, 100, ""},
		{"not more than half a period", jitter.SleepThenSpin{Sleeps: 100, Most: ms}, us, 100 * us, 50 * us, 100, ""},
		{"not more than half a period, though asked", jitter.SleepThenSpin{Sleeps: 100, Least: ms}, us, 100 * us, 50 * us, 100, ""},
		{"given", jitter.SleepThenSpin{Margin: 7 * us}, us, ms, 7 * us, 0, "given"},
		{"of 2000", jitter.SleepThenSpin{}, us / 100, 100 * us, 20 * us, 2000, "p99 of 2000 sleeps 19.967"},
		{"in a second", jitter.SleepThenSpin{}, us, ms, 500 * us, 1000, "p99 of 1000 sleeps 991.231"},
		{"of sleeps of 10 ms", jitter.SleepThenSpin{}, us, time.Hour, 99 * us, 100, "p99 of 100 sleeps 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, _ := newSim(t)
			sleep := &lateBy{step: c.step}
			w := c.wait
			w.Sleep = sleep
			spawn(t, k, "loop", 1, func(me *rtos.Task) {
				assert.NoError(t, w.Calibrate(t.Context(), me, c.period))
			})
			require.NoError(t, k.Run(t.Context()))
			assert.InDelta(t, float64(c.want), float64(w.Found()), float64(c.want)/64)
			assert.Len(t, sleep.planned, c.sleeps)
			assert.Contains(t, w.Detail(), c.detail)
			for i := 1; i < len(sleep.planned); i++ {
				late := time.Duration(i) * c.step
				assert.Equal(t, sleep.planned[i-1]+late+min(c.period, 10*ms), sleep.planned[i])
			}
		})
	}
}

// With one processor nobody else could run while it spins, so it does not.
func TestOneProcessorDoesNotSpin(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	k, err := rtos.New(rtos.Config{})
	require.NoError(t, err)
	me, err := k.Adopt("loop", 1)
	require.NoError(t, err)
	defer func() { assert.NoError(t, me.Release()) }()
	w := &jitter.SleepThenSpin{Margin: time.Hour, Sleep: &lateBy{}}
	require.NoError(t, w.Calibrate(t.Context(), me, ms))
	assert.Zero(t, w.Found())
	assert.Equal(t, "no spinning: one processor", w.Detail())
	deadline := k.Now() + 100*ms
	now, err := w.Until(me, deadline)
	require.NoError(t, err)
	assert.Equal(t, deadline, now)
}

// It sleeps up to the margin, then the clock is what it goes by: it is never early, and a
// task that is deleted does not spin on.
func TestSpinningEndsAtTheDeadlineOrTheTask(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("needs two processors")
	}
	k, err := rtos.New(rtos.Config{})
	require.NoError(t, err)
	me, err := k.Adopt("loop", 1)
	require.NoError(t, err)
	defer func() { assert.NoError(t, me.Release()) }()
	w := &jitter.SleepThenSpin{Margin: 3 * ms}
	require.NoError(t, w.Calibrate(t.Context(), me, ms))
	for range 20 {
		deadline := k.Now() + 2*ms
		now, err := w.Until(me, deadline)
		require.NoError(t, err)
		require.GreaterOrEqual(t, now, deadline)
		require.GreaterOrEqual(t, k.Now(), now)
	}
	past := k.Now() - ms
	now, err := w.Until(me, past)
	require.NoError(t, err)
	assert.Greater(t, now, past)

	me.Delete()
	long := &jitter.SleepThenSpin{Margin: time.Hour, Sleep: &lateBy{}}
	require.NoError(t, long.Calibrate(t.Context(), me, ms))
	_, err = long.Until(me, k.Now()+time.Hour)
	assert.ErrorIs(t, err, rtos.ErrDeleted)
}

func TestCalibrationCanBeInterrupted(t *testing.T) {
	k, _ := newSim(t)
	ctx, cancel := context.WithCancel(t.Context())
	rec := newRecorder(t, jitter.Options{})
	loop := jitter.Loop{Recorder: rec, Wait: &jitter.SleepThenSpin{}}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.ErrorIs(t, loop.Run(ctx, me), context.Canceled) })
	spawn(t, k, "end", 2, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(100*ms))
		cancel()
	})
	require.NoError(t, k.Run(t.Context()))
	assert.LessOrEqual(t, k.Now(), 101*ms)
	assert.Zero(t, rec.Result().Lateness.Count())
}

func TestFailedSleepEndsTheLoop(t *testing.T) {
	for _, w := range []jitter.Wait{
		&lateBy{err: rtos.ErrDeleted}, &jitter.SleepThenSpin{Sleep: &lateBy{err: rtos.ErrDeleted}},
		&jitter.SleepThenSpin{Margin: us, Sleep: &lateBy{err: rtos.ErrDeleted}},
	} {
		k, _ := newSim(t)
		loop := jitter.Loop{Recorder: newRecorder(t, jitter.Options{}), Wait: w}
		spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.ErrorIs(t, loop.Run(t.Context(), me), rtos.ErrDeleted) })
		require.NoError(t, k.Run(t.Context()))
	}
}
