package rtos

import (
	"context"
	"fmt"
	"reflect"
	"time"
)

// A Queue is a line of at most so many items: tasks and interrupts send to its end or its
// front and receive from its front. [NewQueue] makes one; the zero value is misuse.
//
// Items are copied in and out. Who has to wait for an item, or for room, is woken by the
// priority that it had when it began, among equals in order of arrival; but nothing is
// handed over: a task that comes in between may be faster, and the woken one waits on.
//
// A send synchronizes before the call that receives or peeks that item. The n-th receive
// synchronizes before the (n+c)-th send returns, c being the length.
type Queue[T any] struct {
	_      noCopy
	ring   *ring
	values table[T]
	clears bool // an item that has been received must be let go for the collector
}

const (
	maxQueue = 1 << 20

	opSend      = "Queue.Send"
	opSendFront = "Queue.SendFront"
	opOverwrite = "Queue.Overwrite"
	opRecv      = "Queue.Recv"
	opPeek      = "Queue.Peek"
	opReset     = "Queue.Reset"
)

// NewQueue makes an empty queue of at most length items, with a name for reports. A length
// of less than 1 or more than 2^20 is misuse. All its room is made at once. Mirrors
// xQueueCreate.
func NewQueue[T any](name string, length int) *Queue[T] {
	if length < 1 || length > maxQueue {
		misuse("NewQueue", nil, name, fmt.Sprintf("length %d, want 1 to %d", length, maxQueue))
	}
	return newQueue[T](name, length, 0)
}

func newQueue[T any](name string, length int, turn uint64) *Queue[T] {
	return &Queue[T]{
		ring:   newRing(name, length, turn),
		values: newTable[T](length + spareBoxes),
		clears: holdsPointers(reflect.TypeFor[T]()),
	}
}

// Send sends v to the end of the queue and waits for room as long as it takes. The error
// is nil, [ErrAborted] or [ErrDeleted]. Waiting where that is forbidden is misuse.
//
// Lock-free while there is room; it blocks while the queue is full. Mirrors xQueueSend,
// xQueueSendToBack with portMAX_DELAY.
func (q *Queue[T]) Send(t *Task, v T) error {
	if q.sendNow(t, v, false, true) {
		return nil
	}
	return q.send(t, v, Forever, nil)
}

// SendFor is [Queue.Send] with a limit; 0 polls and fails with [ErrWouldBlock]. After d it
// fails with [ErrTimeout]; the queue is unchanged. Lock-free while there is room, and if it
// polls; else it blocks for d at most. Mirrors xQueueSend.
func (q *Queue[T]) SendFor(t *Task, v T, d time.Duration) error {
	if d >= 0 && q.sendNow(t, v, false, d > 0) {
		return nil
	}
	return q.send(t, v, d, nil)
}

// SendCtx is [Queue.Send] until ctx is done: then it fails with the context's cause and
// leaves the queue unchanged. A context that is done already fails even if there is room.
// Blocking.
func (q *Queue[T]) SendCtx(ctx context.Context, t *Task, v T) error {
	if goesOn(ctx) && q.sendNow(t, v, false, true) {
		return nil
	}
	return q.send(t, v, Forever, ctx)
}

// TrySend sends v to the end of the queue if there is room. Lock-free. Mirrors xQueueSend
// with a limit of 0.
func (q *Queue[T]) TrySend(t *Task, v T) bool {
	return q.sendNow(t, v, false, false) || q.send(t, v, 0, nil) == nil
}

// SendFront is [Queue.Send] to the front of the queue: v is received next.
//
// It blocks while the queue is full. It is not lock-free: what it does to the front takes
// two steps, and while it is between them other calls of SendFront, and those that receive
// or peek, have to wait for it. Mirrors xQueueSendToFront with portMAX_DELAY.
func (q *Queue[T]) SendFront(t *Task, v T) error {
	if q.sendNow(t, v, true, true) {
		return nil
	}
	return q.sendFront(t, v, Forever, nil)
}

// SendFrontFor is [Queue.SendFront] with a limit; 0 polls and fails with [ErrWouldBlock].
// After d it fails with [ErrTimeout]; the queue is unchanged. It blocks for d at most, and
// for another SendFront. Mirrors xQueueSendToFront.
func (q *Queue[T]) SendFrontFor(t *Task, v T, d time.Duration) error {
	if d >= 0 && q.sendNow(t, v, true, d > 0) {
		return nil
	}
	return q.sendFront(t, v, d, nil)
}

// SendFrontCtx is [Queue.SendFront] until ctx is done, as [Queue.SendCtx]. Blocking.
func (q *Queue[T]) SendFrontCtx(ctx context.Context, t *Task, v T) error {
	if goesOn(ctx) && q.sendNow(t, v, true, true) {
		return nil
	}
	return q.sendFront(t, v, Forever, ctx)
}

// TrySendFront sends v to the front of the queue if there is room. It blocks for the few
// steps of another SendFront only. Mirrors xQueueSendToFront with a limit of 0.
func (q *Queue[T]) TrySendFront(t *Task, v T) bool {
	return q.sendNow(t, v, true, false) || q.sendFront(t, v, 0, nil) == nil
}

