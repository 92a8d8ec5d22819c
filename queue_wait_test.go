package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// queueWaits is every kind of wait on a queue: what a call waits for, and what lets it go
// on. The queue of length 2 is empty or full before.
var queueWaits = []struct {
	name     string
	full     bool
	wait     func(q *rtos.Queue[int], t *rtos.Task, d time.Duration, ctx context.Context) error
	give     func(q *rtos.Queue[int], t *rtos.Task)
	waiting  func(i rtos.QueueInfo) []*rtos.Task
	waitsFor string
}{
	{"Send", true, func(q *rtos.Queue[int], t *rtos.Task, d time.Duration, ctx context.Context) error {
		if ctx != nil {
			return q.SendCtx(ctx, t, 9)
		}
		return q.SendFor(t, 9, d)
	}, func(q *rtos.Queue[int], t *rtos.Task) { q.TryRecv(t) }, senders, `space in queue "q"`},
	{"SendFront", true, func(q *rtos.Queue[int], t *rtos.Task, d time.Duration, ctx context.Context) error {
		if ctx != nil {
			return q.SendFrontCtx(ctx, t, 9)
		}
		return q.SendFrontFor(t, 9, d)
	}, func(q *rtos.Queue[int], _ *rtos.Task) { q.Reset() }, senders, `space in queue "q"`},
	{"Recv", false, func(q *rtos.Queue[int], t *rtos.Task, d time.Duration, ctx context.Context) error {
		if ctx != nil {
			return second(q.RecvCtx(ctx, t))
		}
		return second(q.RecvFor(t, d))
	}, func(q *rtos.Queue[int], t *rtos.Task) { q.TrySend(t, 9) }, receivers, `message in queue "q"`},
	{"Peek", false, func(q *rtos.Queue[int], t *rtos.Task, d time.Duration, ctx context.Context) error {
		if ctx != nil {
			return second(q.PeekCtx(ctx, t))
		}
		return second(q.PeekFor(t, d))
	}, func(q *rtos.Queue[int], t *rtos.Task) { q.TrySendFront(t, 9) }, receivers, `message in queue "q"`},
}

func senders(i rtos.QueueInfo) []*rtos.Task   { return i.Senders }
func receivers(i rtos.QueueInfo) []*rtos.Task { return i.Receivers }

func second(_ int, err error) error { return err }

// How each wait on a queue ends, and that it leaves the queue as it was if it fails.
func TestQueueWaitOutcomes(t *testing.T) {
	cause := errors.New("the cause")
	for _, c := range []struct {
		name  string
		limit func(k *rtos.Kernel) time.Duration // nil: until a context ends
		end   func(w *rtos.Task, cancel func())  // nil: what it waits for comes
		want  error
	}{
		{"limit", func(k *rtos.Kernel) time.Duration { return k.Ticks(2) }, func(*rtos.Task, func()) {}, rtos.ErrTimeout},
		{"aborted", func(*rtos.Kernel) time.Duration { return rtos.Forever }, func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"limit, aborted", func(*rtos.Kernel) time.Duration { return time.Hour }, func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"context, cancelled", nil, func(_ *rtos.Task, cancel func()) { cancel() }, cause},
		{"context, aborted", nil, func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"context, it comes", nil, nil, nil},
		{"limit, it comes", func(*rtos.Kernel) time.Duration { return time.Hour }, nil, nil},
		{"it comes", func(*rtos.Kernel) time.Duration { return rtos.Forever }, nil, nil},
	} {
		for _, wait := range queueWaits {
			t.Run(c.name+"/"+wait.name, func(t *testing.T) {
				inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
					ctx, cancel := context.WithCancelCause(context.Background())
					defer cancel(nil)
					q := rtos.NewQueue[int]("q", 2)
					spawn(t, k, "a", 2, func(a *rtos.Task) {
						if wait.full {
							assert.True(t, q.TrySend(a, 1) && q.TrySend(a, 2))
						}
						var got error
						w := spawn(t, k, "w", 1, func(w *rtos.Task) {
							if c.limit == nil {
								got = wait.wait(q, w, 0, ctx)
							} else {
								got = wait.wait(q, w, c.limit(k), nil)
							}
						})
						if c.name != "limit" {
							let(t, a, "w waits", func() bool { return len(wait.waiting(q.Info())) == 1 })
							assert.Equal(t, wait.waitsFor, w.Info().WaitsFor)
							assert.Nil(t, w.Info().WaitsOn)
						}
						before := q.Items()
						if c.end == nil {
							wait.give(q, a)
						} else {
							c.end(w, func() { cancel(cause) })
						}
						let(t, a, "w ends", func() bool { return w.State() == rtos.StateDeleted })
						assert.Equal(t, c.want, got)
						if c.end != nil {
							assert.Equal(t, before, q.Items(), "unchanged")
						}
						assert.Empty(t, labels(append(q.Info().Senders, q.Info().Receivers...)))
						q.Reset()
						assert.True(t, q.TrySend(a, 3) && q.TrySend(a, 4) && !q.TrySend(a, 5), "and as good as new")
					})
					finish(t, k)
				})
			})
		}
	}
}

