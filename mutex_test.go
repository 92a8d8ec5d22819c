package rtos_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// lockable is what both kinds of mutex have.
type lockable interface {
	Lock(*rtos.Task) error
	LockFor(*rtos.Task, time.Duration) error
	LockCtx(context.Context, *rtos.Task) error
	TryLock(*rtos.Task) bool
	Unlock(*rtos.Task) error
	Holder() *rtos.Task
	Info() rtos.MutexInfo
	Locker(*rtos.Task) sync.Locker
}

// lockables makes one of each kind, named and not.
var lockables = map[string]func() lockable{
	"Mutex":               func() lockable { return rtos.NewMutex("m") },
	"zero Mutex":          func() lockable { return new(rtos.Mutex) },
	"RecursiveMutex":      func() lockable { return rtos.NewRecursiveMutex("m") },
	"zero RecursiveMutex": func() lockable { return new(rtos.RecursiveMutex) },
}

func withLockables(t *testing.T, f func(t *testing.T, k *rtos.Kernel, m lockable)) {
	for name, make := range lockables {
		t.Run(name, func(t *testing.T) {
			inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) { f(t, k, make()) })
		})
	}
}

func exactlyWithLockables(t *testing.T, f func(t *testing.T, k *rtos.Kernel, m lockable)) {
	for name, make := range lockables {
		t.Run(name, func(t *testing.T) {
			exactly(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) { f(t, k, make()) })
		})
	}
}

// lockForms is every way to take a mutex.
var lockForms = map[string]func(m lockable, t *rtos.Task) error{
	"Lock":    func(m lockable, t *rtos.Task) error { return m.Lock(t) },
	"LockFor": func(m lockable, t *rtos.Task) error { return m.LockFor(t, time.Hour) },
	"poll":    func(m lockable, t *rtos.Task) error { return m.LockFor(t, 0) },
	"LockCtx": func(m lockable, t *rtos.Task) error { return m.LockCtx(context.Background(), t) },
	"TryLock": func(m lockable, t *rtos.Task) error {
		if m.TryLock(t) {
			return nil
		}
		return rtos.ErrWouldBlock
	},
	"Locker": func(m lockable, t *rtos.Task) error { m.Locker(t).Lock(); return nil },
}

func TestFreeMutexIsTakenByEveryForm(t *testing.T) {
	withLockables(t, func(t *testing.T, k *rtos.Kernel, m lockable) {
		spawn(t, k, "a", 1, func(a *rtos.Task) {
			for form, lock := range lockForms {
				assert.Nil(t, m.Holder(), form)
				assert.Equal(t, mutexText(rtos.MutexInfo{Name: m.Info().Name}), mutexText(m.Info()), form)
				assert.Equal(t, rtos.ErrNotOwner, m.Unlock(a), form)
				assert.NoError(t, lock(m, a), form)
				assert.Same(t, a, m.Holder(), form)
				assert.Equal(t, mutexText(rtos.MutexInfo{Name: m.Info().Name, Locked: true, Owner: a, Depth: 1}), mutexText(m.Info()), form)
				if form == "Locker" {
					m.Locker(a).Unlock()
				} else {
					assert.NoError(t, m.Unlock(a), form)
				}
			}
			assert.Nil(t, m.Holder())
			v := caught(m.Locker(a).Unlock)
			assert.Equal(t, rtos.ErrNotOwner, v, "a Locker panics with the error")
		})
		finish(t, k)
	})
}

func TestNamesOfMutexes(t *testing.T) {
	assert.Equal(t, "m", rtos.NewMutex("m").Info().Name)
	assert.Equal(t, "r", rtos.NewRecursiveMutex("r").Info().Name)
	assert.Empty(t, new(rtos.Mutex).Info().Name)
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) { // binding to a kernel keeps the name
		m := rtos.NewMutex("m")
		spawn(t, k, "a", 1, func(a *rtos.Task) {
			assert.NoError(t, m.Lock(a))
			b := spawn(t, k, "b", 2, func(b *rtos.Task) {
				assert.NoError(t, m.Lock(b))
				assert.NoError(t, m.Unlock(b))
			})
			let(t, a, "b waits", func() bool { return len(m.Info().Waiters) == 1 })
			assert.Equal(t, mutexText(rtos.MutexInfo{Name: "m", Locked: true, Owner: a, Depth: 1, Waiters: []*rtos.Task{b}}), mutexText(m.Info()))
			i := b.Info()
			assert.Equal(t, `mutex "m"`, i.WaitsFor)
			assert.Same(t, a, i.WaitsOn)
			assert.Equal(t, 1, a.Info().Held)
			assert.NoError(t, m.Unlock(a))
		})
		finish(t, k)
		assert.Equal(t, "m", m.Info().Name)
	})
}

