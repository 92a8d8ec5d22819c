package rtos

import (
	"context"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

const (
	opNotifyTake = "Task.NotifyTake"
	opNotifyWait = "Task.NotifyWait"
)

// notifyCall is one take or wait.
type notifyCall struct {
	op          string
	slot        int
	take, clear bool
	spun        bool // has spun already
	entry, exit uint32
}

// there tells whether slot value s ends the call.
func (c *notifyCall) there(s uint64) bool {
	if c.take {
		return slotValue(s) != 0
	}
	return s&slotState == slotReceived
}

// finish ends the call if the thing is there, or in any case if always is set: the
// slot waits no more, and what it says is the result.
func (c *notifyCall) finish(s *atomic.Uint64, always bool) (value uint32, ok bool) {
	for {
		old := s.Load()
		value, ok = slotValue(old), c.there(old)
		left := value
		switch {
		case !ok && !always:
			return value, false
		case ok && c.take && c.clear:
			left = 0
		case ok && c.take:
			left--
		case ok:
			left &^= c.exit
		}
		if s.CompareAndSwap(old, packSlot(left, 0, slotNone)) {
			return value, ok || c.take && old&slotState == slotReceived
		}
	}
}

// begin makes the slot wait in the given epoch, unless the thing is there.
func (c *notifyCall) begin(s *atomic.Uint64, epoch uint64) bool {
	for {
		old := s.Load()
		if c.there(old) {
			return false
		}
		if s.CompareAndSwap(old, packSlot(slotValue(old)&^c.entry, epoch, slotWaiting)) {
			return true
		}
	}
}

func (t *Task) notifyWait(c notifyCall, d time.Duration, ctx context.Context) (uint32, error) {
	if t == nil {
		misuse(c.op, nil, "", "nil task")
	}
	s := t.notifySlot(c.op, c.slot)
	if err := t.enter(c.op, "", d, ctx); err != nil {
		return 0, err
	}
	if v, ok := c.finish(s, false); ok {
		return v, nil
	}
	switch {
	case d == 0:
		if t.k.cfg.Compat&CompatPollClears != 0 && !c.take {
			t.NotifyValueClear(c.slot, c.entry)
		}
		v, ok := c.finish(s, true) // a give may have come since
		if ok {
			return v, nil
		}
		return v, ErrWouldBlock
	case t.unwinding:
		return 0, ErrDeleted
	}
	t.mayBlock(c.op, "")
	if !t.k.sched && !c.spun {
		if v, ok := c.spin(t, s); ok {
			return v, nil
		}
	}
	t.deadline, t.ctx, t.abortMark = t.k.until(d), ctx, false
	word := t.publish(nil, 0)
	for !c.begin(s, word>>stateBits) {
		if v, ok := c.finish(s, false); ok {
			t.unpublish(word)
			t.ctx = nil
			return v, nil
		} // it was taken back meanwhile
	}
	why := stAsked
	if t.gate.Load()&(askSuspend|askEnd) == 0 {
		defer t.endNotifyWait(word) // if t is unwound
		why = t.sleep(word)
	}
	if g := t.gate.Load() & (askSuspend | askEnd); g != 0 && !(t.adopted && g&askEnd != 0) {
		t.unpublish(word)
		t.stopNotifyWait(word)
		if err := t.heed(); err != nil {
			t.ctx = nil
			return 0, err
		}
	}
	v, ok := c.finish(s, true)
	t.unpublish(word)
	cause := t.ctx
	t.ctx = nil
	switch {
	case ok:
		return v, nil
	case why == stTimedOut:
		return v, ErrTimeout
	case why == stCancelled:
		return v, context.Cause(cause)
	case t.adopted && t.gate.Load()&askEnd != 0:
		return v, ErrDeleted
	}
	return v, ErrAborted
}

// endNotifyWait leaves no slot waiting when the call is left by unwinding, which has made
// the wait word idle.
func (t *Task) endNotifyWait(word uint64) {
	if t.unwinding {
		t.stopNotifyWait(word)
		t.ctx = nil
	}
}

// stopNotifyWait makes the slot that waits in the wait of this word say nothing. In a
// simulation any slot that waits: the task may have left that wait and not have run.
func (t *Task) stopNotifyWait(word uint64) {
	for i := range t.numSlots() {
		s := t.slotAt(i)
		for {
			old := s.Load()
			if old&slotState != slotWaiting || !t.k.sched && old>>2&epochMask != word>>stateBits&epochMask ||
				s.CompareAndSwap(old, packSlot(slotValue(old), 0, slotNone)) {
				break
			}
		}
	}
}
