package rtos

import (
	"context"
	"time"

	"github.com/tickwake/rtos/internal/spin"
)

// This file is how tasks wait for a queue. What a task sends or has received lies in the
// slot of its spare for the ring: a try exchanges that slot, so its outcome needs no other
// place, and the waiting protocol knows nothing of values.

const (
	kindRecv = "message in queue" // what the task waits for, in reports
	kindSend = "space in queue"
)

// The sides of a ring are what tasks wait for.
type (
	sendSide  ring
	frontSide ring
	recvSide  ring
)

var _, _, _ source = (*sendSide)(nil), (*frontSide)(nil), (*recvSide)(nil)

func (s *sendSide) try(t *Task) bool  { r := (*ring)(s); return r.push(&t.spareFor(r).slot) }
func (s *frontSide) try(t *Task) bool { r := (*ring)(s); return r.pushFront(&t.spareFor(r).slot) }
func (s *recvSide) try(t *Task) bool  { r := (*ring)(s); return r.pop(&t.spareFor(r).slot) }

func (s *sendSide) hasSome() bool  { return !(*ring)(s).isFull() }
func (s *frontSide) hasSome() bool { return !(*ring)(s).isFull() }
func (s *recvSide) hasSome() bool  { return !(*ring)(s).isEmpty() }

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
	if !t.k.sched && r.spin(t, src) {
		return nil
	}
	b := o.body.Load()
	if b.k != t.k {
		b = o.bind(t, op, b.kind, b.self)
	}
	t.deadline, t.ctx = t.k.until(d), ctx
	return t.acquire(o, b, src)
}

// spin polls for as long as parking would cost; see package spin.
func (r *ring) spin(t *Task, src source) bool {
	if !t.k.native {
		for n := 0; t.k.port.Spin(t, n); n++ {
			if src.try(t) {
				return true
			}
		}
		return false
	}
	for n := range spin.Budget(t.own) {
		if n%spin.Stride == 0 && !spin.Can() {
			break
		}
		if src.try(t) {
			return true
		}
		spin.Pause(1)
	}
	for range spin.Yields {
		spin.Yield()
		if src.try(t) {
			return true
		}
	}
	return false
}

// sent and received wake the first of the other side after an item has been put in or
// taken out. The other side joins its set before it tries for the last time, so one of the
// two sees the other.
func (r *ring) sent()     { r.wakeFrom(&r.receivers) }
func (r *ring) received() { r.wakeFrom(&r.senders) }

func (r *ring) wakeFrom(o *object) {
	if waitersIn(o.word.Load()) > 0 {
		o.wake(FromTask)
		o.yieldTo()
	}
}

func (r *ring) sentFromISR(isr *ISR)     { isr.wakeFrom(&r.receivers) }
func (r *ring) receivedFromISR(isr *ISR) { isr.wakeFrom(&r.senders) }

func (isr *ISR) wakeFrom(o *object) {
	if waitersIn(o.word.Load()) > 0 {
		_, outranks := o.wake(FromISR)
		isr.note(outranks)
	}
}