// A held mutex: what each form answers, and that the holder lost nothing.
func TestHeldMutexOutcomes(t *testing.T) {
	cause := errors.New("the cause")
	for _, c := range []struct {
		name string
		lock func(m lockable, t *rtos.Task, ctx context.Context) error
		end  func(w *rtos.Task, cancel func()) // nil: it ends by itself
		want error
	}{
		{"TryLock", func(m lockable, t *rtos.Task, _ context.Context) error { return lockForms["TryLock"](m, t) }, nil, rtos.ErrWouldBlock},
		{"poll", func(m lockable, t *rtos.Task, _ context.Context) error { return m.LockFor(t, 0) }, nil, rtos.ErrWouldBlock},
		{"limit", func(m lockable, t *rtos.Task, _ context.Context) error { return m.LockFor(t, t.Kernel().Ticks(2)) }, nil, rtos.ErrTimeout},
		{"aborted", func(m lockable, t *rtos.Task, _ context.Context) error { return m.Lock(t) },
			func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"limit, aborted", func(m lockable, t *rtos.Task, _ context.Context) error { return m.LockFor(t, time.Hour) },
			func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
		{"context, cancelled", func(m lockable, t *rtos.Task, ctx context.Context) error { return m.LockCtx(ctx, t) },
			func(_ *rtos.Task, cancel func()) { cancel() }, cause},
		{"context, aborted", func(m lockable, t *rtos.Task, ctx context.Context) error { return m.LockCtx(ctx, t) },
			func(w *rtos.Task, _ func()) { w.AbortDelay() }, rtos.ErrAborted},
	} {
		t.Run(c.name, func(t *testing.T) {
			withLockables(t, func(t *testing.T, k *rtos.Kernel, m lockable) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				spawn(t, k, "a", 2, func(a *rtos.Task) {
					assert.NoError(t, m.Lock(a))
					var got error
					w := spawn(t, k, "w", 1, func(w *rtos.Task) {
						got = c.lock(m, w, ctx)
						assert.Same(t, a, m.Holder())
					})
					if c.end != nil {
						let(t, a, "w waits", func() bool { return len(m.Info().Waiters) == 1 })
						c.end(w, func() { cancel(cause) })
					}
					let(t, a, "w ends", func() bool { return w.State() == rtos.StateDeleted })
					assert.Equal(t, c.want, got)
					assert.Empty(t, m.Info().Waiters)
					assert.NoError(t, m.Unlock(a))
					assert.True(t, m.TryLock(a), "it is free again")
					assert.NoError(t, m.Unlock(a))
				})
				finish(t, k)
			})
		})
	}
}

// A waiter of each form gets the mutex when it is given.
func TestGivenMutexGoesToItsWaiter(t *testing.T) {
	withLockables(t, func(t *testing.T, k *rtos.Kernel, m lockable) {
		spawn(t, k, "a", 2, func(a *rtos.Task) {
			for _, form := range []string{"Lock", "LockFor", "LockCtx", "Locker"} {
				assert.NoError(t, m.Lock(a))
				w := spawn(t, k, "w", 1, func(w *rtos.Task) {
					assert.NoError(t, lockForms[form](m, w), form)
					assert.Same(t, w, m.Holder(), form)
					assert.NoError(t, m.Unlock(w), form)
				})
				let(t, a, "w waits", func() bool { return len(m.Info().Waiters) == 1 })
				assert.NoError(t, m.Unlock(a))
				let(t, a, "w ends", func() bool { return w.State() == rtos.StateDeleted })
				assert.Nil(t, m.Holder(), form)
			}
		})
		finish(t, k)
	})
}

// A give wakes, it does not hand over: in a simulation the giver takes the mutex again
// and the woken waiter waits on, for the rest of its limit.
func TestWokenWaiterHasToCompete(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	m := rtos.NewMutex("m")
	spawn(t, k, "a", 2, func(a *rtos.Task) {
		assert.NoError(t, m.Lock(a))
		assert.NoError(t, a.Delay(k.Ticks(1))) // w waits
		a.Work(k.Ticks(4))
		assert.NoError(t, m.Unlock(a))
		assert.True(t, m.TryLock(a), "w is woken and has not run")
		assert.Same(t, a, m.Holder())
		assert.NoError(t, a.Delay(k.Ticks(3))) // w waits again
		a.Work(k.Ticks(12))
		assert.NoError(t, a.Delay(k.Ticks(1))) // w runs
		assert.NoError(t, m.Unlock(a))
	})
	spawn(t, k, "w", 1, func(w *rtos.Task) {
		assert.ErrorIs(t, m.LockFor(w, k.Ticks(10)), rtos.ErrTimeout)
		assert.Equal(t, uint64(20), s.Time(), "over at 10, it runs at 20")
	})
	finish(t, k)
	require.Nil(t, m.Holder())
}

func TestMutexOfAnEndedKernelServesTheNext(t *testing.T) {
	for name, make := range lockables {
		t.Run(name, func(t *testing.T) {
			m := make()
			for range 3 {
				k := newKernel(t, rtos.Config{})
				spawn(t, k, "a", 1, func(a *rtos.Task) {
					assert.NoError(t, m.Lock(a))
					w := spawn(t, k, "w", 1, func(w *rtos.Task) {
						assert.NoError(t, m.Lock(w))
						assert.NoError(t, m.Unlock(w))
					})
					let(t, a, "w waits", func() bool { return len(m.Info().Waiters) == 1 })
					assert.NoError(t, m.Unlock(a))
					<-w.Done()
				})
				finish(t, k)
			}
		})
	}
}
