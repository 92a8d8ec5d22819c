package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// waitWorld is what the waits of a test wait for: m and r are held, s and e are empty, f is
// full.
type waitWorld struct {
	k *rtos.Kernel
	m *rtos.Mutex
	r *rtos.RecursiveMutex
	s *rtos.Semaphore
	e *rtos.Queue[int]
	f *rtos.Queue[int]
}

func newWaitWorld(k *rtos.Kernel) *waitWorld {
	f := rtos.NewQueue[int]("f", 1)
	f.Overwrite(0)
	return &waitWorld{k, rtos.NewMutex("m"), rtos.NewRecursiveMutex("r"), rtos.NewBinary("s"), rtos.NewQueue[int]("e", 3), f}
}

// waits is every kind of wait of a task.
var waits = []struct {
	name string
	wait func(w *waitWorld, t *rtos.Task) error
}{
	{"Mutex.Lock", func(w *waitWorld, t *rtos.Task) error { return w.m.Lock(t) }},
	{"Mutex.LockFor", func(w *waitWorld, t *rtos.Task) error { return w.m.LockFor(t, time.Hour) }},
	{"Mutex.LockCtx", func(w *waitWorld, t *rtos.Task) error { return w.m.LockCtx(context.Background(), t) }},
	{"RecursiveMutex.Lock", func(w *waitWorld, t *rtos.Task) error { return w.r.Lock(t) }},
	{"second Mutex", func(w *waitWorld, t *rtos.Task) error {
		var first rtos.Mutex
		if err := first.Lock(t); err != nil {
			return err
		}
		defer func() { _ = first.Unlock(t) }()
		return w.m.Lock(t)
	}},
	{"Semaphore.Take", func(w *waitWorld, t *rtos.Task) error { return w.s.Take(t) }},
	{"Semaphore.TakeFor", func(w *waitWorld, t *rtos.Task) error { return w.s.TakeFor(t, time.Hour) }},
	{"Semaphore.TakeCtx", func(w *waitWorld, t *rtos.Task) error { return w.s.TakeCtx(context.Background(), t) }},
	{"Queue.Send", func(w *waitWorld, t *rtos.Task) error { return w.f.Send(t, 1) }},
	{"Queue.SendFor", func(w *waitWorld, t *rtos.Task) error { return w.f.SendFor(t, 1, time.Hour) }},
	{"Queue.SendCtx", func(w *waitWorld, t *rtos.Task) error { return w.f.SendCtx(context.Background(), t, 1) }},
	{"Queue.SendFront", func(w *waitWorld, t *rtos.Task) error { return w.f.SendFront(t, 1) }},
	{"Queue.Recv", func(w *waitWorld, t *rtos.Task) error { _, err := w.e.Recv(t); return err }},
	{"Queue.RecvFor", func(w *waitWorld, t *rtos.Task) error { _, err := w.e.RecvFor(t, time.Hour); return err }},
	{"Queue.RecvCtx", func(w *waitWorld, t *rtos.Task) error { _, err := w.e.RecvCtx(context.Background(), t); return err }},
	{"Queue.Peek", func(w *waitWorld, t *rtos.Task) error { _, err := w.e.Peek(t); return err }},
	{"NotifyTake", func(_ *waitWorld, t *rtos.Task) error { _, err := t.NotifyTake(true, rtos.Forever); return err }},
	{"NotifyTakeAt", func(_ *waitWorld, t *rtos.Task) error { _, err := t.NotifyTakeAt(2, false, time.Hour); return err }},
	{"NotifyTakeCtx", func(_ *waitWorld, t *rtos.Task) error {
		_, err := t.NotifyTakeCtx(context.Background(), true)
		return err
	}},
	{"NotifyWait", func(_ *waitWorld, t *rtos.Task) error {
		_, err := t.NotifyWait(rtos.NotifyWait{Slot: 1}, rtos.Forever)
		return err
	}},
	{"Delay", func(_ *waitWorld, t *rtos.Task) error { return t.Delay(time.Hour) }},
	{"DelayUntil", func(_ *waitWorld, t *rtos.Task) error {
		ref := t.Kernel().Now()
		_, err := t.DelayUntil(&ref, time.Hour)
		return err
	}},
	{"SuspendSelf", func(_ *waitWorld, t *rtos.Task) error { return t.SuspendSelf() }},
}

func isWaiting(t *rtos.Task) bool {
	return t.State() == rtos.StateBlocked || t.State() == rtos.StateSuspended
}

// let lets others run in either world until cond holds.
func let(tb testing.TB, me *rtos.Task, what string, cond func() bool) {
	eventually(tb, what, func() bool {
		if me.Kernel().Current() != nil {
			_ = me.Delay(me.Kernel().Ticks(1))
		} else {
			me.Yield()
		}
		return cond()
	})
}

