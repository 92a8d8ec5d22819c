package realtime

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
)

// ErrTimerStopped: the timer has stopped, and all its activations have been read.
var ErrTimerStopped = errors.New("realtime: timer stopped")

// An Activation is one firing of a timer. Times are the kernel's, as [rtos.Kernel.Now]
// tells it.
type Activation struct {
	// N counts the periods from 0. A gap says that the timer was late by whole periods
	// and left them out, or that activations were lost.
	N uint64
	// Deadline is when the activation was due.
	Deadline time.Duration
	// Fired is when the timer's thread was there.
	Fired time.Duration
	// Woken is when the thread of the called task was there again: if it had parked, before
	// any ordinary Go code ran. 0 if the task did not wait for this activation. In a build
	// with plain waits Go's scheduler comes first.
	Woken time.Duration
}

// Read returns the oldest activation that has not been read, and false if there is none.
// One goroutine at a time may read, and only the task if the timer calls one. The last
// 32,000 activations are kept. Wait-free.
func (tm *Timer) Read() (a Activation, ok bool) {
	l := &tm.loop
	for {
		head := tm.Fired()
		if tm.read == head {
			return a, false
		}
		if head-tm.read >= ringSize {
			tm.lost += head - tm.read - kept
			tm.read = head - kept
		}
		s := &l.ring[tm.read%ringSize]
		deadline, fired := atomic.LoadInt64(&s.deadline), atomic.LoadInt64(&s.fired)
		if tm.Fired()-tm.read >= ringSize {
			continue // it has been overwritten meanwhile
		}
		tm.read++
		return tm.activation(deadline, fired), true
	}
}

// kept is how many activations are left for a reader that comes too late: fewer than
// there is room for, so that it is not overtaken at once.
const kept = 32000

func (tm *Timer) activation(deadline, fired int64) Activation {
	start := tm.p.start
	a := Activation{
		N:        uint64((deadline - tm.first) / tm.loop.period),
		Deadline: time.Duration(deadline - start),
		Fired:    time.Duration(fired - start),
	}
	if tm.th != nil && tm.th.woken >= fired {
		a.Woken = time.Duration(tm.th.woken - start)
	}
	return a
}

// Lost is the number of activations that were not read in time. For who reads.
func (tm *Timer) Lost() uint64 { return tm.lost }

// Next waits for the next activation, for d at most, and returns it. Activations that
// came while the task was busy are returned first, one by one, without a wait. For the
// called task only. Errors are those of [rtos.Task.NotifyTakeAt], and [ErrTimerStopped].
// Lock-free if there is one; else it blocks.
func (tm *Timer) Next(t *rtos.Task, d time.Duration) (Activation, error) {
	if t == nil || t != tm.o.Task {
		panic(&rtos.MisuseError{Op: "Timer.Next", Reason: "not by the task that the timer calls"})
	}
	if err := t.Checkpoint(); err != nil {
		return Activation{}, err
	}
	limit := rtos.Forever
	if now := tm.p.Now(); d < rtos.Forever-now {
		limit = now + d
	}
	for {
		over := tm.ended()
		if a, ok := tm.Read(); ok {
			return a, nil
		}
		if over {
			return Activation{}, ErrTimerStopped
		}
		if limit != rtos.Forever && d > 0 {
			d = max(limit-tm.p.Now(), 1)
		}
		if _, err := t.NotifyTakeAt(tm.o.Slot, true, d); err != nil {
			if a, ok := tm.Read(); ok {
				return a, nil
			}
			return Activation{}, err
		}
	}
}