// A context that is done makes the call fail even if it would not have to wait.
func TestQueueRefusesAContextThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, _ func(func(*rtos.ISR))) {
		q := rtos.NewQueue[int]("q", 2)
		assert.NoError(t, q.Send(me, 1))
		assert.ErrorIs(t, q.SendCtx(ctx, me, 2), context.Canceled)
		assert.ErrorIs(t, q.SendFrontCtx(ctx, me, 2), context.Canceled)
		assert.ErrorIs(t, second(q.RecvCtx(ctx, me)), context.Canceled)
		assert.ErrorIs(t, second(q.PeekCtx(ctx, me)), context.Canceled)
		assert.Equal(t, []int{1}, q.Items())
	})
}

// What is there to be taken goes to whoever runs first; the woken waiter waits on for the
// rest of its limit.
func TestWokenWaiterOfAQueueCompetes(t *testing.T) {
	for _, wait := range queueWaits {
		t.Run(wait.name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{}, rtos.Config{})
			q := rtos.NewQueue[int]("q", 2)
			if wait.full {
				spawn(t, k, "filler", 9, func(f *rtos.Task) { assert.True(t, q.TrySend(f, 1) && q.TrySend(f, 2)) })
			}
			spawn(t, k, "w", 1, func(w *rtos.Task) {
				assert.ErrorIs(t, wait.wait(q, w, k.Ticks(10), nil), rtos.ErrTimeout)
				assert.Equal(t, uint64(10), s.Time())
			})
			spawn(t, k, "g", 2, func(g *rtos.Task) {
				assert.NoError(t, g.Delay(k.Ticks(4)))
				wait.give(q, g)
				assert.Empty(t, wait.waiting(q.Info()), "w is woken")
				if wait.full {
					for q.TrySend(g, 5) {
					}
				} else {
					q.Reset()
				}
				assert.NoError(t, g.Delay(k.Ticks(1)))
				assert.Len(t, wait.waiting(q.Info()), 1, "w waits again")
			})
			finish(t, k)
		})
	}
}

// A peek leaves the item, so the next in line can have it: each peeker wakes the next one,
// up to a receiver. A peek in an interrupt wakes nobody.
func TestPeekWakesTheNext(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	q := rtos.NewQueue[int]("q", 2)
	var order []string
	wait := func(name string, prio int, f func(t *rtos.Task) (int, error)) {
		spawn(t, k, name, prio, func(w *rtos.Task) {
			v, err := f(w)
			order = append(order, fmt.Sprintf("%s %d at %d", name, v, s.Time()))
			assert.NoError(t, err)
		})
	}
	wait("peek 4", 4, q.Peek)
	wait("recv 2", 2, q.Recv)
	wait("peek 3", 3, q.Peek)
	wait("peek 1", 1, q.Peek)
	s.At(5, func(isr *rtos.ISR) {
		assert.True(t, q.TrySendFromISR(isr, 7))
		assert.Len(t, q.Info().Receivers, 3)
		_, ok := q.TryPeekFromISR(isr)
		assert.True(t, ok)
		assert.Len(t, q.Info().Receivers, 3, "a peek in an interrupt wakes nobody")
	})
	s.At(9, func(isr *rtos.ISR) { q.TrySendFromISR(isr, 8) })
	finish(t, k)
	assert.Equal(t, []string{"peek 4 7 at 5", "peek 3 7 at 5", "recv 2 7 at 5", "peek 1 8 at 9"}, order)
}

