package rtos_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// compatReserved are flags for objects to come.
const compatReserved = rtos.CompatStreamSlot0 | rtos.CompatISRThroughTimer

// compatCases shows for each flag what is better without it. The recorded scenarios that
// differ are listed in internal/conformance/compat.txt.
var compatCases = []struct {
	name    string
	flag    rtos.Compat
	with    rtos.Compat // flags without which this one means nothing
	story   func(r *caseRun)
	off, on []string
}{
	{"Order: a wait keeps its rank, whatever priority its task gets", rtos.CompatOrder, 0, func(r *caseRun) {
		s := rtos.NewCounting("s", 9, 0)
		a := r.taker("a", 4, 0, s)
		r.taker("b", 3, 2, s)
		r.giver(1, func() { a.SetPriority(2) }, s)
	}, []string{"5 a has s", "6 b has s"}, []string{"5 b has s", "6 a has s"}},

	{"BasePriorityQueue: a boosted task queues by its effective priority", rtos.CompatBasePriorityQueue, rtos.CompatOrder, func(r *caseRun) {
		m, s := rtos.NewMutex("m"), rtos.NewCounting("s", 9, 0)
		spawn(r, r.k, "low", 3, func(me *rtos.Task) {
			assert.NoError(r, m.Lock(me))
			me.Work(r.k.Ticks(2))
			me.SetPriority(1)
			assert.Equal(r, "e5/b1", levels(me))
			assert.NoError(r, s.Take(me))
			r.note("low has s")
			assert.NoError(r, m.Unlock(me))
		})
		spawn(r, r.k, "high", 5, func(me *rtos.Task) {
			r.wake(me, 1)
			assert.NoError(r, m.Lock(me))
		})
		r.taker("mid", 2, 0, s) // runs when low waits
		r.giver(4, func() {}, s)
	}, []string{"5 low has s", "6 mid has s"}, []string{"5 mid has s", "6 low has s"}},

	{"SelfTake: to wait for one's own mutex is misuse at once", rtos.CompatSelfTake, 0, func(r *caseRun) {
		m := rtos.NewMutex("m")
		spawn(r, r.k, "me", 1, func(me *rtos.Task) {
			assert.NoError(r, m.Lock(me))
			r.noteEnd("again", func() error { return m.LockFor(me, r.k.Ticks(7)) })
			assert.NoError(r, m.Unlock(me))
		})
	}, []string{"0 again: misuse"}, []string{"7 again: timeout"}},

	{"LostWake: who is suspended passes its wake on", rtos.CompatLostWake, 0, func(r *caseRun) {
		s := rtos.NewCounting("s", 9, 0)
		a := r.taker("a", 4, 0, s)
		r.taker("b", 3, 0, s)
		spawn(r, r.k, "boss", 9, func(me *rtos.Task) {
			r.wake(me, 5)
			s.Give()
			a.Suspend()
			r.wake(me, 5)
			assert.True(r, s.Give())
			a.Resume()
		})
	}, []string{"5 b has s", "10 a has s"}, []string{"10 a has s", "10 b has s"}},

	{"AbortMark: an abort ends one wait at most", rtos.CompatAbortMark, 0, func(r *caseRun) {
		s := rtos.NewCounting("s", 9, 0)
		a := spawn(r, r.k, "a", 1, func(me *rtos.Task) {
			r.noteEnd("first", func() error { return s.Take(me) })
			r.noteEnd("second", func() error { return s.TakeFor(me, r.k.Ticks(7)) })
		})
		spawn(r, r.k, "boss", 9, func(me *rtos.Task) {
			r.wake(me, 5)
			assert.True(r, a.AbortDelay())
			s.Give() // found when a looks once more
		})
	}, []string{"5 first: done", "12 second: timeout"}, []string{"5 first: done", "5 second: aborted"}},

	{"LimitUnderSuspend: only waiting is misuse", rtos.CompatLimitUnderSuspend, 0, func(r *caseRun) {
		s := rtos.NewCounting("s", 9, 9)
		spawn(r, r.k, "me", 1, func(me *rtos.Task) {
			r.noteEnd("before", func() error { return s.Take(me) })
			r.k.SuspendScheduler(me)
			r.noteEnd("poll", func() error { return s.TakeFor(me, 0) })
			r.noteEnd("limit", func() error { return s.TakeFor(me, r.k.Ticks(7)) })
			r.noteEnd("none", func() error { return s.Take(me) })
			r.k.ResumeScheduler(me)
			r.noteEnd("after", func() error { return s.Take(me) })
		})
	}, []string{"0 before: done", "0 poll: done", "0 limit: done", "0 none: done", "0 after: done"},
		[]string{"0 before: done", "0 poll: done", "0 limit: misuse", "0 none: misuse", "0 after: done"}},

	{"PollClears: a poll in vain changes nothing", rtos.CompatPollClears, 0, func(r *caseRun) {
		spawn(r, r.k, "me", 1, func(me *rtos.Task) {
			assert.NoError(r, me.Notify(0b11, rtos.Overwrite))
			assert.True(r, me.NotifyStateClear(0))
			_, err := me.NotifyWait(rtos.NotifyWait{ClearOnEntry: 0b01}, 0)
			assert.ErrorIs(r, err, rtos.ErrWouldBlock)
			r.note("value %02b", me.NotifyValueClear(0, 0))
		})
	}, []string{"0 value 11"}, []string{"0 value 10"}},
}

