package rtos

import (
	"context"
	"time"

	"github.com/tickwake/rtos/internal/spin"
)

// This file is how tasks wait for a queue. What a task sends or has received lies in its
// spare box for the ring: a try exchanges that box, so its outcome needs no other place,
// and the waiting protocol knows nothing of values.

const (
	kindRecv = "message in queue" // what a task waits for, in reports
	kindSend = "space in queue"
)

// The sides of a ring are what tasks wait for.
type (
	sendSide  ring
	frontSide ring
	recvSide  ring
)

func (s *sendSide) try(t *Task) bool  { r := (*ring)(s); return r.push(&t.spareFor(r).box) }
func (s *frontSide) try(t *Task) bool { r := (*ring)(s); return r.pushFront(&t.spareFor(r).box) }
func (s *recvSide) try(t *Task) bool  { r := (*ring)(s); return r.pop(&t.spareFor(r).box) }

func (s *sendSide) hasSome() bool  { return !(*ring)(s).isFull() }
func (s *frontSide) hasSome() bool { return !(*ring)(s).isFull() }
func (s *recvSide) hasSome() bool  { return !(*ring)(s).isEmpty() }

func (s *sendSide) again() bool  { return false }
func (s *frontSide) again() bool { return false }
func (s *recvSide) again() bool  { return true }

// goesOn tells whether a context leaves a call a chance.
func goesOn(ctx context.Context) bool { return ctx == nil || ctx.Err() == nil }

// wait tries src, which belongs to o, until it succeeds or the limit is over. The call has
// been entered.
func (r *ring) wait(op string, t *Task, o *object, src source, d time.Duration, ctx context.Context) error {
	if src.try(t) {
		return nil
	}
	switch {
	case d == 0:
		return ErrWouldBlock
	case t.unwinding:
		return ErrDeleted
	}
	t.mayBlock(op, r.name())
	b := o.body.Load()
	if b.k != t.k {
		b = o.bind(t, op, b.kind, b.self)
	}
	t.deadline, t.ctx = t.k.until(d), ctx
	return t.acquire(o, b, src)
}

// popSoon tries pop for as long as parking would cost.
func (r *ring) popSoon(t *Task, box *uint64) bool {
	return t.maySpin() && t.spinFor(r.recvSlack(), func() bool { return r.pop(box) })
}

// Where both sides run at the same time, the faster one soon comes up against the other, and
// would then follow cell by cell, both on the same cache lines: that is two to three times as
// slow as when there are some cells between them. So whoever finds a long ring full or empty
// lets the other get on for a little before it looks again. A sender can wait longer, because
// there is a ring full of items before its own; for a receiver this may be the only one.

func (r *ring) sendSlack() int { return min(len(r.cells), maxSendSlack) }
func (r *ring) recvSlack() int { return min(len(r.cells)/2, maxRecvSlack) }

const (
	maxSendSlack = 128 // pauses
	maxRecvSlack = 64
)

// maySpin tells whether t may wait at all, and where others go on meanwhile.
func (t *Task) maySpin() bool { return t.sections|t.spinlocks == 0 && !t.k.sched }

// spinFor tries again and again for as long as parking would cost, at first after some
// pauses; see package spin.
func (t *Task) spinFor(slack int, try func() bool) bool {
	if t.poll(slack, try) {
		return true
	}
	if t.k.native {
		for range spin.Yields {
			spin.Yield()
			if try() {
				return true
			}
		}
	}
	return false
}

// poll is the part of spinFor in which t keeps its processor.
func (t *Task) poll(slack int, try func() bool) bool {
	if !t.k.native {
		for n := 0; t.k.port.Spin(t, n); n++ {
			if try() {
				return true
			}
		}
		return false
	}
	polls := spin.Budget(t.own) - slack
	if polls > 0 && slack > 0 && spin.Can() {
		spin.Pause(slack)
	}
	for n := range polls {
		if n%spin.Stride == 0 && !spin.Can() {
			break
		}
		if try() {
			return true
		}
		spin.Pause(1)
	}
	return false
}

// sent and received wake the first of the other side when an item has been put in or taken
// out. Who waits there has joined its set before it tried for the last time, so one of the
// two sees the other.
func (r *ring) sent() {
	if waitersIn(r.receivers.word.Load()) > 0 {
		r.receivers.wakeFirst()
	}
}

func (r *ring) received() {
	if waitersIn(r.senders.word.Load()) > 0 {
		r.senders.wakeFirst()
	}
}

func (o *object) wakeFirst() {
	o.wake(FromTask)
	o.yieldTo()
}

func (r *ring) sentFromISR(isr *ISR)     { r.receivers.wakeFromISR(isr) }
func (r *ring) receivedFromISR(isr *ISR) { r.senders.wakeFromISR(isr) }

func (o *object) wakeFromISR(isr *ISR) {
	if waitersIn(o.word.Load()) > 0 {
		_, outranks := o.wake(FromISR)
		isr.note(outranks)
	}
}
