package rtos

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// This file is task notifications (model/notify.pml). A slot is one word:
//
//	bits 32-63  value, so that an increment wraps by itself
//	bits  2-31  epoch of the wait that the slot waits in, also once something was received
//	bits  0-1   state
//
// A give changes the slot and, if the epoch says that a call waits in it, swaps exactly that
// wait to woken: a late giver misses, and one that stops in between is helped by the next.
// The slot alone decides what a take reports: limit and abort are only why it looked.
const (
	slotNone     = 0 // nothing
	slotWaiting  = 1 // a task waits in it
	slotReceived = 2 // a notification is pending
	slotClosed   = 3 // the task has ended

	slotState  = 3
	valueShift = 32
	epochMask  = 1<<30 - 1
)

func slotValue(s uint64) uint32 { return uint32(s >> valueShift) }

func packSlot(value uint32, epoch, state uint64) uint64 {
	return uint64(value)<<valueShift | epoch&epochMask<<2 | state
}

func (t *Task) numSlots() int { return 1 + len(t.more) }

func (t *Task) slotAt(i int) *atomic.Uint64 {
	if i == 0 {
		return &t.slot0
	}
	return &t.more[i-1]
}

// An Action is what a notification does to the value of its slot.
type Action uint8

// The actions, as FreeRTOS's eNotifyAction.
const (
	NoAction   Action = iota // the value stays
	SetBits                  // value |= v
	Increment                // value++, wraps at 2^32; v is ignored
	Overwrite                // value = v
	SetIfClear               // value = v unless a notification is pending: then ErrPending
)

// A NotifyState is the state of a slot.
type NotifyState uint8

// The states of a slot.
const (
	NotifyNone     NotifyState = slotNone
	NotifyWaiting  NotifyState = slotWaiting
	NotifyReceived NotifyState = slotReceived
)

// NotifyGive increments the value of t's slot 0 and wakes t if it waits there: a
// counting semaphore that belongs to one task. From any task or goroutine; use
// [Task.NotifyGiveFromISR] in an interrupt. [ErrDeleted]: t has ended, nothing was
// changed.
//
// Lock-free: one swap, tried again only if another one succeeded. It never waits and
// never allocates. It synchronizes before the take or wait that reports it. Mirrors
// xTaskNotifyGive.
func (t *Task) NotifyGive() error {
	// An empty slot is the usual case. To swap without looking first moves the cache
	// line once instead of twice.
	if t != nil && t.slot0.CompareAndSwap(0, 1<<valueShift|slotReceived) {
		return nil
	}
	return t.NotifyGiveAt(0)
}

// NotifyGiveAt is [Task.NotifyGive] on slot i. Lock-free. Mirrors
// xTaskNotifyGiveIndexed.
func (t *Task) NotifyGiveAt(i int) error {
	_, err := t.notify(i, 0, Increment, nil)
	return err
}

// Notify does an action with v to slot 0 and marks a notification as pending, even if
// SetIfClear is refused: see [Task.NotifyGive] for the rest. [ErrPending]: refused, the
// value is unchanged. Lock-free. Mirrors xTaskNotify.
func (t *Task) Notify(v uint32, a Action) error {
	_, err := t.notify(0, v, a, nil)
	return err
}

// NotifyAt is [Task.Notify] on slot i. Lock-free. Mirrors xTaskNotifyIndexed.
func (t *Task) NotifyAt(i int, v uint32, a Action) error {
	_, err := t.notify(i, v, a, nil)
	return err
}

// NotifyQuery is [Task.Notify] and also tells the value before the action, even when
// that is refused. Lock-free. Mirrors xTaskNotifyAndQuery.
func (t *Task) NotifyQuery(v uint32, a Action) (prev uint32, err error) {
	return t.notify(0, v, a, nil)
}

// NotifyQueryAt is [Task.NotifyQuery] on slot i. Lock-free. Mirrors
// xTaskNotifyAndQueryIndexed.
func (t *Task) NotifyQueryAt(i int, v uint32, a Action) (prev uint32, err error) {
	return t.notify(i, v, a, nil)
}