func TestDeleteWhileWaiting(t *testing.T) {
	for _, c := range waits {
		t.Run(c.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
				w := newWaitWorld(k)
				var inside error
				spawn(t, k, "boss", 1, func(me *rtos.Task) {
					assert.NoError(t, w.m.Lock(me))
					assert.NoError(t, w.r.Lock(me))
					victim := spawn(t, k, "victim", 3, func(v *rtos.Task) {
						defer func() {
							inside = rtos.NewBinary("x").Take(v)
							assert.True(t, w.s.Give(), "a give works while unwinding")
						}()
						_ = c.wait(w, v)
						t.Error("went on")
					})
					other := spawn(t, k, "other", 2, func(o *rtos.Task) {
						assert.NoError(t, w.m.Lock(o), "the next waiter")
						assert.NoError(t, w.m.Unlock(o))
					})
					let(t, me, "both wait", func() bool { return isWaiting(victim) && isWaiting(other) })
					victim.Delete()
					let(t, me, "victim ends", func() bool { return victim.State() == rtos.StateDeleted })
					<-victim.Done()
					assert.Equal(t, []*rtos.Task{other}, w.m.Info().Waiters)
					assert.Empty(t, w.r.Info().Waiters)
					assert.Empty(t, w.s.Info().Waiters)
					assert.Equal(t, 1, w.s.Count())
					assert.NoError(t, w.r.Unlock(me))
					assert.NoError(t, w.m.Unlock(me))
					assert.Equal(t, 1, me.Priority(), "no loan is left")
					assert.ErrorIs(t, victim.NotifyGive(), rtos.ErrDeleted)
				})
				finish(t, k)
				assert.ErrorIs(t, inside, rtos.ErrDeleted, "what the deferred function got")
				assert.Nil(t, w.m.Holder())
				assert.Empty(t, k.Orphans())
			})
		})
	}
}

func TestStopWhileWaiting(t *testing.T) {
	for _, c := range waits {
		t.Run(c.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
				w := newWaitWorld(k)
				deferred := false
				spawn(t, k, "boss", 1, func(me *rtos.Task) {
					var victim *rtos.Task
					assert.NoError(t, w.m.Lock(me))
					defer func() { assert.NoError(t, w.m.Unlock(me)) }()
					assert.NoError(t, w.r.Lock(me))
					defer func() {
						// Before it parks it looks once more, and would take what is free.
						if k.Current() == nil {
							<-victim.Done()
						}
						assert.NoError(t, w.r.Unlock(me))
					}()
					victim = spawn(t, k, "victim", 3, func(v *rtos.Task) {
						defer func() { deferred = true }()
						_ = c.wait(w, v)
						t.Error("went on")
					})
					let(t, me, "it waits", func() bool { return isWaiting(victim) })
					k.Stop()
					_ = me.Delay(rtos.Forever)
					t.Error("boss went on")
				})
				finish(t, k)
				assert.True(t, deferred)
				assert.Nil(t, w.m.Holder())
				assert.Nil(t, w.r.Holder())
				assert.Empty(t, w.m.Info().Waiters)
			})
		})
	}
}

func TestDeleteWhileHolding(t *testing.T) {
	for _, c := range []struct {
		name           string
		unlock, robust bool
		second         bool
		recursive      bool
		want           error
	}{
		{name: "with deferred Unlock", unlock: true},
		{name: "without", want: rtos.ErrTimeout},
		{name: "robust", robust: true, want: rtos.ErrOwnerDied},
		{name: "robust with deferred Unlock", robust: true, unlock: true},
		{name: "two mutexes", second: true, want: rtos.ErrTimeout},
		{name: "two mutexes, robust", second: true, robust: true, want: rtos.ErrOwnerDied},
		{name: "recursive", recursive: true, want: rtos.ErrTimeout},
		{name: "recursive, robust", recursive: true, robust: true, want: rtos.ErrOwnerDied},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{Robust: c.robust}, func(t *testing.T, k *rtos.Kernel) {
				deleteWhileHolding(t, k, c.unlock, c.second, c.recursive, c.want)
			})
		})
	}
}

type lock interface {
	LockFor(*rtos.Task, time.Duration) error
	Lock(*rtos.Task) error
	Unlock(*rtos.Task) error
	Holder() *rtos.Task
	Info() rtos.MutexInfo
}

