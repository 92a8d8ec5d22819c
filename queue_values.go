package rtos

import (
	"context"
	"reflect"
	"time"
)

// This file is the calls on a queue with the values that they move: a slot belongs to the
// caller while it writes or reads there.

func (q *Queue[T]) entered(op string) *ring {
	if q.ring == nil {
		misuse(op, nil, "", "zero Queue: use NewQueue")
	}
	return q.ring
}

// sendNow sends if nothing speaks against it: there is room, and no request to t.
func (q *Queue[T]) sendNow(t *Task, v T) bool {
	r := q.ring
	if r == nil || t == nil || t.gate.Load() != 0 {
		return false
	}
	s := t.spareFor(r)
	*q.values.at(s.slot) = v
	if !r.push(&s.slot) {
		q.clear(s.slot)
		return false
	}
	r.sent()
	return true
}

func (q *Queue[T]) send(op string, t *Task, v T, d time.Duration, ctx context.Context) error {
	return q.sendBy((*sendSide)(q.ring), op, t, v, d, ctx)
}

func (q *Queue[T]) sendFront(t *Task, v T, d time.Duration, ctx context.Context) error {
	return q.sendBy((*frontSide)(q.ring), opSendFront, t, v, d, ctx)
}

func (q *Queue[T]) sendBy(side source, op string, t *Task, v T, d time.Duration, ctx context.Context) error {
	r := q.ring
	if r == nil {
		misuse(op, t, "", "zero Queue: use NewQueue")
	}
	if err := t.enter(op, r.name(), d, ctx); err != nil {
		return err
	}
	s := t.spareFor(r)
	*q.values.at(s.slot) = v
	sent := false
	defer func() { // also when t is unwound
		if !sent {
			q.clear(s.slot)
		}
	}()
	if err := r.wait(op, t, &r.senders, side, d, ctx); err != nil {
		return err
	}
	sent = true
	r.sent()
	return nil
}

func (q *Queue[T]) recvNow(t *Task) (v T, ok bool) {
	r := q.ring
	if r == nil || t == nil || t.gate.Load() != 0 {
		return v, false
	}
	s := t.spareFor(r)
	if !r.pop(&s.slot) {
		return v, false
	}
	v = q.take(s)
	r.received()
	return v, true
}

func (q *Queue[T]) recv(t *Task, d time.Duration, ctx context.Context) (v T, err error) {
	r := q.ring
	if r == nil {
		misuse(opRecv, t, "", "zero Queue: use NewQueue")
	}
	if err := t.enter(opRecv, r.name(), d, ctx); err != nil {
		return v, err
	}
	if err := r.wait(opRecv, t, &r.receivers, (*recvSide)(r), d, ctx); err != nil {
		return v, err
	}
	v = q.take(t.spareFor(r))
	r.received()
	return v, nil
}

// take reads the item that has been received into s.
func (q *Queue[T]) take(s *spare) (v T) {
	v = *q.values.at(s.slot)
	if q.ring.unused(s.slot) {
		q.clear(s.slot)
	} else {
		*s = spare{}
	}
	return v
}

func (q *Queue[T]) clear(slot uint64) {
	if q.clears {
		var zero T
		*q.values.at(slot) = zero
	}
}

// peekSide is what a task that peeks waits for.
type peekSide[T any] Queue[T]

func (s *peekSide[T]) try(t *Task) (ok bool) {
	t.pinned, ok = (*Queue[T])(s).pin()
	return ok
}

func (s *peekSide[T]) hasSome() bool { return !s.ring.isEmpty() }

func (q *Queue[T]) peek(t *Task, d time.Duration, ctx context.Context) (v T, err error) {
	r := q.ring
	if r == nil {
		misuse(opPeek, t, "", "zero Queue: use NewQueue")
	}
	if err := t.enter(opPeek, r.name(), d, ctx); err != nil {
		return v, err
	}
	if err := r.wait(opPeek, t, &r.receivers, (*peekSide[T])(q), d, ctx); err != nil {
		return v, err
	}
	v = q.look(t.pinned)
	r.sent() // the item is still there
	return v, nil
}

func (q *Queue[T]) pin() (slot uint64, ok bool) {
	for {
		slot, found := q.ring.pin()
		if found != isLeft {
			return slot, found == isPinned
		}
		q.release(slot)
	}
}

// look reads a pinned slot and unpins it.
func (q *Queue[T]) look(slot uint64) T {
	v := *q.values.at(slot)
	if q.ring.unpin(slot) {
		q.release(slot)
	}
	return v
}

// release returns a slot to the pool that the caller owns.
func (q *Queue[T]) release(slot uint64) {
	q.clear(slot)
	q.ring.freeSlot(slot)
}

// The calls of those who are no task take a slot from the pool and return one.

func (q *Queue[T]) pushOutside(v T, push func(r *ring, slot *uint64) bool) bool {
	slot := q.ring.newSlot()
	*q.values.at(slot) = v
	ok := push(q.ring, &slot)
	if !ok {
		q.clear(slot)
	}
	q.ring.freeSlot(slot)
	return ok
}

func (q *Queue[T]) popOutside() (v T, ok bool) {
	slot := q.ring.newSlot()
	if !q.ring.pop(&slot) {
		q.ring.freeSlot(slot)
		return v, false
	}
	v = *q.values.at(slot)
	if q.ring.unused(slot) {
		q.release(slot)
	}
	return v, true
}

func (q *Queue[T]) overwrite(op string, v T) {
	r := q.ring
	if len(r.cells) != 1 {
		misuse(op, nil, r.name(), "the queue is longer than 1")
	}
	slot := r.newSlot()
	*q.values.at(slot) = v
	for {
		if r.replace(&slot) {
			if r.unused(slot) {
				q.release(slot)
			}
			return
		}
		if r.push(&slot) {
			r.freeSlot(slot)
			return
		}
	}
}

// holdsPointers tells whether values of the type keep anything from being collected.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.String, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface,
		reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	}
	return false
}
