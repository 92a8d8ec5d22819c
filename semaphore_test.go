package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// takeForms is every way to take from a semaphore.
var takeForms = map[string]func(s *rtos.Semaphore, t *rtos.Task) error{
	"Take":    func(s *rtos.Semaphore, t *rtos.Task) error { return s.Take(t) },
	"TakeFor": func(s *rtos.Semaphore, t *rtos.Task) error { return s.TakeFor(t, time.Hour) },
	"poll":    func(s *rtos.Semaphore, t *rtos.Task) error { return s.TakeFor(t, 0) },
	"TakeCtx": func(s *rtos.Semaphore, t *rtos.Task) error { return s.TakeCtx(context.Background(), t) },
	"TryTake": func(s *rtos.Semaphore, t *rtos.Task) error {
		if s.TryTake(t) {
			return nil
		}
		return rtos.ErrWouldBlock
	},
}

// Tokens are there to be taken, by every form; a give beyond the maximum is refused.
func TestSemaphoreCounts(t *testing.T) {
	for _, c := range []struct {
		name         string
		make         func() *rtos.Semaphore
		max, initial int
	}{
		{"binary", func() *rtos.Semaphore { return rtos.NewBinary("s") }, 1, 0},
		{"counting 1, 1", func() *rtos.Semaphore { return rtos.NewCounting("s", 1, 1) }, 1, 1},
		{"counting 5, 0", func() *rtos.Semaphore { return rtos.NewCounting("s", 5, 0) }, 5, 0},
		{"counting 5, 3", func() *rtos.Semaphore { return rtos.NewCounting("s", 5, 3) }, 5, 3},
		{"counting 5, 5", func() *rtos.Semaphore { return rtos.NewCounting("s", 5, 5) }, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPort(t, rtos.Config{}, func(t *testing.T, _ *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
				for form, take := range takeForms {
					s := c.make()
					assert.Equal(t, rtos.SemaphoreInfo{Name: "s", Count: c.initial, Max: c.max}, s.Info())
					give := map[string]func() bool{
						"Give":        s.Give,
						"GiveFromISR": func() (ok bool) { interrupt(func(isr *rtos.ISR) { ok = s.GiveFromISR(isr) }); return ok },
					}
					for how, give := range give {
						for n := s.Count(); n < c.max; n++ {
							assert.True(t, give(), how)
							assert.Equal(t, n+1, s.Count(), how)
						}
						for range 2 {
							assert.False(t, give(), "%s on a full one", how)
							assert.Equal(t, c.max, s.Count(), how)
						}
						for n := c.max; n > 0; n-- {
							assert.NoError(t, take(s, me), form)
							assert.Equal(t, n-1, s.Count(), form)
						}
						assert.False(t, s.TryTake(me))
						assert.Equal(t, rtos.ErrWouldBlock, s.TakeFor(me, 0))
						interrupt(func(isr *rtos.ISR) { assert.False(t, s.TryTakeFromISR(isr)) })
					}
					assert.True(t, s.Give())
					interrupt(func(isr *rtos.ISR) { assert.True(t, s.TryTakeFromISR(isr)) })
					assert.Zero(t, s.Count())
				}
			})
		})
	}
}

func TestLargestSemaphore(t *testing.T) {
	const most = math.MaxInt32
	s := rtos.NewCounting("s", most, most)
	assert.Equal(t, most, s.Count())
	assert.False(t, s.Give())
	k := newKernel(t, rtos.Config{})
	me := adopted(t, k, "me", 1)
	assert.NoError(t, s.Take(me))
	assert.True(t, s.Give())
	assert.False(t, s.Give())
	assert.Equal(t, most, s.Count())
	require.NoError(t, me.Release())
}