func deleteWhileHolding(t *testing.T, k *rtos.Kernel, unlock, second, recursive bool, want error) {
	var m lock = rtos.NewMutex("m")
	if recursive {
		m = rtos.NewRecursiveMutex("m")
	}
	n := rtos.NewMutex("n")
	owner := spawn(t, k, "owner", 2, func(o *rtos.Task) {
		assert.NoError(t, m.Lock(o))
		if recursive {
			assert.NoError(t, m.Lock(o))
		}
		if unlock {
			defer func() { assert.NoError(t, m.Unlock(o)) }()
		}
		if second {
			assert.NoError(t, n.Lock(o))
			defer func() { assert.NoError(t, n.Unlock(o)) }()
		}
		_ = o.Delay(rtos.Forever)
	})
	take := func(w *rtos.Task) error {
		err := m.LockFor(w, k.Ticks(200))
		if err == rtos.ErrTimeout {
			return err
		}
		assert.Equal(t, 1, m.Info().Depth, "depth starts again")
		assert.Same(t, w, m.Holder())
		assert.NoError(t, m.Unlock(w))
		return err
	}
	var early, late error
	waiter := spawn(t, k, "waiter", 3, func(w *rtos.Task) {
		let(t, w, "owner holds", func() bool { return m.Holder() == owner && owner.State() == rtos.StateBlocked })
		early = take(w)
		assert.Equal(t, 3, w.Priority())
		late = take(w)
	})
	spawn(t, k, "boss", 1, func(me *rtos.Task) {
		let(t, me, "waiter waits and lends", func() bool { return len(m.Info().Waiters) == 1 && owner.Priority() == 3 })
		owner.Delete()
		let(t, me, "owner ends", func() bool { return owner.State() == rtos.StateDeleted })
		if want != nil && want != rtos.ErrOwnerDied {
			assert.Nil(t, m.Holder(), "no dead task is handed out")
			assert.True(t, m.Info().Locked)
			assert.Contains(t, k.String(), `orphaned mutex "m", owner "owner" ended at`)
			require.Len(t, k.Orphans(), 1)
			v := caught(func() { _ = m.Unlock(me) })
			if !recursive {
				e, ok := v.(*rtos.MisuseError)
				require.True(t, ok)
				assert.Contains(t, e.Reason, "a task that has ended")
			}
		}
		let(t, me, "waiter ends", func() bool { return waiter.State() == rtos.StateDeleted })
		if second {
			assert.NoError(t, n.LockFor(me, 0), "the other mutex was given")
			assert.NoError(t, n.Unlock(me))
		}
	})
	finish(t, k)
	assert.ErrorIs(t, early, want)
	if want == rtos.ErrTimeout {
		assert.ErrorIs(t, late, rtos.ErrTimeout, "it stays taken")
	} else {
		assert.NoError(t, late, "the death of an owner is told once")
		assert.Empty(t, k.Orphans())
	}
}

// TryLock of a mutex whose owner died either takes it and says so, or does not.
func TestTryLockOfARobustMutexWhoseOwnerDied(t *testing.T) {
	for name, m := range map[string]interface {
		lock
		TryLock(*rtos.Task) bool
	}{"Mutex": rtos.NewMutex("m"), "RecursiveMutex": rtos.NewRecursiveMutex("r")} {
		t.Run(name, func(t *testing.T) {
			k := newKernel(t, rtos.Config{Robust: true})
			dead := adopted(t, k, "dead", 1)
			require.NoError(t, m.Lock(dead))
			require.NoError(t, dead.Release())
			me := adopted(t, k, "me", 1)
			ok := m.TryLock(me)
			assert.Equal(t, ok, m.Holder() == me, "TryLock said %t", ok)
			if ok {
				assert.NoError(t, m.Unlock(me))
			}
			assert.NoError(t, me.Release())
		})
	}
}

// The next task of a slot starts with a clean wait, however the last one was ended.
func TestSlotOfATaskDeletedWhileWaitingCanBeUsedAgain(t *testing.T) {
	for _, c := range waits {
		t.Run(c.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{Tasks: 2}, func(t *testing.T, k *rtos.Kernel) {
				w := newWaitWorld(k)
				ran := false
				spawn(t, k, "boss", 1, func(me *rtos.Task) {
					assert.NoError(t, w.m.Lock(me))
					assert.NoError(t, w.r.Lock(me))
					victim := spawn(t, k, "victim", 2, func(v *rtos.Task) { _ = c.wait(w, v) })
					let(t, me, "it waits", func() bool { return isWaiting(victim) })
					victim.Delete()
					let(t, me, "it ends", func() bool { return victim.State() == rtos.StateDeleted })
					heir := spawn(t, k, "heir", 2, func(h *rtos.Task) {
						assert.ErrorIs(t, w.s.TakeFor(h, k.Ticks(1)), rtos.ErrTimeout)
						_, err := h.NotifyTake(true, k.Ticks(1))
						assert.ErrorIs(t, err, rtos.ErrTimeout)
						assert.ErrorIs(t, w.m.LockFor(h, k.Ticks(1)), rtos.ErrTimeout)
						ran = true
					})
					assert.Equal(t, victim.Slot(), heir.Slot())
					let(t, me, "heir ends", func() bool { return heir.State() == rtos.StateDeleted })
					assert.NoError(t, w.r.Unlock(me))
					assert.NoError(t, w.m.Unlock(me))
				})
				finish(t, k)
				assert.True(t, ran)
			})
		})
	}
}