func (t *Task) notifySlot(op string, i int) *atomic.Uint64 {
	t.refuseNil(op)
	if i < 0 || i >= t.numSlots() {
		misuse(op, nil, t.name, fmt.Sprintf("notification slot %d out of range 0 to %d", i, t.numSlots()-1))
	}
	return t.slotAt(i)
}

// notify is every give, from an interrupt if isr is not nil. Lock-free: the loop goes
// round only if another one changed the slot.
func (t *Task) notify(i int, v uint32, a Action, isr *ISR) (prev uint32, err error) {
	s := t.notifySlot("Task.Notify", i)
	k := t.k
	if isr == nil && k.sched && k.traits.InInterrupt() {
		misuse("Task.Notify", nil, t.name, "called in an interrupt: use the FromISR form")
	}
	for {
		old := s.Load()
		value := slotValue(old)
		prev, err = value, nil
		switch {
		case old&slotState == slotClosed:
			return prev, ErrDeleted
		case a == NoAction:
		case a == SetBits:
			value |= v
		case a == Increment:
			value++
		case a == Overwrite:
			value = v
		case a != SetIfClear:
			misuse("Task.Notify", nil, t.name, fmt.Sprintf("action %d is none of the five", a))
		case old&slotState == slotReceived:
			return prev, ErrPending
		default:
			value = v
		}
		epoch := old >> 2 & epochMask
		if !s.CompareAndSwap(old, packSlot(value, epoch, slotReceived)) {
			continue
		}
		if old&slotState == slotWaiting || epoch != 0 && !k.sched {
			t.wakeNotified(epoch, isr)
		}
		return prev, err
	}
}

// wakeNotified ends the wait with this epoch. In a simulation the task may have been
// readied already by its limit or an abort, and not have run yet: then it goes to the
// back of its level.
func (t *Task) wakeNotified(epoch uint64, isr *ISR) {
	k := t.k
	word := t.w.word.Load()
	woken := stateOf(word) == stWaiting && word>>stateBits&epochMask == epoch &&
		t.w.word.CompareAndSwap(word, withState(word, stWoken))
	if !woken && !k.sched {
		return
	}
	if isr != nil {
		isr.note(k.port.Ready(t, FromISR))
		return
	}
	k.port.Ready(t, FromTask)
	if k.sched {
		k.port.Switch(nil, Woke)
	}
}

// NotifyTake takes from slot 0: it waits while the value is 0, then returns the value
// as it was and sets it to 0 (clear) or one less. d is the limit: 0 polls and fails
// with [ErrWouldBlock]; [Forever] never ends. A notification that left the value at
// 0 ends the wait with 0 and a nil error. [ErrTimeout] and [ErrAborted] come with 0.
// Called by t itself. Waiting where that is forbidden is misuse.
//
// Lock-free while the value is not 0; it blocks while it is. Mirrors
// ulTaskNotifyTake.
func (t *Task) NotifyTake(clear bool, d time.Duration) (uint32, error) {
	if t != nil && t.gate.Load() == 0 && d >= 0 {
		old := t.slot0.Load()
		if v := old >> valueShift; v != 0 {
			left := uint64(0)
			if !clear {
				left = (v - 1) << valueShift
			}
			if t.slot0.CompareAndSwap(old, left|slotNone) {
				return uint32(v), nil
			}
		}
	}
	return t.notifyTakeSlow(clear, d)
}

// notifyTakeSlow spins before it does anything else: what it does afterwards is then
// done while the task would only wait, and what it finds it returns at once.
func (t *Task) notifyTakeSlow(clear bool, d time.Duration) (uint32, error) {
	c := notifyCall{op: opNotifyTake, take: true, clear: clear}
	if t != nil && t.k.native && d > 0 && t.gate.Load() == 0 {
		if v, ok := c.spin(t, &t.slot0); ok {
			return v, nil
		}
		c.spun = true
	}
	return t.notifyWait(c, d, nil)
}