// Overwrite puts v in the place of the item of a queue of length 1, or sends it if there is
// none. A longer queue is misuse. It may be called from anywhere but an interrupt, and
// never waits. Lock-free. Mirrors xQueueOverwrite.
func (q *Queue[T]) Overwrite(v T) {
	r := q.refuseZero(opOverwrite, nil)
	if waitersIn(r.receivers.word.Load()) > 0 {
		r.receivers.refuseInterrupt(opOverwrite)
	}
	q.overwrite(opOverwrite, v)
	r.sent()
}

// Recv receives the first item and waits for one as long as it takes. The error is nil,
// [ErrAborted] or [ErrDeleted]. Waiting where that is forbidden is misuse.
//
// Lock-free while there are items and no [Queue.SendFront] is under way: it has to wait for
// that. It blocks while the queue is empty. Mirrors xQueueReceive with portMAX_DELAY.
func (q *Queue[T]) Recv(t *Task) (T, error) {
	if v, ok := q.recvNow(t, true); ok {
		return v, nil
	}
	return q.recv(t, Forever, nil)
}

// RecvFor is [Queue.Recv] with a limit; 0 polls and fails with [ErrWouldBlock]. After d it
// fails with [ErrTimeout]; the queue is unchanged. Lock-free, as Recv, while there are
// items, and if it polls; else it blocks for d at most. Mirrors xQueueReceive.
func (q *Queue[T]) RecvFor(t *Task, d time.Duration) (T, error) {
	if d >= 0 {
		if v, ok := q.recvNow(t, d > 0); ok {
			return v, nil
		}
	}
	return q.recv(t, d, nil)
}

// RecvCtx is [Queue.Recv] until ctx is done: then it fails with the context's cause and
// leaves the queue unchanged. A context that is done already fails even if there are
// items. Blocking.
func (q *Queue[T]) RecvCtx(ctx context.Context, t *Task) (T, error) {
	if goesOn(ctx) {
		if v, ok := q.recvNow(t, true); ok {
			return v, nil
		}
	}
	return q.recv(t, Forever, ctx)
}

// TryRecv receives the first item if there is one. Lock-free, as [Queue.Recv]. Mirrors
// xQueueReceive with a limit of 0.
func (q *Queue[T]) TryRecv(t *Task) (T, bool) {
	if v, ok := q.recvNow(t, false); ok {
		return v, true
	}
	v, err := q.recv(t, 0, nil)
	return v, err == nil
}

// Peek returns the first item without receiving it, and waits for one as long as it takes.
// The item being still there, it wakes the first of the others that wait for one. The
// error is nil, [ErrAborted] or [ErrDeleted]. Waiting where that is forbidden is misuse.
//
// Lock-free, as [Queue.Recv], while there are items; it blocks while the queue is empty.
// Mirrors xQueuePeek with portMAX_DELAY.
func (q *Queue[T]) Peek(t *Task) (T, error) {
	if v, ok := q.peekNow(t, true); ok {
		return v, nil
	}
	return q.peek(t, Forever, nil)
}

// PeekFor is [Queue.Peek] with a limit; 0 polls and fails with [ErrWouldBlock]. After d it
// fails with [ErrTimeout]. Lock-free, as Recv, while there are items, and if it polls; else
// it blocks for d at most. Mirrors xQueuePeek.
func (q *Queue[T]) PeekFor(t *Task, d time.Duration) (T, error) {
	if d >= 0 {
		if v, ok := q.peekNow(t, d > 0); ok {
			return v, nil
		}
	}
	return q.peek(t, d, nil)
}

// PeekCtx is [Queue.Peek] until ctx is done, as [Queue.RecvCtx]. Blocking.
func (q *Queue[T]) PeekCtx(ctx context.Context, t *Task) (T, error) {
	if goesOn(ctx) {
		if v, ok := q.peekNow(t, true); ok {
			return v, nil
		}
	}
	return q.peek(t, Forever, ctx)
}

// TryPeek returns the first item without receiving it, if there is one. Lock-free, as
// [Queue.Recv]. Mirrors xQueuePeek with a limit of 0.
func (q *Queue[T]) TryPeek(t *Task) (T, bool) {
	if v, ok := q.peekNow(t, false); ok {
		return v, true
	}
	v, err := q.peek(t, 0, nil)
	return v, err == nil
}

// Reset empties the queue and wakes the first that waits for room; the others that do so
// wait on until there are receives, and who waits for an item waits on. It may be called
// from anywhere but an interrupt, and never waits.
//
// Only in a simulation is it one step. Where tasks run in parallel it receives as many
// items as there are at its start, one after the other, while others send and receive.
// Lock-free, as [Queue.Recv]. Mirrors xQueueReset.
func (q *Queue[T]) Reset() {
	r := q.refuseZero(opReset, nil)
	if waitersIn(r.senders.word.Load()) > 0 {
		r.senders.refuseInterrupt(opReset)
	}
	for range r.len() {
		if _, ok := q.popOutside(); !ok {
			break
		}
	}
	r.received()
}

// Len is the number of items: a snapshot. Lock-free. Mirrors uxQueueMessagesWaiting.
func (q *Queue[T]) Len() int { return q.refuseZero("Queue.Len", nil).len() }

// Free is the number of items that there is room for: a snapshot. Lock-free. Mirrors
// uxQueueSpacesAvailable.
func (q *Queue[T]) Free() int { return q.Cap() - q.Len() }

// Cap is the length that the queue was made with. Wait-free. Mirrors uxQueueGetQueueLength.
func (q *Queue[T]) Cap() int { return len(q.refuseZero("Queue.Cap", nil).cells) }