// taker spawns a task that begins at a tick to take s, and notes when it has it.
func (r *caseRun) taker(name string, prio int, at uint64, s *rtos.Semaphore) *rtos.Task {
	return spawn(r, r.k, name, prio, func(me *rtos.Task) {
		r.wake(me, at)
		assert.NoError(r, s.Take(me))
		r.note("%s has s", name)
	})
}

// giver spawns a task that calls f at a tick and gives s at ticks 5 and 6.
func (r *caseRun) giver(at uint64, f func(), s *rtos.Semaphore) {
	spawn(r, r.k, "giver", 9, func(me *rtos.Task) {
		r.wake(me, at)
		f()
		r.wake(me, 5-at)
		assert.True(r, s.Give())
		r.wake(me, 1)
		assert.True(r, s.Give())
	})
}

// noteEnd notes how a call ends.
func (r *caseRun) noteEnd(name string, call func() error) {
	var err error
	how := "done"
	if caught(func() { err = call() }) != nil {
		how = "misuse"
	}
	for e, word := range map[error]string{rtos.ErrTimeout: "timeout", rtos.ErrAborted: "aborted"} {
		if errors.Is(err, e) {
			how = word
		}
	}
	r.note("%s: %s", name, how)
}

// Each flag of Compat changes what it says, whatever the others are.
func TestCompatFlags(t *testing.T) {
	for _, c := range compatCases {
		for _, when := range []struct {
			name   string
			compat rtos.Compat
			want   []string
		}{
			{"off", 0, c.off},
			{"off alone", (rtos.CompatFreeRTOS | rtos.CompatPollClears) &^ c.flag, c.off},
			{"on alone", c.flag | c.with, c.on},
			{"on", rtos.CompatFreeRTOS | c.flag, c.on},
		} {
			t.Run(c.name+"/"+when.name, func(t *testing.T) {
				r := newCase(t, sim.Options{}, rtos.Config{Compat: when.compat})
				c.story(r)
				r.expect(when.want...)
			})
		}
	}
}

func TestCompatFlagsHaveCases(t *testing.T) {
	all := compatReserved
	for _, c := range compatCases {
		assert.Zero(t, all&c.flag, c.name)
		all |= c.flag
	}
	assert.Equal(t, rtos.CompatFreeRTOS|rtos.CompatPollClears, all)
}