// One item lets all go that peek, however many, and then the receiver behind them. The
// receiver is the first to wait, for it looks once more when it already counts as waiting.
func TestOneItemLetsAllPeekersGo(t *testing.T) {
	for _, n := range []int{1, 2, 100} {
		inWorlds(t, rtos.Config{Tasks: n + 2}, func(t *testing.T, k *rtos.Kernel) {
			q := rtos.NewQueue[int]("q", 3)
			var ws []*rtos.Task
			spawn(t, k, "boss", 3, func(boss *rtos.Task) {
				r := spawn(t, k, "receiver", 1, func(w *rtos.Task) { assert.NoError(t, second(q.Recv(w))) })
				let(t, boss, "it waits", func() bool { return len(q.Info().Receivers) == 1 })
				for i := range n {
					ws = append(ws, spawn(t, k, "peeker", 2, func(w *rtos.Task) {
						v, err := q.Peek(w)
						assert.NoError(t, err)
						assert.Equal(t, 7, v)
					}))
					let(t, boss, "it waits", func() bool { return len(q.Info().Receivers) == i+2 })
				}
				assert.NoError(t, q.Send(boss, 7))
				for _, w := range append(ws, r) {
					let(t, boss, "it ends", func() bool { return w.State() == rtos.StateDeleted })
				}
				assert.Empty(t, q.Items())
			})
			finish(t, k)
		})
	}
}

// Reset makes room, for which it wakes the first of those that wait for room; who waits for
// an item waits on.
func TestResetWakesTheFirstSenderOnly(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	q := rtos.NewQueue[int]("q", 2)
	r := rtos.NewQueue[int]("r", 1)
	var order []string
	for i, name := range []string{"a", "b", "c"} {
		spawn(t, k, name, 3, func(w *rtos.Task) {
			assert.NoError(t, w.Delay(k.Ticks(1)))
			assert.NoError(t, q.Send(w, 10+i))
			order = append(order, fmt.Sprintf("%s at %d", name, s.Time()))
		})
	}
	spawn(t, k, "r", 3, func(w *rtos.Task) {
		v, err := r.Recv(w)
		assert.NoError(t, err)
		order = append(order, fmt.Sprintf("r %d at %d", v, s.Time()))
	})
	spawn(t, k, "boss", 2, func(boss *rtos.Task) {
		assert.True(t, q.TrySend(boss, 1) && q.TrySend(boss, 2))
		assert.NoError(t, boss.Delay(k.Ticks(5)))
		q.Reset()
		r.Reset()
		assert.Equal(t, []int{10}, q.Items())
		assert.Len(t, q.Info().Senders, 2)
		assert.Len(t, r.Info().Receivers, 1)
		assert.NoError(t, boss.Delay(k.Ticks(5)))
		for range 3 {
			_, err := q.Recv(boss)
			assert.NoError(t, err)
		}
		r.Overwrite(4)
	})
	finish(t, k)
	assert.Equal(t, []string{"a at 5", "b at 10", "c at 10", "r 4 at 10"}, order)
}

// Overwriting wakes a receiver also if it found an item that a woken one has not got yet.
func TestOverwriteWakesAReceiver(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{})
	q := rtos.NewQueue[int]("q", 1)
	var got []int
	for range 2 {
		spawn(t, k, "w", 1, func(w *rtos.Task) {
			v, err := q.PeekFor(w, k.Ticks(50))
			assert.NoError(t, err)
			got = append(got, v)
		})
	}
	spawn(t, k, "boss", 2, func(boss *rtos.Task) {
		assert.NoError(t, boss.Delay(k.Ticks(1)))
		q.Overwrite(1)
		assert.Len(t, q.Info().Receivers, 1)
		q.Overwrite(2)
		assert.Empty(t, q.Info().Receivers)
	})
	finish(t, k)
	assert.Equal(t, []int{2, 2}, got)
}

// From an interrupt a send, or a receive, tells whether it has woken a task more urgent
// than the one it interrupted.
func TestQueueFromISRTellsWhomItWoke(t *testing.T) {
	for _, c := range []struct {
		prio  int
		woken bool
		ranAt int
	}{{3, true, 5}, {2, false, 9}, {1, false, 9}} {
		for name, side := range map[string]struct {
			full bool
			wait func(q *rtos.Queue[int], w *rtos.Task) error
			give func(q *rtos.Queue[int], isr *rtos.ISR)
		}{
			"TrySendFromISR": {false, func(q *rtos.Queue[int], w *rtos.Task) error { return second(q.Recv(w)) },
				func(q *rtos.Queue[int], isr *rtos.ISR) { assert.True(t, q.TrySendFromISR(isr, 1)) }},
			"TrySendFrontFromISR": {false, func(q *rtos.Queue[int], w *rtos.Task) error { return second(q.Peek(w)) },
				func(q *rtos.Queue[int], isr *rtos.ISR) { assert.True(t, q.TrySendFrontFromISR(isr, 1)) }},
			"OverwriteFromISR": {false, func(q *rtos.Queue[int], w *rtos.Task) error { return second(q.Recv(w)) },
				func(q *rtos.Queue[int], isr *rtos.ISR) { q.OverwriteFromISR(isr, 1) }},
			"TryRecvFromISR": {true, func(q *rtos.Queue[int], w *rtos.Task) error { return q.Send(w, 1) },
				func(q *rtos.Queue[int], isr *rtos.ISR) { q.TryRecvFromISR(isr) }},
		} {
			t.Run(fmt.Sprintf("%s, priority %d", name, c.prio), func(t *testing.T) {
				k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{})
				q := rtos.NewQueue[int]("q", 1)
				if side.full {
					q.Overwrite(0)
				}
				ranAt := 0
				w := spawn(t, k, "w", c.prio, func(w *rtos.Task) {
					assert.NoError(t, side.wait(q, w))
					ranAt = int(s.Time())
				})
				spawn(t, k, "r", 2, func(r *rtos.Task) {
					assert.NoError(t, r.Delay(k.Ticks(1)))
					r.Work(k.Ticks(8))
				})
				s.At(5, func(isr *rtos.ISR) {
					side.give(q, isr)
					assert.Equal(t, c.woken, isr.Woken())
					assert.Equal(t, rtos.StateReady, w.State())
					assert.Equal(t, c.woken, isr.TakeWoken())
				})
				finish(t, k)
				assert.Equal(t, c.ranAt, ranAt)
			})
		}
	}
}

