//go:build explore

package rtos

import (
	"slices"

	"github.com/tickwake/rtos/internal/spin"
)

// ringBodies is what only the ring and its boxes can get wrong: who is stopped for several
// laps, offers, late readers of a box, the pool.
func init() { bodies = slices.Concat(bodies, ringBodies) }

func (b *queueBench) tryPeek(t *Task) {
	b.do(t, queueCall{op: "peek"}, func() (int, bool) { return b.q.TryPeek(t) })
}

// The calls from outside look once only, where those of a task look twice.

func (b *queueBench) sendOnce(t *Task, v int) {
	b.do(t, queueCall{op: "send", v: v}, func() (int, bool) { return 0, b.q.pushOutside(v, false) })
}

func (b *queueBench) recvOnce(t *Task) {
	b.do(t, queueCall{op: "recv"}, func() (int, bool) { return b.q.popOutside() })
}

func (b *queueBench) peekOnce(t *Task) {
	b.do(t, queueCall{op: "peek"}, func() (int, bool) {
		box, ok := b.q.pin()
		if !ok {
			return 0, false
		}
		return b.q.look(box), true
	})
}

// offerOnce is what a sender does that has found the queue full again and again. An offer
// that is not accepted is not noted: it is a call whose limit is over.
func (b *queueBench) offerOnce(t *Task, v int) {
	before := len(b.ops)
	accepted := false
	b.do(t, queueCall{op: "send", v: v}, func() (int, bool) {
		box := b.q.ring.newBox()
		*b.q.values.at(box) = v
		o := b.q.ring.offer(box)
		spin.Yield()
		accepted = withdraw(o, &box)
		b.q.ring.freeBox(box)
		before = len(b.ops)
		return 0, accepted
	})
	if !accepted {
		b.ops = slices.Delete(b.ops, before, before+1)
	}
}

func (b *queueBench) laps(t *Task, n int) {
	for i := range n {
		b.trySend(t, 10+i)
		b.tryRecv(t)
	}
}

// length looks at the length, which is never less or more.
func (x *bench) length(b *queueBench, least, most int) {
	x.outside("looker", func() {
		if n := b.q.Len(); n < least || n > most {
			x.failf("the length is %d to %d, and %d is told", least, most, n)
		}
	})
}

// lateMover builds a ring whose head or tail is one behind, as if somebody had stopped
// before moving it. A task that may move it on is late, while another one goes round.
func (x *bench) lateMover(head bool, late func(b *queueBench, t *Task)) {
	b := x.queue(2)
	r := b.q.ring
	x.task("late", low, func(t *Task) {
		before := r.tail.Load()
		b.sendOnce(t, 1)
		if head {
			b.recvOnce(t)
			r.head.Store(before)
		} else {
			r.tail.Store(before)
		}
		x.task("busy", low, func(t *Task) {
			if b.laps(t, 7); head {
				b.trySend(t, 20)
			}
		})
		late(b, t)
	})
}

