package rtos_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// zeroQueue is the calls on a queue that was not made, which must be refused.
var zeroQueue = func() (cases []misuseCase) {
	const reason = "zero Queue: use NewQueue"
	ctx := context.Background()
	for _, c := range []struct {
		name, op string
		call     func(q *rtos.Queue[int], me *rtos.Task)
	}{
		{"Send", "Queue.Send", func(q *rtos.Queue[int], me *rtos.Task) { _ = q.Send(me, 1) }},
		{"SendFor", "Queue.Send", func(q *rtos.Queue[int], me *rtos.Task) { _ = q.SendFor(me, 1, 0) }},
		{"SendCtx", "Queue.Send", func(q *rtos.Queue[int], me *rtos.Task) { _ = q.SendCtx(ctx, me, 1) }},
		{"TrySend", "Queue.Send", func(q *rtos.Queue[int], me *rtos.Task) { q.TrySend(me, 1) }},
		{"SendFront", "Queue.SendFront", func(q *rtos.Queue[int], me *rtos.Task) { _ = q.SendFront(me, 1) }},
		{"TrySendFront", "Queue.SendFront", func(q *rtos.Queue[int], me *rtos.Task) { q.TrySendFront(me, 1) }},
		{"Recv", "Queue.Recv", func(q *rtos.Queue[int], me *rtos.Task) { _, _ = q.Recv(me) }},
		{"RecvFor", "Queue.Recv", func(q *rtos.Queue[int], me *rtos.Task) { _, _ = q.RecvFor(me, 0) }},
		{"RecvCtx", "Queue.Recv", func(q *rtos.Queue[int], me *rtos.Task) { _, _ = q.RecvCtx(ctx, me) }},
		{"TryRecv", "Queue.Recv", func(q *rtos.Queue[int], me *rtos.Task) { q.TryRecv(me) }},
		{"Peek", "Queue.Peek", func(q *rtos.Queue[int], me *rtos.Task) { _, _ = q.Peek(me) }},
		{"TryPeek", "Queue.Peek", func(q *rtos.Queue[int], me *rtos.Task) { q.TryPeek(me) }},
		{"Overwrite", "Queue.Overwrite", func(q *rtos.Queue[int], _ *rtos.Task) { q.Overwrite(1) }},
		{"Reset", "Queue.Reset", func(q *rtos.Queue[int], _ *rtos.Task) { q.Reset() }},
		{"Len", "Queue.Len", func(q *rtos.Queue[int], _ *rtos.Task) { q.Len() }},
		{"Cap", "Queue.Cap", func(q *rtos.Queue[int], _ *rtos.Task) { q.Cap() }},
		{"Items", "Queue.Items", func(q *rtos.Queue[int], _ *rtos.Task) { q.Items() }},
		{"Info", "Queue.Info", func(q *rtos.Queue[int], _ *rtos.Task) { q.Info() }},
	} {
		want := miss(c.op, "", "", reason)
		switch c.op {
		case "Queue.Send", "Queue.SendFront", "Queue.Recv", "Queue.Peek":
			want.Task = "caller"
		}
		cases = append(cases, misuseCase{c.name, func(_ *misuseWorld, me *rtos.Task) { c.call(new(rtos.Queue[int]), me) }, want})
	}
	for op, call := range map[string]func(q *rtos.Queue[int], isr *rtos.ISR){
		"Queue.TrySendFromISR":      func(q *rtos.Queue[int], isr *rtos.ISR) { q.TrySendFromISR(isr, 1) },
		"Queue.TrySendFrontFromISR": func(q *rtos.Queue[int], isr *rtos.ISR) { q.TrySendFrontFromISR(isr, 1) },
		"Queue.OverwriteFromISR":    func(q *rtos.Queue[int], isr *rtos.ISR) { q.OverwriteFromISR(isr, 1) },
		"Queue.TryRecvFromISR":      func(q *rtos.Queue[int], isr *rtos.ISR) { q.TryRecvFromISR(isr) },
		"Queue.TryPeekFromISR":      func(q *rtos.Queue[int], isr *rtos.ISR) { q.TryPeekFromISR(isr) },
	} {
		cases = append(cases, misuseCase{op, func(w *misuseWorld, _ *rtos.Task) {
			w.k.Interrupt(func(isr *rtos.ISR) { call(new(rtos.Queue[int]), isr) })
		}, miss(op, "", "", reason)})
	}
	return cases
}()

// overwriting a queue that is longer than 1 must be refused.
var overwriting = []misuseCase{
	{"Overwrite", func(w *misuseWorld, _ *rtos.Task) { w.q.Overwrite(1) }, miss("Queue.Overwrite", "", "q", "the queue is longer than 1")},
	{"OverwriteFromISR", func(w *misuseWorld, _ *rtos.Task) {
		w.k.Interrupt(func(isr *rtos.ISR) { w.q.OverwriteFromISR(isr, 1) })
	}, miss("Queue.OverwriteFromISR", "", "q", "the queue is longer than 1")},
}

func fullQueue(name string) *rtos.Queue[int] {
	q := rtos.NewQueue[int](name, 1)
	q.Overwrite(7)
	return q
}

// The forms for tasks do not wake anybody from an interrupt.
func TestQueueFormsOfTasksAreRefusedInInterrupts(t *testing.T) {
	for op, c := range map[string]struct {
		wait    func(*rtos.Queue[int], *rtos.Task)
		call    func(*rtos.Queue[int])
		release func(*rtos.Queue[int], *rtos.ISR)
	}{
		"Queue.Overwrite": {
			wait:    func(q *rtos.Queue[int], me *rtos.Task) { _, _ = q.Recv(me) },
			call:    func(q *rtos.Queue[int]) { q.Overwrite(1) },
			release: func(q *rtos.Queue[int], isr *rtos.ISR) { q.OverwriteFromISR(isr, 1) },
		},
		"Queue.Reset": {
			wait:    func(q *rtos.Queue[int], me *rtos.Task) { _ = q.Send(me, 1); _ = q.Send(me, 2) },
			call:    func(q *rtos.Queue[int]) { q.Reset() },
			release: func(q *rtos.Queue[int], isr *rtos.ISR) { q.TryRecvFromISR(isr) },
		},
	} {
		t.Run(op, func(t *testing.T) {
			p := sim.New(sim.Options{})
			k := newKernel(t, rtos.Config{Port: p})
			q := rtos.NewQueue[int]("q", 1)
			spawn(t, k, "waiter", 1, func(me *rtos.Task) { c.wait(q, me) })
			var got any
			p.At(1, func(isr *rtos.ISR) {
				func() {
					defer func() { got = recover() }()
					c.call(q)
				}()
				c.release(q, isr)
			})
			finish(t, k)
			want := miss(op, "", "q", "called in an interrupt: use the FromISR form")
			assert.Equal(t, &want, got)
		})
	}
}