// An empty semaphore: how each wait ends without a token, and that none is lost or made.
func TestEmptySemaphoreOutcomes(t *testing.T) {
	cause := errors.New("the cause")
	for _, c := range []struct {
		name string
		take func(s *rtos.Semaphore, t *rtos.Task, ctx context.Context) error
		end  func(s *rtos.Semaphore, w *rtos.Task, cancel func())
		want error
	}{
		{"limit", func(s *rtos.Semaphore, t *rtos.Task, _ context.Context) error {
			return s.TakeFor(t, t.Kernel().Ticks(2))
		}, nil, rtos.ErrTimeout},
		{"aborted", func(s *rtos.Semaphore, t *rtos.Task, _ context.Context) error { return s.Take(t) },
			func(_ *rtos.Semaphore, w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"limit, aborted", func(s *rtos.Semaphore, t *rtos.Task, _ context.Context) error { return s.TakeFor(t, time.Hour) },
			func(_ *rtos.Semaphore, w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"context, cancelled", func(s *rtos.Semaphore, t *rtos.Task, ctx context.Context) error { return s.TakeCtx(ctx, t) },
			func(_ *rtos.Semaphore, _ *rtos.Task, cancel func()) { cancel() }, cause},
		{"context, aborted", func(s *rtos.Semaphore, t *rtos.Task, ctx context.Context) error { return s.TakeCtx(ctx, t) },
			func(_ *rtos.Semaphore, w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"context, given", func(s *rtos.Semaphore, t *rtos.Task, ctx context.Context) error { return s.TakeCtx(ctx, t) },
			func(s *rtos.Semaphore, _ *rtos.Task, _ func()) { s.Give() }, nil},
		{"limit, given", func(s *rtos.Semaphore, t *rtos.Task, _ context.Context) error { return s.TakeFor(t, time.Hour) },
			func(s *rtos.Semaphore, _ *rtos.Task, _ func()) { s.Give() }, nil},
		{"given", func(s *rtos.Semaphore, t *rtos.Task, _ context.Context) error { return s.Take(t) },
			func(s *rtos.Semaphore, _ *rtos.Task, _ func()) { s.Give() }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				s := rtos.NewCounting("s", 9, 0)
				spawn(t, k, "a", 2, func(a *rtos.Task) {
					var got error
					w := spawn(t, k, "w", 1, func(w *rtos.Task) { got = c.take(s, w, ctx) })
					if c.end != nil {
						let(t, a, "w waits", func() bool { return len(s.Info().Waiters) == 1 })
						assert.Equal(t, `counting "s"`, w.Info().WaitsFor)
						assert.Nil(t, w.Info().WaitsOn)
						c.end(s, w, func() { cancel(cause) })
					}
					let(t, a, "w ends", func() bool { return w.State() == rtos.StateDeleted })
					assert.Equal(t, c.want, got)
					assert.Zero(t, s.Count())
					assert.Empty(t, s.Info().Waiters)
					assert.True(t, s.Give())
					assert.Equal(t, 1, s.Count(), "a token given after the wait stays")
					assert.NoError(t, s.TakeFor(a, 0))
				})
				finish(t, k)
			})
		})
	}
}

// A give does not hand its token over: in a simulation the giver takes it again, and the
// woken waiter waits on for the rest of its limit.
func TestTokenCanBeTakenBeforeTheWokenWaiterRuns(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	sem := rtos.NewBinary("s")
	spawn(t, k, "w", 1, func(w *rtos.Task) {
		assert.ErrorIs(t, sem.TakeFor(w, k.Ticks(10)), rtos.ErrTimeout)
		assert.Equal(t, uint64(10), s.Time())
	})
	spawn(t, k, "g", 2, func(g *rtos.Task) {
		assert.NoError(t, g.Delay(k.Ticks(4)))
		assert.True(t, sem.Give())
		assert.Empty(t, sem.Info().Waiters, "w is woken")
		assert.True(t, sem.TryTake(g), "and has not run")
		assert.NoError(t, g.Delay(k.Ticks(1)))
		assert.Len(t, sem.Info().Waiters, 1, "w waits again")
	})
	finish(t, k)
	assert.Zero(t, sem.Count())
}

// From an interrupt a give tells whether it has woken a task more urgent than the one it
// interrupted, and the switch comes at the end of the interrupt.
func TestGiveFromISRTellsWhomItWoke(t *testing.T) {
	for _, c := range []struct {
		prio  int
		woken bool
		ranAt int
	}{{3, true, 5}, {2, false, 9}, {1, false, 9}} {
		t.Run(fmt.Sprintf("priority %d", c.prio), func(t *testing.T) {
			k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{})
			sem := rtos.NewCounting("s", 3, 0)
			ranAt := 0
			w := spawn(t, k, "w", c.prio, func(w *rtos.Task) {
				assert.NoError(t, sem.Take(w))
				ranAt = int(s.Time())
			})
			spawn(t, k, "r", 2, func(r *rtos.Task) {
				assert.NoError(t, r.Delay(k.Ticks(1)))
				r.Work(k.Ticks(8))
			})
			s.At(5, func(isr *rtos.ISR) {
				assert.True(t, sem.GiveFromISR(isr))
				assert.Equal(t, c.woken, isr.Woken())
				assert.Equal(t, rtos.StateReady, w.State())
				assert.Equal(t, c.woken, isr.TakeWoken())
				assert.True(t, sem.GiveFromISR(isr))
				assert.False(t, isr.TakeWoken(), "nobody waits any more")
				assert.True(t, sem.TryTakeFromISR(isr))
				assert.Equal(t, c.woken, isr.Woken())
			})
			finish(t, k)
			assert.Equal(t, c.ranAt, ranAt)
			assert.Zero(t, sem.Count())
		})
	}
}

// Each of n gives lets one of n waiters go, whatever gives them.
func TestEveryGiveWakesOneWaiter(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
		s := rtos.NewCounting("s", 20, 0)
		var ws []*rtos.Task
		for range 20 {
			ws = append(ws, spawn(t, k, "w", 1, func(w *rtos.Task) { assert.NoError(t, s.Take(w)) }))
		}
		let(t, me, "all wait", func() bool { return len(s.Info().Waiters) == 20 })
		for i := range 10 {
			assert.True(t, s.Give())
			interrupt(func(isr *rtos.ISR) { assert.True(t, s.GiveFromISR(isr)) })
			let(t, me, "two are gone", func() bool { return len(s.Info().Waiters) == 18-2*i })
		}
		for _, w := range ws {
			let(t, me, "it ends", func() bool { return w.State() == rtos.StateDeleted })
		}
		assert.Zero(t, s.Count())
	})
}
