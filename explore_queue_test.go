//go:build explore

package rtos

import (
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// What a queue does must look as if every call were one step at some moment between its
// beginning and its end. A history of the calls is judged by a plain list.

type queueCall struct {
	op string // send, front, recv, peek, overwrite
	v  int    // to send
	n  int    // capacity
}

type queueResult struct {
	v  int
	ok bool
}

var queueModel = porcupine.Model{
	Init:  func() any { return []int(nil) },
	Step:  func(s, in, out any) (bool, any) { return queueStep(s.([]int), in.(queueCall), out.(queueResult)) },
	Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
}

func queueStep(s []int, in queueCall, out queueResult) (bool, []int) {
	switch in.op {
	case "send", "front":
		switch {
		case len(s) == in.n:
			return !out.ok, s
		case in.op == "front":
			return out.ok, append([]int{in.v}, s...)
		}
		return out.ok, append(slices.Clone(s), in.v)
	case "overwrite":
		return out.ok, []int{in.v}
	}
	switch {
	case len(s) == 0:
		return !out.ok, s
	case !out.ok || out.v != s[0]:
		return false, s
	case in.op == "recv":
		return true, s[1:]
	}
	return true, s
}

// queueBench is a queue whose calls are recorded.
type queueBench struct {
	x   *bench
	q   *Queue[int]
	ops []porcupine.Operation
}

func (x *bench) queue(n int) *queueBench {
	b := &queueBench{x: x, q: NewQueue[int]("q", n)}
	x.objects = append(x.objects, &b.q.ring.senders, &b.q.ring.receivers)
	x.w.Check(func() error {
		if !porcupine.CheckOperations(queueModel, b.ops) {
			return fmt.Errorf("no order of these calls explains their results: %+v", b.ops)
		}
		return b.lengthIsExact()
	})
	return b
}

// lengthIsExact takes out what is there at rest. Who is frozen may have moved nothing yet.
func (b *queueBench) lengthIsExact() error {
	if b.x.w.Halted() {
		return nil
	}
	told, found := b.q.Len(), 0
	for _, ok := b.q.popOutside(); ok; _, ok = b.q.popOutside() {
		found++
	}
	if told != found {
		return fmt.Errorf("the length is %d, and %d is told", found, told)
	}
	return nil
}

func (b *queueBench) do(t *Task, in queueCall, f func() (int, bool)) {
	in.n = b.q.Cap()
	begin := b.x.w.Steps()
	v, ok := f()
	b.ops = append(b.ops, porcupine.Operation{
		ClientId: t.slot, Input: in, Call: int64(2*begin + 1), Output: queueResult{v, ok}, Return: int64(2 * b.x.w.Steps()),
	})
}

func (b *queueBench) send(t *Task, v int) {
	b.do(t, queueCall{op: "send", v: v}, func() (int, bool) { return 0, b.x.must(b.q.Send(t, v)) })
}

func (b *queueBench) sendFor(t *Task, v int) {
	b.outcome(t, queueCall{op: "send", v: v}, func() (int, error) { return 0, b.q.SendFor(t, v, time.Second) })
}

func (b *queueBench) trySend(t *Task, v int) {
	b.do(t, queueCall{op: "send", v: v}, func() (int, bool) { return 0, b.q.TrySend(t, v) })
}

func (b *queueBench) front(t *Task, v int) {
	b.do(t, queueCall{op: "front", v: v}, func() (int, bool) { return 0, b.x.must(b.q.SendFront(t, v)) })
}

func (b *queueBench) overwrite(t *Task, v int) {
	b.do(t, queueCall{op: "overwrite", v: v}, func() (int, bool) { b.q.Overwrite(v); return 0, true })
}

func (b *queueBench) recv(t *Task) {
	b.do(t, queueCall{op: "recv"}, func() (int, bool) {
		v, err := b.q.Recv(t)
		return v, b.x.must(err)
	})
}

func (b *queueBench) recvFor(t *Task) {
	b.outcome(t, queueCall{op: "recv"}, func() (int, error) { return b.q.RecvFor(t, time.Second) })
}

// outcome is do for a call with a limit. One that fails is not noted: whether the queue was
// empty or full at its end depends on the clock, of which the list knows nothing.
func (b *queueBench) outcome(t *Task, in queueCall, f func() (int, error)) {
	before := len(b.ops)
	var err error
	b.do(t, in, func() (int, bool) {
		var v int
		v, err = f()
		before = len(b.ops)
		return v, b.x.must(err, nil, ErrTimeout)
	})
	if err != nil {
		b.ops = slices.Delete(b.ops, before, before+1)
	}
}

func (b *queueBench) tryRecv(t *Task) {
	b.do(t, queueCall{op: "recv"}, func() (int, bool) { return b.q.TryRecv(t) })
}

func (b *queueBench) peek(t *Task) {
	b.do(t, queueCall{op: "peek"}, func() (int, bool) {
		v, err := b.q.Peek(t)
		return v, b.x.must(err)
	})
}

var queueBodies = []body{
	{name: "queue/one to one", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("sender", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3) })
		x.task("receiver", low, func(t *Task) { b.recv(t); b.recv(t); b.recv(t) })
	}},
	{name: "queue/one to one, longer", preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("sender", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3) })
		x.task("receiver", high, func(t *Task) { b.recv(t); b.recv(t); b.recv(t) })
	}},
	{name: "queue/two senders", preempt: 2, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.send(t, 1); b.send(t, 2) })
		x.task("b", middle, func(t *Task) { b.send(t, 3); b.send(t, 4) })
		x.task("receiver", high, func(t *Task) { b.recv(t); b.recv(t); b.recv(t); b.recv(t) })
	}},
	{name: "queue/two receivers", preempt: 2, build: func(x *bench) {
		b := x.queue(2)
		x.task("sender", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3); b.send(t, 4) })
		x.task("a", middle, func(t *Task) { b.recv(t); b.recv(t) })
		x.task("b", high, func(t *Task) { b.recv(t); b.recv(t) })
	}},
	{name: "queue/polls", preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.trySend(t, 1); b.tryRecv(t); b.trySend(t, 2) })
		x.task("b", low, func(t *Task) { b.trySend(t, 3); b.tryRecv(t); b.tryRecv(t) })
		x.task("c", low, func(t *Task) { b.trySend(t, 4) })
	}},
	{name: "queue/front", preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.trySend(t, 1); b.trySend(t, 2) })
		x.task("b", low, func(t *Task) { b.front(t, 3) })
		x.task("c", low, func(t *Task) { b.tryRecv(t) })
		x.task("d", low, func(t *Task) { b.recv(t) })
	}},
	{name: "queue/two fronts", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.task("a", low, func(t *Task) { b.front(t, 1); b.tryRecv(t) })
		x.task("b", low, func(t *Task) { b.front(t, 2); b.tryRecv(t) })
		x.task("c", low, func(t *Task) { b.send(t, 3) })
	}},
	{name: "queue/overwrite", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.overwrite(t, 1); b.overwrite(t, 2) })
		x.task("b", low, func(t *Task) { b.recv(t); b.tryRecv(t) })
		x.task("c", low, func(t *Task) { b.trySend(t, 3) })
	}},
	{name: "queue/peek", preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("sender", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3) })
		x.task("peeker", high, func(t *Task) { b.peek(t) })
		x.task("receiver", low, func(t *Task) { b.recv(t); b.recv(t) })
	}},
	{name: "queue/peek and front", preempt: 2, build: func(x *bench) {
		b := x.queue(2)
		x.task("sender", low, func(t *Task) { b.send(t, 1); b.front(t, 2) })
		x.task("peeker", high, func(t *Task) { b.peek(t) })
		x.task("receiver", low, func(t *Task) { b.tryRecv(t) })
	}},
	{name: "queue/limit of a receiver", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("limited", high, func(t *Task) { b.recvFor(t) })
		x.task("sender", low, func(t *Task) { b.trySend(t, 1) })
		x.task("receiver", low, func(t *Task) { b.tryRecv(t) })
	}},
	{name: "queue/limit of a sender", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("full", low, func(t *Task) { b.trySend(t, 1) })
		x.task("limited", high, func(t *Task) { b.sendFor(t, 2) })
		x.task("receiver", low, func(t *Task) { b.recv(t) })
	}},
	{name: "queue/delete a receiver", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		gone := x.task("deleted", high, func(t *Task) {
			if v, err := b.q.Recv(t); err == nil {
				_ = b.q.Send(t, v)
			}
		})
		x.task("receiver", low, func(t *Task) { _, _ = b.q.RecvFor(t, time.Second) })
		x.task("sender", low, func(t *Task) { x.must(b.q.SendFor(t, 1, time.Second), nil, ErrTimeout) })
		x.outside("deleter", gone.Delete)
	}},
	// The wake that a deleted task does not use goes to the other receiver.
	{name: "queue/delete passes on", preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		gone := x.task("deleted", high, func(t *Task) { _, _ = b.q.Recv(t) })
		x.task("receiver", low, func(t *Task) {
			_, err := b.q.Recv(t)
			x.must(err)
		})
		x.task("sender", low, func(t *Task) { x.must(b.q.Send(t, 1)); x.must(b.q.Send(t, 2)) })
		x.outside("deleter", gone.Delete)
	}},
	{name: "queue/delete a sender", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("first", low, func(t *Task) { x.must(b.q.Send(t, 1)) })
		gone := x.task("deleted", high, func(t *Task) { _ = b.q.Send(t, 2) })
		x.task("receiver", low, func(t *Task) {
			_, err := b.q.Recv(t)
			x.must(err)
			_, _ = b.q.RecvFor(t, time.Second)
		})
		x.outside("deleter", gone.Delete)
	}},
	{name: "queue/suspend", preempt: 2, build: func(x *bench) {
		b := x.queue(1)
		w := x.task("suspended", high, func(t *Task) {
			_, err := b.q.Recv(t)
			x.must(err)
		})
		x.task("receiver", low, func(t *Task) {
			_, err := b.q.Recv(t)
			x.must(err)
		})
		x.task("sender", low, func(t *Task) { x.must(b.q.Send(t, 1)); x.must(b.q.Send(t, 2)) })
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "queue/reset", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) {
			x.must(b.q.Send(t, 1))
			x.must(b.q.SendFor(t, 2, time.Second), nil, ErrTimeout)
		})
		x.outside("resetter", b.q.Reset)
		x.task("b", low, func(t *Task) { _, _ = b.q.RecvFor(t, time.Second) })
	}},
}