var ringBodies = []body{
	{name: "ring/late sender finds the lap again", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1); b.recvOnce(t) })
		x.task("busy", low, func(t *Task) { b.laps(t, 7) })
	}},
	{name: "ring/late sender finds an item of the lap before", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1) })
		x.task("busy", low, func(t *Task) { b.laps(t, 6); b.trySend(t, 2) })
	}},
	{name: "ring/late receiver finds the lap again", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1); b.recvOnce(t) })
		x.task("busy", low, func(t *Task) { b.laps(t, 7) })
	}},
	{name: "ring/late reader finds the lap again", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1); b.peekOnce(t) })
		x.task("busy", low, func(t *Task) { b.laps(t, 7) })
	}},
	{name: "ring/late receiver and front", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.task("late", low, func(t *Task) { b.tryRecv(t) })
		x.task("busy", low, func(t *Task) { b.trySend(t, 1); b.trySend(t, 2); b.front(t, 3); b.trySend(t, 4) })
	}},
	{name: "ring/reader of a box that is used again", preempt: 2, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.tryPeek(t) })
		x.task("busy", low, func(t *Task) { b.trySend(t, 1); b.trySend(t, 2); b.tryRecv(t); b.trySend(t, 3) })
		x.w.Check(func() error { return boxesAddUp(b.q) })
	}},
	{name: "ring/two readers of a box", preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("busy", low, func(t *Task) {
			b.trySend(t, 1)
			x.task("a", low, func(t *Task) { b.peekOnce(t) })
			x.task("b", low, func(t *Task) { b.peekOnce(t) })
			b.recvOnce(t)
		})
		x.w.Check(func() error { return boxesAddUp(b.q) })
	}},
	{name: "ring/chunks of boxes", preempt: 2, build: func(x *bench) {
		b := x.queue(1)
		far := uint64(len(b.q.values.base))
		for i := range 2 {
			x.task(string(rune('a'+i)), low, func(*Task) { *b.q.values.at(far + uint64(i)) = i + 1 })
		}
		x.w.Check(func() error {
			if v, w := *b.q.values.at(far), *b.q.values.at(far + 1); v != 1 || w != 2 {
				x.failf("1 and 2 were written, there are %d and %d", v, w)
			}
			return nil
		})
	}},
	{name: "ring/length is at least", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.task("busy", low, func(t *Task) {
			b.trySend(t, 1)
			x.length(b, 1, 2)
			b.laps(t, 3)
		})
	}},
	{name: "ring/length is at most", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.length(b, 0, 1)
		x.task("busy", low, func(t *Task) { b.laps(t, 3) })
	}},
	{name: "ring/length after the front of an empty ring", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.task("sender", low, func(t *Task) { b.sendOnce(t, 1) })
		x.task("receiver", low, func(t *Task) { b.recvOnce(t) })
		x.task("front", low, func(t *Task) { b.front(t, 2) })
	}},
	{name: "ring/length after the front of an empty ring, the tail late", preempt: 1, build: func(x *bench) {
		b := x.queue(3)
		r := b.q.ring
		x.task("front", low, func(t *Task) {
			before := r.tail.Load()
			b.sendOnce(t, 1)
			b.recvOnce(t)
			r.tail.Store(before)
			x.task("sender", low, func(t *Task) { b.sendOnce(t, 2); b.sendOnce(t, 3) })
			b.front(t, 4)
		})
	}},
	{name: "ring/length after the front and the end", preempt: 2, build: func(x *bench) {
		b := x.queue(3)
		x.task("front", low, func(t *Task) { b.front(t, 1) })
		x.task("sender", low, func(t *Task) { b.sendOnce(t, 2); b.sendOnce(t, 3) })
	}},
	{name: "ring/late mover of the tail", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1); b.sendOnce(t, 2) })
		x.task("busy", low, func(t *Task) { b.laps(t, 7) })
	}},
	{name: "ring/late mover of another's tail", preempt: 1, build: func(x *bench) {
		x.lateMover(false, func(b *queueBench, t *Task) { b.sendOnce(t, 2); b.sendOnce(t, 3) })
	}},
	{name: "ring/late mover of another's tail, looking", preempt: 1, build: func(x *bench) {
		x.lateMover(false, func(b *queueBench, t *Task) { b.q.ring.isFull(); b.sendOnce(t, 2) })
	}},
	{name: "ring/late mover of the head", preempt: 1, build: func(x *bench) {
		b := x.queue(2)
		x.task("late", low, func(t *Task) { b.sendOnce(t, 1); b.recvOnce(t); b.recvOnce(t) })
		x.task("busy", low, func(t *Task) { b.laps(t, 7); b.trySend(t, 2) })
	}},
	{name: "ring/late mover of another's head", preempt: 1, build: func(x *bench) {
		x.lateMover(true, func(b *queueBench, t *Task) { b.recvOnce(t); b.recvOnce(t) })
	}},
	{name: "ring/late mover of another's head, looking", preempt: 1, build: func(x *bench) {
		x.lateMover(true, func(b *queueBench, t *Task) { b.peekOnce(t); b.recvOnce(t) })
	}},
	{name: "ring/pool", preempt: 2, build: func(x *bench) {
		b := x.queue(1)
		first, second := b.q.ring.newBox(), b.q.ring.newBox()
		b.q.ring.freeBox(second)
		b.q.ring.freeBox(first)
		for i := range 3 {
			x.task(string(rune('a'+i)), low, func(t *Task) { b.overwrite(t, 2*i); b.overwrite(t, 2*i+1) })
		}
		x.w.Check(func() error { return boxesAddUp(b.q) })
	}},
	{name: "offers/late receiver, mailbox", native: true, preempt: 2, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.trySend(t, 1); b.offerOnce(t, 2); b.tryRecv(t) })
		x.task("late", low, func(t *Task) { b.recvOnce(t); b.recvOnce(t) })
		x.task("peeker", low, func(t *Task) { b.tryPeek(t) })
	}},
	{name: "offers/late receiver", native: true, preempt: 2, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.trySend(t, 1); b.offerOnce(t, 2); b.tryRecv(t) })
		x.task("late", low, func(t *Task) { b.recvOnce(t); b.recvOnce(t) })
		x.task("f", low, func(t *Task) { b.front(t, 3) })
	}},
	{name: "offers/late receiver finds the box again", native: true, preempt: 1, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.tryRecv(t); b.offerOnce(t, 1); b.trySend(t, 2); b.offerOnce(t, 3) })
		x.task("late", low, func(t *Task) { b.recvOnce(t); b.recvOnce(t) })
	}},
	{name: "offers/two to two", native: true, preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.offerOnce(t, 1); b.trySend(t, 2) })
		x.task("b", low, func(t *Task) { b.offerOnce(t, 3); b.offerOnce(t, 4) })
		x.task("r", low, func(t *Task) { b.recvOnce(t); b.recvOnce(t) })
		x.task("s", low, func(t *Task) { b.recvOnce(t) })
		x.w.Check(func() error { return boxesAddUp(b.q) })
	}},
	{name: "offers/two senders, mailbox", native: true, preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.send(t, 1); b.send(t, 2) })
		x.task("b", low, func(t *Task) { b.send(t, 3) })
		x.task("receiver", low, func(t *Task) { b.recv(t); b.recv(t); b.recv(t) })
	}},
	{name: "offers/two receivers", native: true, preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3); b.send(t, 4) })
		x.task("r", low, func(t *Task) { b.recv(t); b.recv(t) })
		x.task("s", low, func(t *Task) { b.recv(t); b.recv(t) })
	}},
	{name: "offers/peek and front", native: true, preempt: 3, build: func(x *bench) {
		b := x.queue(2)
		x.task("a", low, func(t *Task) { b.send(t, 1); b.send(t, 2); b.send(t, 3) })
		x.task("f", low, func(t *Task) { b.front(t, 4) })
		x.task("p", low, func(t *Task) { b.peek(t); b.recv(t); b.recv(t) })
		x.task("r", low, func(t *Task) { b.recv(t); b.recv(t) })
	}},
	{name: "offers/limit", native: true, preempt: 3, build: func(x *bench) {
		b := x.queue(1)
		x.task("a", low, func(t *Task) { b.send(t, 1); b.sendFor(t, 2); b.sendFor(t, 3) })
		x.task("p", low, func(t *Task) { b.tryPeek(t); b.tryRecv(t); b.tryRecv(t) })
		x.task("r", low, func(t *Task) { b.tryRecv(t); b.tryRecv(t) })
	}},
}