// NotifyTakeAt is [Task.NotifyTake] on slot i. Lock-free if there is something to take;
// else it blocks. Mirrors ulTaskNotifyTakeIndexed.
func (t *Task) NotifyTakeAt(i int, clear bool, d time.Duration) (uint32, error) {
	return t.notifyWait(notifyCall{op: opNotifyTake, slot: i, take: true, clear: clear}, d, nil)
}

// NotifyTakeCtx is [Task.NotifyTake] until ctx is done. Lock-free if there is something
// to take; else it blocks.
func (t *Task) NotifyTakeCtx(ctx context.Context, clear bool) (uint32, error) {
	return t.NotifyTakeAtCtx(ctx, 0, clear)
}

// NotifyTakeAtCtx is [Task.NotifyTakeAt] until ctx is done: then it fails with the
// context's cause. A context that is done already fails at once. Lock-free if there is
// something to take; else it blocks.
func (t *Task) NotifyTakeAtCtx(ctx context.Context, i int, clear bool) (uint32, error) {
	return t.notifyWait(notifyCall{op: opNotifyTake, slot: i, take: true, clear: clear}, Forever, ctx)
}

// NotifyWait says what [Task.NotifyWait] waits for.
type NotifyWait struct {
	Slot         int    // the notification slot
	ClearOnEntry uint32 // bits cleared when the wait really begins
	ClearOnExit  uint32 // bits cleared when a notification is reported
}

// NotifyWait waits until a notification is pending in the slot, whatever its value, and
// returns the value before the exit bits are cleared. If one is pending already the
// entry bits are not cleared, nor if d is 0. If none came it returns the value as it
// is, with the reason: see [Task.NotifyTake]. Called by t itself. Lock-free if one is
// pending, and if it polls; else it blocks. Mirrors xTaskNotifyWaitIndexed.
func (t *Task) NotifyWait(o NotifyWait, d time.Duration) (uint32, error) {
	return t.notifyWait(notifyCall{op: opNotifyWait, slot: o.Slot, entry: o.ClearOnEntry, exit: o.ClearOnExit}, d, nil)
}

// NotifyWaitCtx is [Task.NotifyWait] until ctx is done: then it fails with the
// context's cause. A context that is done already fails at once. Lock-free if there is
// something to take; else it blocks.
func (t *Task) NotifyWaitCtx(ctx context.Context, o NotifyWait) (uint32, error) {
	return t.notifyWait(notifyCall{op: opNotifyWait, slot: o.Slot, entry: o.ClearOnEntry, exit: o.ClearOnExit}, Forever, ctx)
}

func (t *Task) closeSlot(i int) {
	s := t.slotAt(i)
	for {
		old := s.Load()
		if s.CompareAndSwap(old, packSlot(slotValue(old), 0, slotClosed)) {
			return
		}
	}
}

// NotifyStateClear makes slot i forget a pending notification and reports whether there
// was one; the value stays. From anywhere. Lock-free. Mirrors
// xTaskNotifyStateClearIndexed.
func (t *Task) NotifyStateClear(i int) bool {
	s := t.notifySlot("Task.NotifyStateClear", i)
	for {
		old := s.Load()
		if old&slotState != slotReceived {
			return false
		}
		if s.CompareAndSwap(old, packSlot(slotValue(old), 0, slotNone)) {
			return true
		}
	}
}

// NotifyValueClear clears bits in the value of slot i and returns the value before;
// with no bits it is a query. From anywhere. Lock-free. Mirrors
// ulTaskNotifyValueClearIndexed.
func (t *Task) NotifyValueClear(i int, bits uint32) uint32 {
	s := t.notifySlot("Task.NotifyValueClear", i)
	for {
		old := s.Load()
		if s.CompareAndSwap(old, old&^(uint64(bits)<<valueShift)) {
			return slotValue(old)
		}
	}
}

// NotifyPending tells whether a notification is pending in slot i. From anywhere.
// Wait-free.
func (t *Task) NotifyPending(i int) bool {
	return t.notifySlot("Task.NotifyPending", i).Load()&slotState == slotReceived
}
