package rtos_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// A queue holds no value that is not in it, however it left or failed to enter; a queue
// that nobody refers to any more is collected, with what is in it, though its senders live.
func TestQueueLetsValuesGo(t *testing.T) {
	type item struct{ _ [64]byte }
	for name, use := range map[string]func(q *rtos.Queue[*item], me *rtos.Task, v *item){
		"Recv": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			must(q.Send(me, v))
			_, err := q.Recv(me)
			must(err)
		},
		"TryRecvFromISR": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			me.Kernel().Interrupt(func(isr *rtos.ISR) {
				q.TrySendFromISR(isr, v)
				q.TryRecvFromISR(isr)
			})
		},
		"Reset": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			must(q.SendFront(me, v))
			q.Reset()
		},
		"Overwrite": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(v)
			q.Overwrite(nil)
		},
		"Peek": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			must(q.Send(me, v))
			_, err := q.Peek(me)
			must(err)
			q.Items()
			q.TryRecv(me)
		},
		"full: TrySend": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(nil)
			if q.TrySend(me, v) || q.TrySendFront(me, v) {
				panic("it was full")
			}
		},
		"full: TrySendFromISR": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(nil)
			me.Kernel().Interrupt(func(isr *rtos.ISR) { q.TrySendFromISR(isr, v) })
		},
		"full: SendFor": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(nil)
			mustBe(rtos.ErrTimeout, q.SendFor(me, v, time.Microsecond))
		},
		"full: a sender that is deleted": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(nil)
			w, err := me.Kernel().Spawn("w", 1, func(w *rtos.Task) { _ = q.Send(w, v) })
			must(err)
			for len(q.Info().Senders) == 0 {
				me.Yield()
			}
			w.Delete()
			<-w.Done()
		},
		"full: a send in a critical section": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			q.Overwrite(nil)
			me.Kernel().Critical(me, func() { caught(func() { _ = q.Send(me, v) }) })
		},
		"a context that is done": func(q *rtos.Queue[*item], me *rtos.Task, v *item) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			mustBe(context.Canceled, q.SendCtx(ctx, me, v))
		},
	} {
		t.Run(name, func(t *testing.T) {
			leakless(t)
			k := newKernel(t, rtos.Config{})
			spawn(t, k, "me", 2, func(me *rtos.Task) {
				q := rtos.NewQueue[*item]("q", 1)
				v := weak.Make(send(func(v *item) { use(q, me, v) }))
				collected(t, "the value", func() bool { return v.Value() == nil })
				assert.Empty(t, labels(q.Info().Senders))

				inside := weak.Make(send(func(v *item) { q.Reset(); must(q.Send(me, v)) }))
				runtime.GC()
				assert.NotNil(t, inside.Value(), "what is in the queue stays")
				runtime.KeepAlive(q)
				q = nil
				collected(t, "the queue, and what is in it", func() bool { return inside.Value() == nil })
			})
			finish(t, k)
		})
	}
}

// send passes a new value to f and returns it.
//
//go:noinline
func send[T any](f func(v *T)) *T {
	v := new(T)
	f(v)
	return v
}

func collected(t *testing.T, what string, gone func() bool) {
	t.Helper()
	for range 20 {
		runtime.GC()
		if gone() {
			return
		}
	}
	require.Fail(t, "not collected: "+what)
}
