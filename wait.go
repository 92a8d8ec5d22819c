package rtos

import (
	"context"
	"math"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// This file is the waiting protocol that every object shares (model/sem.pml,
// model/suspend.pml).
//
//	to wait:  publish the wait word (new epoch) → join the waiter set → try the
//	          object once more → park
//	to wake:  change the object → read the waiter set → among those whose wait
//	          word says waiting on this object take the first in rank → swap its
//	          wait word to woken, else scan again → Ready, and Switch last
//
// All accesses are sequentially consistent, so either the waiter's second try
// sees the change or the waker sees the waiter: no wake-up is lost.

// A waiter is a task's place in waiter sets: what wakers read of it. The waiters
// of a kernel lie side by side, because a wake scans them.
type waiter struct {
	// word is epoch<<8 | state. Whoever moves it out of stWaiting decides the
	// outcome of the wait. Epochs belong to the slot and never restart.
	word atomic.Uint64
	// obj and rank belong to one wait: written before the word that makes them
	// valid, read after it, trusted only if a swap of the whole word succeeds.
	obj  atomic.Pointer[object]
	rank atomic.Uint64
	// overdue: the task has been overtaken too often, hand the mutex over.
	overdue atomic.Uint32
	_       uint32
}

type waitState = uint64

const (
	stIdle      waitState = iota
	stWaiting             // may be woken, timed out, aborted ...
	stWoken               // owns nothing yet: has to try again
	stTimedOut            // its limit is over
	stAborted             // by AbortDelay
	stCancelled           // its context is done
	stAsked               // ended by a request: suspend, delete, stop
	stGranting            // claimed by a giver, can no longer time out
	stGranted             // owns what it waited for
)

const (
	stateBits = 8
	stateMask = 1<<stateBits - 1
)

func stateOf(w uint64) waitState             { return w & stateMask }
func withState(w uint64, s waitState) uint64 { return w&^stateMask | s }

// publish begins a wait of t on o, which may be nil: nobody else wakes it there.
// It returns the wait word.
func (t *Task) publish(o *object, rank uint64) uint64 {
	w := t.w
	w.obj.Store(o)
	w.rank.Store(rank)
	word := (w.word.Load()>>stateBits+1)<<stateBits | stWaiting
	w.word.Store(word)
	return word
}

// unpublish ends the wait from the task's side and tells how it stood.
func (t *Task) unpublish(word uint64) waitState {
	return stateOf(t.w.word.Swap(withState(word, stIdle)))
}

// sleep parks t until its wait word has left waiting, and tells how.
func (t *Task) sleep(word uint64) waitState {
	k := t.k
	limited := t.deadline != Forever
	if limited {
		k.port.Arm(t, word>>stateBits, t.deadline)
	}
	if k.cfg.RunTime {
		t.pauseClock()
		defer t.resumeClock()
	}
	for {
		if s := stateOf(t.w.word.Load()); s != stWaiting && s != stGranting {
			if limited {
				k.port.Disarm(t)
			}
			return s
		}
		k.port.Park(t)
		if t.ctx != nil && t.ctx.Err() != nil {
			t.decide(word, stCancelled)
		}
	}
}

// Expire ends the wait with this epoch because its limit is over, and readies the
// task. For ports, see [Port].Arm; it reports whether there was such a wait.
func (t *Task) Expire(epoch uint64) bool {
	word := epoch<<stateBits | stWaiting
	if !t.decide(word, stTimedOut) {
		return false
	}
	t.k.port.Ready(t, FromTick)
	return true
}

// Context is the context of the wait that t is in, nil if it has none. For ports:
// a parked task must be let run when it is done.
func (t *Task) Context() context.Context { return t.ctx }

// ExpireContext ends the wait of t if its context is done, and readies t. For
// ports that look at contexts themselves; not while t may run.
func (t *Task) ExpireContext() bool {
	word := t.w.word.Load()
	if t.ctx == nil || t.ctx.Err() == nil || stateOf(word) != stWaiting ||
		!t.decide(word, stCancelled) {
		return false
	}
	t.k.port.Ready(t, FromTick)
	return true
}

// until is the instant d from now.
func (k *Kernel) until(d time.Duration) time.Duration {
	if d == Forever {
		return Forever
	}
	now := k.port.Now()
	if d > math.MaxInt64-1-now {
		return Forever
	}
	return now + d
}

// enter begins a call of t that may wait: it checks who calls and with what limit,
// and obeys requests. An error is the outcome of the call.
func (t *Task) enter(op string, object string, d time.Duration, ctx context.Context) error {
	if t == nil {
		misuse(op, nil, object, "nil task")
	}
	t.checkCaller(op)
	if d < 0 {
		misuse(op, t, object, "negative limit "+d.String())
	}
	if t.k.sched && t.k.traits.InInterrupt() {
		misuse(op, t, object, "called in an interrupt: use the FromISR form")
	}
	if t.ended.Load() {
		return ErrDeleted
	}
	if stateOf(t.w.word.Load()) != stIdle {
		misuse(op, t, object, "the task is in another call: a *Task may only be used by its own goroutine")
	}
	switch {
	case t.adopted && t.gate.Load()&askEnd != 0:
		t.unwinding = true // from now on what would block fails
	case t.unwinding:
		t.k.port.Unwind(t) // a recover may have swallowed it
	default:
		if err := t.heed(); err != nil {
			return err
		}
	}
	if d != 0 && t.gate.Load()&askLimits != 0 && t.sections > 0 {
		t.mayBlock(op, object)
	}
	if ctx != nil {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// mayBlock refuses to wait where waiting is forbidden.
func (t *Task) mayBlock(op, object string) {
	switch {
	case t.sections > 0:
		misuse(op, t, object, "would block with the scheduler suspended or in a critical section"+t.enteredAt())
	case t.spinlocks > 0:
		misuse(op, t, object, "would block with a spinlock held"+t.enteredAt())
	}
}

// over tells why the wait of the present call ends now, nil if it does not.
func (t *Task) over(s waitState) error {
	switch {
	case t.abortMark:
		t.abortMark = false
		return ErrAborted
	case s == stTimedOut:
		return ErrTimeout
	case s == stCancelled:
		return context.Cause(t.ctx)
	case t.deadline != Forever && t.k.port.Now() >= t.deadline:
		return ErrTimeout
	}
	return nil
}

// exitWait is the end of every call that may have waited.
func (t *Task) exitWait() {
	t.ctx = nil
	if t.k.cfg.Compat&CompatAbortMark == 0 {
		t.abortMark = false
	}
}

// source is an object that tasks take something from by the plain protocol.
type source interface {
	giver
	try(t *Task) bool // t takes it, if it is there; lock-free
	// again tells whether a task whose limit is over tries once more after the switch
	// that FreeRTOS may make then.
	again() bool
}

// giver is an object whose unused wake can be passed on.
type giver interface {
	hasSome() bool // is there something to take?
}

// acquire waits until src gives something or the limit is over. The set is left
// when the call ends: in between, a task whose wait word does not say waiting is
// no candidate.
func (t *Task) acquire(o *object, b *objectBody, src source) error {
	k := t.k
	joined := false
	defer func() { // also when t is unwound
		if joined {
			o.leave(b, t.slot)
		}
		t.exitWait()
	}()
	for s := stIdle; ; {
		if src.try(t) {
			return nil
		}
		if err := t.over(s); err != nil {
			if k.sched {
				k.port.Switch(t, Section)
			}
			if src.again() && src.try(t) {
				return nil
			}
			return err
		}
		if t.unwinding {
			return ErrDeleted
		}
		t.abortMark = false
		word := t.publish(o, t.newRank(o, b))
		if !joined {
			o.join(b, t.slot)
			joined = true
		}
		if src.try(t) {
			if t.unpublish(word) == stWoken {
				t.pass(o, src) // that wake was for another token
			}
			return nil
		}
		if t.gate.Load()&(askSuspend|askEnd) != 0 {
			s = t.unpublish(word)
		} else {
			s = t.sleep(word)
			t.unpublish(word)
		}
		if s == stAborted {
			t.abortMark = true
		}
		if g := t.gate.Load() & (askSuspend | askEnd); g != 0 {
			if t.adopted && g&askEnd != 0 {
				t.unwinding = true // looks once more, then fails
				continue
			}
			if s == stWoken && k.cfg.Compat&CompatLostWake == 0 {
				t.pass(o, src)
			}
			if err := t.heed(); err != nil {
				return err
			}
		}
	}
}

// pass gives a wake that t does not use to the next waiter, if there is still
// something to take.
func (t *Task) pass(o *object, src source) {
	if src.hasSome() {
		o.wake(FromTask)
	}
}
