package rtos

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tickwake/rtos/internal/atomic"
)

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

func (*noCopy) Lock() {}

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

// A rank is the priority when the wait began, then the order of arrival; InheritChained
// keeps the priority up to date. A ticket has 56 bits: at ten million waits a second they
// last for 228 years.
const ticketBits = 56

func (t *Task) newRank(o *object, b *objectBody) uint64 {
	if t.k.cfg.Compat&CompatOrder != 0 {
		return o.compatRank(b, t)
	}
	ticket := t.k.ticket.Add(1)
	if t.k.traits.Tie != nil {
		ticket = t.k.traits.Tie() >> (64 - ticketBits)
	}
	return rankAt(t.Priority(), 1<<ticketBits-1-ticket)
}

// rankAt is a rank of another priority, with the same place among equals.
func rankAt(prio int, rank uint64) uint64 {
	return uint64(prio)<<ticketBits | rank&(1<<ticketBits-1)
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
