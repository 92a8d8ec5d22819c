package rtos

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
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

// object is what every waitable thing has: a word of its own meaning in the low
// 48 bits with the number of its waiters above, and the waiter set.
//
// The count is part of the word so that the giver's own step tells whether
// anybody waits. A waiter joins the set, then counts itself, then tries again.
type object struct {
	_    noCopy
	word atomic.Uint64
	body atomic.Pointer[objectBody]
}

// objectBody is what an object needs once somebody has to wait, or once it has a
// name. It never changes; binding replaces it.
type objectBody struct {
	kind string
	name string
	self any // the public object, for reports
	k    *Kernel
	bits atomic.Uint64 // one bit a slot; kernels of more than 64 slots use wide
	wide *wideSet
}

const (
	countShift = 48
	oneWaiter  = 1 << countShift
)

func waitersIn(word uint64) uint64 { return word >> countShift }

// noCopy makes go vet report copies of the objects.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

func newBody(kind, name string, self any) *objectBody {
	return &objectBody{kind: kind, name: name, self: self}
}

func (o *object) name() string {
	if b := o.body.Load(); b != nil {
		return b.name
	}
	return ""
}

// bind ties the object to the kernel of the first task that has to wait on it.
// A kernel that has ended lets go of its objects.
func (o *object) bind(t *Task, op, kind string, self any) *objectBody {
	for {
		b := o.body.Load()
		if b != nil && b.k == t.k {
			return b
		}
		nb := &objectBody{kind: kind, self: self, k: t.k}
		if b != nil {
			nb.name = b.name
			if b.k != nil && b.k.phase.Load() != phaseEnded {
				misuse(op, t, b.name, "the object belongs to another kernel")
			}
		}
		if len(t.k.tasks) > 64 {
			nb.wide = newWideSet(len(t.k.tasks))
		}
		if o.body.CompareAndSwap(b, nb) {
			return nb
		}
	}
}

func (o *object) join(b *objectBody, slot int) {
	if b.wide != nil {
		b.wide.set(slot)
	} else {
		b.bits.Or(1 << slot)
	}
	o.word.Add(oneWaiter)
}

func (o *object) leave(b *objectBody, slot int) {
	o.word.Add(^uint64(oneWaiter - 1))
	if b.wide != nil {
		b.wide.clear(slot)
	} else {
		b.bits.And(^(uint64(1) << slot))
	}
}

// candidate is a waiter that a scan has found.
type candidate struct {
	slot int
	word uint64 // its wait word: waiting
	rank uint64
}

// each calls f for those that wait on o. Several words of the set are read one
// after the other; that is enough, because the object was changed before.
func (o *object) each(b *objectBody, f func(c candidate)) {
	if b.wide == nil {
		o.scanWord(b.k, 0, b.bits.Load(), f)
		return
	}
	for s := range b.wide.summary {
		for sum := b.wide.summary[s].Load(); sum != 0; sum &= sum - 1 {
			leaf := s<<6 + bits.TrailingZeros64(sum)
			o.scanWord(b.k, leaf<<6, b.wide.leaves[leaf].Load(), f)
		}
	}
}

func (o *object) scanWord(k *Kernel, base int, set uint64, f func(c candidate)) {
	for ; set != 0; set &= set - 1 {
		slot := base + bits.TrailingZeros64(set)
		w := &k.waiters[slot]
		word := w.word.Load()
		if stateOf(word) != stWaiting || w.obj.Load() != o {
			continue
		}
		f(candidate{slot, word, w.rank.Load()})
	}
}

// first finds the waiter that is first in rank.
func (o *object) first(b *objectBody) (best candidate, ok bool) {
	o.each(b, func(c candidate) {
		if !ok || c.rank > best.rank {
			best, ok = c, true
		}
	})
	return best, ok
}

// wake ends the wait of the first waiter, if there is one, and tells who that is and
// whether it outranks what runs. Lock-free: a swap that fails means that somebody else
// has ended that wait.
func (o *object) wake(from Origin) (heir *Task, outranks bool) {
	b := o.body.Load()
	if b == nil || b.k == nil {
		return nil, false // nobody has ever waited here
	}
	for {
		c, ok := o.first(b)
		if !ok {
			return nil, false
		}
		w := &b.k.waiters[c.slot]
		t := b.k.tasks[c.slot].Load()
		if w.word.CompareAndSwap(c.word, withState(c.word, stWoken)) {
			return t, b.k.port.Ready(t, from)
		}
	}
}

// yieldTo ends a give that has woken somebody, where the port schedules.
func (o *object) yieldTo() {
	if b := o.body.Load(); b != nil && b.k != nil && b.k.sched {
		b.k.port.Switch(nil, Woke)
	}
}

// refuseInterrupt reports a task's form of a call in an interrupt, where the port
// can tell.
func (o *object) refuseInterrupt(op string) {
	if b := o.body.Load(); b != nil && b.k != nil && b.k.sched && b.k.traits.InInterrupt() {
		misuse(op, nil, b.name, "called in an interrupt: use the FromISR form")
	}
}

// A rank is the priority when the wait began, then the order of arrival. A ticket
// has 56 bits: at ten million waits a second they last for 228 years.
const ticketBits = 56

func (t *Task) newRank(o *object, b *objectBody) uint64 {
	if t.k.cfg.Compat&CompatOrder != 0 {
		return o.compatRank(b, t)
	}
	ticket := t.k.ticket.Add(1)
	return uint64(t.Priority())<<ticketBits | (1<<ticketBits - 1 - ticket)
}

// compatRank puts t just before the first waiter whose ordering value is lower
// than its own at this moment, and moves the others back. Only a port that runs
// one task at a time makes it exact.
func (o *object) compatRank(b *objectBody, t *Task) uint64 {
	own := t.order.Load()
	var before, last uint64 = 0, 1 << 62
	found := false
	o.each(b, func(c candidate) {
		last = min(last, c.rank)
		if q := t.k.tasks[c.slot].Load(); q != nil && q.order.Load() < own && c.rank > before {
			before, found = c.rank, true
		}
	})
	if !found {
		return last - 1
	}
	o.each(b, func(c candidate) {
		if c.rank <= before {
			t.k.waiters[c.slot].rank.Store(c.rank - 1)
		}
	})
	return before
}

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
			t.w.word.CompareAndSwap(word, withState(word, stCancelled))
		}
	}
}

// Expire ends the wait with this epoch because its limit is over, and readies the
// task. For ports, see [Port].Arm; it reports whether there was such a wait.
func (t *Task) Expire(epoch uint64) bool {
	word := epoch<<stateBits | stWaiting
	if !t.w.word.CompareAndSwap(word, withState(word, stTimedOut)) {
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
		!t.w.word.CompareAndSwap(word, withState(word, stCancelled)) {
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
			if src.try(t) {
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

// waiters lists those that wait on o, first in rank first.
func (o *object) waiters() []*Task {
	b := o.body.Load()
	if b == nil || b.k == nil {
		return nil
	}
	var found []candidate
	o.each(b, func(c candidate) { found = append(found, c) })
	slices.SortFunc(found, func(x, y candidate) int { return cmp.Compare(y.rank, x.rank) })
	var list []*Task
	for _, c := range found {
		if t := b.k.tasks[c.slot].Load(); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// pass gives a wake that t does not use to the next waiter, if there is still
// something to take.
func (t *Task) pass(o *object, src source) {
	if src.hasSome() {
		o.wake(FromTask)
	}
}
