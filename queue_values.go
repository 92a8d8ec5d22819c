package rtos

import (
	"context"
	"reflect"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// This file is the calls on a queue with the values that they move: a box is the caller's
// while it writes or reads there.

func (q *Queue[T]) refuseZero(op string, t *Task) *ring {
	if q.ring == nil {
		misuse(op, t, "", "zero Queue: use NewQueue")
	}
	return q.ring
}

// sendNow sends if there is room and nothing speaks against it; who is patient looks a
// few times.
func (q *Queue[T]) sendNow(t *Task, v T, front, patient bool) bool {
	r := q.ring
	if r == nil || t == nil || t.gate.Load() != 0 {
		return false
	}
	s := t.spareFor(r)
	*q.values.at(s.box) = v
	if !r.pushTo(front, &s.box) && !(patient && r.pushSoon(t, front, &s.box)) {
		q.clear(s.box)
		return false
	}
	r.sent()
	return true
}

func (q *Queue[T]) send(t *Task, v T, d time.Duration, ctx context.Context) error {
	return q.sendBy((*sendSide)(q.ring), opSend, t, v, d, ctx)
}

func (q *Queue[T]) sendFront(t *Task, v T, d time.Duration, ctx context.Context) error {
	return q.sendBy((*frontSide)(q.ring), opSendFront, t, v, d, ctx)
}

func (q *Queue[T]) sendBy(side source, op string, t *Task, v T, d time.Duration, ctx context.Context) error {
	r := q.refuseZero(op, t)
	if err := t.enter(op, r.name(), d, ctx); err != nil {
		return err
	}
	s := t.spareFor(r)
	*q.values.at(s.box) = v
	sent := false
	defer func() { // also when t is unwound
		if !sent {
			q.clear(s.box)
		}
	}()
	if err := r.wait(op, t, &r.senders, side, d, ctx); err != nil {
		return err
	}
	sent = true
	r.sent()
	return nil
}

// recvNow receives as sendNow sends.
func (q *Queue[T]) recvNow(t *Task, patient bool) (v T, ok bool) {
	r := q.ring
	if r == nil || t == nil || t.gate.Load() != 0 {
		return v, false
	}
	s := t.spareFor(r)
	if !r.pop(&s.box) && !(patient && r.popSoon(t, &s.box)) {
		return v, false
	}
	v = q.take(s)
	r.received()
	return v, true
}

func (q *Queue[T]) recv(t *Task, d time.Duration, ctx context.Context) (v T, err error) {
	r := q.refuseZero(opRecv, t)
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

// take reads the item that has been received into the spare.
func (q *Queue[T]) take(s *spare) T {
	v := *q.values.at(s.box)
	if q.ring.unused(s.box) {
		q.clear(s.box)
	} else {
		*s = spare{}
	}
	return v
}

// peekSide is what a task that peeks waits for.
type peekSide[T any] Queue[T]

func (s *peekSide[T]) try(t *Task) (ok bool) {
	t.pinned, ok = (*Queue[T])(s).pin()
	return ok
}

func (s *peekSide[T]) hasSome() bool { return !s.ring.isEmpty() }
func (s *peekSide[T]) again() bool   { return true }

// peekNow peeks as sendNow sends.
func (q *Queue[T]) peekNow(t *Task, patient bool) (v T, ok bool) {
	r := q.ring
	if r == nil || t == nil || t.gate.Load() != 0 {
		return v, false
	}
	box, ok := q.pin()
	if !ok && patient && t.maySpin() {
		ok = t.spinFor(0, func() bool {
			box, ok = q.pin()
			return ok
		})
	}
	if !ok {
		return v, false
	}
	v = q.look(box)
	r.sent() // the item is still there
	return v, true
}

func (q *Queue[T]) peek(t *Task, d time.Duration, ctx context.Context) (v T, err error) {
	r := q.refuseZero(opPeek, t)
	if err := t.enter(opPeek, r.name(), d, ctx); err != nil {
		return v, err
	}
	if err := r.wait(opPeek, t, &r.receivers, (*peekSide[T])(q), d, ctx); err != nil {
		return v, err
	}
	v = q.look(t.pinned)
	r.sent()
	return v, nil
}

// pin finds the first item and keeps its box from being used for anything else, until look.
// Lock-free as pop.
func (q *Queue[T]) pin() (box uint64, ok bool) {
	for {
		c, w, found := q.ring.first()
		if !found {
			return 0, false
		}
		if q.hold(c, w) {
			return w & boxMask, true
		}
	}
}

// hold pins the box of the cell c that has said w, if it still does.
func (q *Queue[T]) hold(c *atomic.Uint64, w uint64) bool {
	box := w & boxMask
	q.ring.states.at(box).users.Add(1)
	if c.Load() == w {
		return true
	}
	q.unpin(box)
	return false
}

// look reads a pinned box and unpins it.
func (q *Queue[T]) look(box uint64) T {
	v := *q.values.at(box)
	q.unpin(box)
	return v
}

func (q *Queue[T]) unpin(box uint64) {
	if q.ring.unpin(box) {
		q.release(box)
	}
}

// release returns a box to the pool that is the caller's.
func (q *Queue[T]) release(box uint64) {
	q.clear(box)
	q.ring.freeBox(box)
}

// clear lets the value in a box go, for the collector. Where there is nothing to let go it
// spares the cache line.
func (q *Queue[T]) clear(box uint64) {
	if q.clears {
		var zero T
		*q.values.at(box) = zero
	}
}

// Who is no task takes a box from the pool and returns one.

func (q *Queue[T]) pushOutside(v T, front bool) (ok bool) {
	r := q.ring
	box := r.newBox()
	*q.values.at(box) = v
	if ok = r.pushTo(front, &box); !ok {
		q.clear(box)
	}
	r.freeBox(box)
	return ok
}

func (q *Queue[T]) popOutside() (v T, ok bool) {
	box := q.ring.newBox()
	if !q.ring.pop(&box) {
		q.ring.freeBox(box)
		return v, false
	}
	v = *q.values.at(box)
	if q.ring.unused(box) {
		q.release(box)
	}
	return v, true
}

func (q *Queue[T]) overwrite(op string, v T) {
	r := q.ring
	if !r.single() {
		misuse(op, nil, r.name(), "the queue is longer than 1")
	}
	box := r.newBox()
	*q.values.at(box) = v
	for {
		if r.replace(&box) {
			if r.unused(box) {
				q.release(box)
			}
			return
		}
		if r.push(&box) {
			r.freeBox(box)
			return
		}
	}
}

// holdsPointers tells whether values of the type can keep anything from being collected.
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