// Each item lets one of many receivers go, and each room one of many senders, whatever
// brings it.
func TestEveryItemAndEveryRoomWakesOne(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
		q := rtos.NewQueue[int]("q", 2)
		var ws []*rtos.Task
		for range 20 {
			ws = append(ws, spawn(t, k, "w", 1, func(w *rtos.Task) { assert.NoError(t, second(q.Recv(w))) }))
		}
		let(t, me, "all wait", func() bool { return len(q.Info().Receivers) == 20 })
		for i := range 10 {
			assert.True(t, q.TrySend(me, i))
			interrupt(func(isr *rtos.ISR) { assert.True(t, q.TrySendFrontFromISR(isr, i)) })
			let(t, me, "two are gone", func() bool { return len(q.Info().Receivers) == 18-2*i && q.Len() == 0 })
		}
		assert.True(t, q.TrySend(me, 0))
		assert.True(t, q.TrySend(me, 0))
		for i := range 20 {
			ws = append(ws, spawn(t, k, "w", 1, func(w *rtos.Task) { assert.NoError(t, q.Send(w, i)) }))
		}
		let(t, me, "all wait", func() bool { return len(q.Info().Senders) == 20 })
		for i := range 10 {
			assert.NoError(t, second(q.RecvFor(me, 0)))
			interrupt(func(isr *rtos.ISR) { _, ok := q.TryRecvFromISR(isr); assert.True(t, ok) })
			let(t, me, "two are gone", func() bool { return len(q.Info().Senders) == 18-2*i && q.Len() == 2 })
		}
		for _, w := range ws {
			let(t, me, "it ends", func() bool { return w.State() == rtos.StateDeleted })
		}
	})
}

// The report of a kernel tells who waits for what at which queue.
func TestReportNamesQueues(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		full, empty, unnamed := fullQueue("full"), rtos.NewQueue[int]("empty", 3), rtos.NewQueue[int]("", 3)
		ws := []*rtos.Task{
			spawn(t, k, "sends", 2, func(w *rtos.Task) { assert.NoError(t, full.Send(w, 1)) }),
			spawn(t, k, "receives", 2, func(w *rtos.Task) { assert.NoError(t, second(empty.Recv(w))) }),
			spawn(t, k, "peeks", 2, func(w *rtos.Task) { assert.NoError(t, second(empty.Peek(w))) }),
			spawn(t, k, "nameless", 2, func(w *rtos.Task) { assert.NoError(t, second(unnamed.Recv(w))) }),
		}
		spawn(t, k, "boss", 1, func(boss *rtos.Task) {
			let(t, boss, "all wait", func() bool {
				for _, w := range ws {
					if !isWaiting(w) {
						return false
					}
				}
				return true
			})
			report := k.String()
			assert.Contains(t, report, `space in queue "full"`)
			assert.Contains(t, report, `message in queue "empty"`)
			assert.Contains(t, report, "a message in queue\n")
			i := empty.Info()
			assert.ElementsMatch(t, []string{label(ws[1]), label(ws[2])}, labels(i.Receivers))
			assert.Empty(t, i.Senders)
			assert.Equal(t, []string{label(ws[0])}, labels(full.Info().Senders))
			_, _ = full.TryRecv(boss)
			assert.True(t, empty.TrySend(boss, 1))
			assert.True(t, empty.TrySend(boss, 2))
			assert.True(t, unnamed.TrySend(boss, 1))
		})
		finish(t, k)
	})
}
