package rtos_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

// A task that waits for one of our objects is durably blocked: time in the bubble goes
// on, to the end of its limit or to the give.
func TestBubbleTimeAdvancesWhileATaskWaits(t *testing.T) {
	const hour = time.Hour
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		never bool // cannot be ended by success
		wait  func(w *waitWorld, t *rtos.Task, d time.Duration) error
		give  func(w *waitWorld, holder, t *rtos.Task)
	}{
		{"Mutex", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error { return w.m.LockFor(t, d) },
			func(w *waitWorld, h, _ *rtos.Task) { _ = w.m.Unlock(h) }},
		{"Mutex with context", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error {
			ctx, cancel := context.WithTimeoutCause(ctx, d, rtos.ErrTimeout)
			defer cancel()
			return w.m.LockCtx(ctx, t)
		}, func(w *waitWorld, h, _ *rtos.Task) { _ = w.m.Unlock(h) }},
		{"RecursiveMutex", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error { return w.r.LockFor(t, d) },
			func(w *waitWorld, h, _ *rtos.Task) { _ = w.r.Unlock(h) }},
		{"Semaphore", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error { return w.s.TakeFor(t, d) },
			func(w *waitWorld, _, _ *rtos.Task) { w.s.Give() }},
		{"Semaphore with context", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error {
			ctx, cancel := context.WithTimeoutCause(ctx, d, rtos.ErrTimeout)
			defer cancel()
			return w.s.TakeCtx(ctx, t)
		}, func(w *waitWorld, _, _ *rtos.Task) { w.s.Give() }},
		{"Queue.Send", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error { return w.f.SendFor(t, 1, d) },
			func(w *waitWorld, h, _ *rtos.Task) { w.f.TryRecv(h) }},
		{"Queue.Recv", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error { return second(w.e.RecvFor(t, d)) },
			func(w *waitWorld, h, _ *rtos.Task) { w.e.TrySend(h, 1) }},
		{"Queue.Peek with context", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error {
			ctx, cancel := context.WithTimeoutCause(ctx, d, rtos.ErrTimeout)
			defer cancel()
			return second(w.e.PeekCtx(ctx, t))
		}, func(w *waitWorld, h, _ *rtos.Task) { w.e.TrySend(h, 1) }},
		{"notification", false, func(_ *waitWorld, t *rtos.Task, d time.Duration) error {
			_, err := t.NotifyTake(true, d)
			return err
		}, func(_ *waitWorld, _, t *rtos.Task) { _ = t.NotifyGive() }},
		{"notification in slot 2", false, func(_ *waitWorld, t *rtos.Task, d time.Duration) error {
			_, err := t.NotifyWait(rtos.NotifyWait{Slot: 2}, d)
			return err
		}, func(_ *waitWorld, _, t *rtos.Task) { _ = t.NotifyAt(2, 0, rtos.NoAction) }},
		{"critical section", false, func(w *waitWorld, t *rtos.Task, d time.Duration) error {
			w.k.EnterCritical(t)
			w.k.ExitCritical(t)
			return nil
		}, nil},
		{"Delay", true, func(_ *waitWorld, t *rtos.Task, d time.Duration) error {
			if err := t.Delay(d); err != nil {
				return err
			}
			return rtos.ErrTimeout
		}, nil},
		{"DelayUntil", true, func(w *waitWorld, t *rtos.Task, d time.Duration) error {
			ref := w.k.Now()
			if waited, err := t.DelayUntil(&ref, d); !waited {
				return err
			}
			return rtos.ErrTimeout
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				k := newKernel(t, rtos.Config{})
				w := newWaitWorld(k)
				holder := adopted(t, k, "holder", 1)
				assert.NoError(t, w.m.Lock(holder))
				assert.NoError(t, w.r.Lock(holder))
				if c.give == nil && !c.never {
					k.EnterCritical(holder)
				}
				var first, second error
				var between time.Duration
				a := spawn(t, k, "a", 2, func(a *rtos.Task) {
					if c.give != nil || c.never {
						first = c.wait(w, a, hour)
						between = time.Since(start)
					}
					second = c.wait(w, a, 10*hour)
				})
				done := make(chan error, 1)
				go func() { done <- k.Run(context.Background()) }()

				time.Sleep(hour / 2)
				synctest.Wait()
				assert.Equal(t, rtos.StateBlocked, a.State())
				time.Sleep(2*hour - hour/2)
				synctest.Wait()
				switch {
				case c.give != nil:
					assert.ErrorIs(t, first, rtos.ErrTimeout)
					assert.Equal(t, hour, between)
					c.give(w, holder, a)
				case !c.never:
					k.ExitCritical(holder)
				}
				assert.NoError(t, <-done)
				if c.never {
					assert.ErrorIs(t, second, rtos.ErrTimeout)
					assert.Equal(t, 11*hour, time.Since(start))
				} else {
					assert.NoError(t, second)
					assert.Equal(t, 2*hour, time.Since(start))
				}
				assert.NoError(t, holder.Release())
			})
		})
	}
}

// A task that ends cannot wait for a section, and must not keep time from going on until
// its owner leaves.
func TestBubbleTimeAdvancesWhileAnEndingTaskEntersASection(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		spawn(t, k, "owner", 2, func(me *rtos.Task) {
			k.EnterCritical(me)
			time.Sleep(30 * ms)
			k.ExitCritical(me)
		})
		victim := spawn(t, k, "victim", 2, func(me *rtos.Task) {
			defer func() {
				k.EnterCritical(me)
				assert.GreaterOrEqual(t, at(k), 30)
				k.ExitCritical(me)
			}()
			assert.NoError(t, me.Delay(rtos.Forever))
		})
		spawn(t, k, "killer", 2, func(me *rtos.Task) {
			assert.NoError(t, me.Delay(10*ms))
			victim.Delete()
		})
	})
}

// A sleeping holder and a waiter: field case 23 for bubbles instead of the simulation.
func TestBubbleTimeAdvancesWhileTheHolderSleeps(t *testing.T) {
	for _, n := range []time.Duration{30 * ms, 1e9 * ms} {
		bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
			var m rtos.Mutex
			spawn(t, k, "A", 2, func(a *rtos.Task) {
				assert.NoError(t, m.Lock(a))
				time.Sleep(n)
				assert.NoError(t, m.Unlock(a))
			})
			spawn(t, k, "B", 3, func(b *rtos.Task) {
				assert.NoError(t, b.Delay(ms))
				assert.NoError(t, m.LockFor(b, n))
				assert.Equal(t, n, k.Now())
				assert.NoError(t, b.Delay(50*ms))
				assert.NoError(t, m.Unlock(b))
				assert.Equal(t, n+50*ms, k.Now())
			})
		})
	}
}
