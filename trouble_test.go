package rtos_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// worlds are the ports on which a test that needs no exact order runs.
var worlds = map[string]func() rtos.Port{
	"goroutines": func() rtos.Port { return nil },
	"simulation": func() rtos.Port { return sim.New(sim.Options{}) },
}

func inWorlds(t *testing.T, c rtos.Config, f func(t *testing.T, k *rtos.Kernel)) {
	for name, port := range worlds {
		t.Run(name, func(t *testing.T) {
			leakless(t)
			c := c
			c.Port = port()
			f(t, newKernel(t, c))
		})
	}
}

func boom(v any) { panic(v) }

func TestPanicInATaskEndsTheRunAndIsReturned(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		s, m := rtos.NewBinary("s"), rtos.NewMutex("m")
		ended := map[string]*bool{}
		waits := func(name string, f func(*rtos.Task)) {
			done := new(bool)
			ended[name] = done
			spawn(t, k, name, 2, func(me *rtos.Task) {
				defer func() { *done = true }()
				f(me)
				t.Error(name + " went on")
			})
		}
		waits("take", func(me *rtos.Task) { _ = s.Take(me) })
		waits("mutex", func(me *rtos.Task) {
			defer func() { assert.NoError(t, m.Unlock(me)) }()
			assert.NoError(t, m.Lock(me))
			_ = me.Delay(rtos.Forever)
		})
		waits("notify", func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
		waits("suspended", func(me *rtos.Task) { _ = me.SuspendSelf() })
		spawn(t, k, "culprit", 1, func(me *rtos.Task) {
			for me := range k.Tasks() {
				if me.Name() != "culprit" {
					eventually(t, me.Name()+" waits", func() bool { return me.State() == rtos.StateBlocked || me.State() == rtos.StateSuspended })
				}
			}
			boom("disaster")
		})
		err := k.Run(context.Background())
		var p *rtos.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, "culprit", p.Task)
		assert.Equal(t, "disaster", p.Value)
		assert.Contains(t, string(p.Stack), "rtos_test.boom")
		assert.Contains(t, err.Error(), `task "culprit" panicked: disaster`)
		for name, done := range ended {
			assert.True(t, *done, "deferred functions of %s", name)
		}
		assert.Zero(t, k.NumTasks())
		assert.Nil(t, m.Holder())
	})
}

func TestPanicErrorUnwrapsToErrors(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		spawn(t, k, "a", 1, func(me *rtos.Task) { _ = me.Delay(-1) })
		var e *rtos.MisuseError
		require.ErrorAs(t, k.Run(context.Background()), &e)
		assert.Equal(t, "Task.Delay", e.Op)
		assert.Equal(t, "a", e.Task)
	})
}

func TestPanicWhileATaskIsUnwoundIsNotLost(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		late := errors.New("late")
		a := spawn(t, k, "a", 1, func(me *rtos.Task) {
			defer boom(late)
			_ = me.Delay(rtos.Forever)
		})
		spawn(t, k, "b", 1, func(me *rtos.Task) {
			untilDelayed(t, me, a)
			a.Delete()
		})
		assert.ErrorIs(t, k.Run(context.Background()), late)
	})
}

// untilDelayed waits in either world until the others wait.
func untilDelayed(t *testing.T, me *rtos.Task, others ...*rtos.Task) {
	for _, o := range others {
		eventually(t, o.Name()+" waits", func() bool {
			me.Yield()
			if me.Kernel().Current() != nil {
				_ = me.Delay(me.Kernel().Ticks(1))
			}
			return o.State() == rtos.StateBlocked
		})
	}
}

func TestPanicWhileHoldingAMutex(t *testing.T) {
	for _, c := range []struct {
		name         string
		unlock       bool
		robust       bool
		next         error
		orphan, held bool
	}{
		{"with deferred Unlock", true, false, nil, false, false},
		{"without", false, false, rtos.ErrTimeout, true, true},
		{"without, robust", false, true, rtos.ErrOwnerDied, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var book logBook
			inWorlds(t, rtos.Config{Robust: c.robust, Logger: book.logger()}, func(t *testing.T, k *rtos.Kernel) {
				m := rtos.NewMutex("m")
				spawn(t, k, "a", 1, func(me *rtos.Task) {
					assert.NoError(t, m.Lock(me))
					if c.unlock {
						defer func() { assert.NoError(t, m.Unlock(me)) }()
					}
					panic("a")
				})
				var p *rtos.PanicError
				require.ErrorAs(t, k.Run(context.Background()), &p)
				assert.Nil(t, m.Holder(), "no dead task is handed out")
				assert.Equal(t, c.held, m.Info().Locked)
				if c.orphan {
					require.Len(t, k.Orphans(), 1)
					assert.Equal(t, "m", k.Orphans()[0].Mutex)
					assert.Equal(t, "a", k.Orphans()[0].Owner)
					assert.Contains(t, book.String(), "orphaned mutex")
				} else {
					assert.Empty(t, k.Orphans())
				}

				other := newKernel(t, rtos.Config{})
				next := adopted(t, other, "next", 1)
				err := m.LockFor(next, time.Millisecond)
				assert.ErrorIs(t, err, c.next)
				if c.next != rtos.ErrTimeout {
					assert.NoError(t, m.Unlock(next))
					assert.NoError(t, m.Lock(next), "the death of an owner is told once")
					assert.NoError(t, m.Unlock(next))
				}
				assert.NoError(t, next.Release())
			})
		})
	}
}

func TestGoexitInATaskIsAReturn(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	leakless(t)
	a := spawn(t, k, "a", 1, func(me *rtos.Task) { me.Exit(); t.Error("went on") })
	spawn(t, k, "b", 1, func(me *rtos.Task) { <-a.Done() })
	finish(t, k)
}

func TestBadConfigurationIsAnError(t *testing.T) {
	for _, c := range []struct {
		field string
		c     rtos.Config
	}{
		{"Config.Tasks", rtos.Config{Tasks: -1}},
		{"Config.Tasks", rtos.Config{Tasks: 1 << 15}},
		{"Config.Priorities", rtos.Config{Priorities: -1}},
		{"Config.Priorities", rtos.Config{Priorities: 257}},
		{"Config.NotifySlots", rtos.Config{NotifySlots: -1}},
		{"Config.NotifySlots", rtos.Config{NotifySlots: 256}},
		{"Config.Tick", rtos.Config{Tick: -1}},
		{"Config.Inheritance", rtos.Config{Inheritance: 9}},
		{"Config.Compat", rtos.Config{Compat: 1 << 31}},
	} {
		k, err := rtos.New(c.c)
		assert.Nil(t, k)
		assert.ErrorContains(t, err, c.field)
	}
	_, err := rtos.New(rtos.Config{Inheritance: rtos.InheritChained})
	assert.ErrorIs(t, err, errors.ErrUnsupported)

	s := sim.New(sim.Options{})
	_, err = rtos.New(rtos.Config{Port: s})
	require.NoError(t, err)
	_, err = rtos.New(rtos.Config{Port: s})
	assert.ErrorContains(t, err, "one kernel only")
}

func TestTooManyTasksIsAnErrorUntilOneHasEnded(t *testing.T) {
	for _, n := range []int{1, 2, 3, 65} {
		k := newKernel(t, rtos.Config{Tasks: n})
		var ts []*rtos.Task
		for range n {
			ts = append(ts, spawn(t, k, "a", 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) }))
		}
		full := func() {
			_, err := k.Spawn("one more", 1, func(*rtos.Task) {})
			require.ErrorIs(t, err, rtos.ErrTooManyTasks)
			_, err = k.Adopt("one more", 1)
			require.ErrorIs(t, err, rtos.ErrTooManyTasks)
			require.Equal(t, n, k.NumTasks())
		}
		full()
		wait := background(t, k)
		if n > 1 {
			require.NoError(t, ts[1].NotifyGive())
			<-ts[1].Done()
			me := adopted(t, k, "me", 1)
			full()
			require.NoError(t, me.Release())
			for _, a := range ts[2:] {
				require.NoError(t, a.NotifyGive())
			}
		}
		require.NoError(t, ts[0].NotifyGive())
		require.NoError(t, wait())
	}
}

func TestRunOfAnEndedKernel(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		m, s := rtos.NewMutex("m"), rtos.NewCounting("s", 2, 0)
		old := spawn(t, k, "old", 1, func(me *rtos.Task) {})
		finish(t, k)

		assert.True(t, k.Stopping())
		assert.ErrorIs(t, k.Run(context.Background()), rtos.ErrStopped, "Run twice")
		_, err := k.Spawn("new", 1, func(*rtos.Task) { t.Error("ran") })
		assert.ErrorIs(t, err, rtos.ErrStopped)
		k.Stop()

		assert.Equal(t, rtos.StateDeleted, old.State())
		assert.ErrorIs(t, old.NotifyGive(), rtos.ErrDeleted)
		assert.ErrorIs(t, old.NotifyAt(2, 1, rtos.Overwrite), rtos.ErrDeleted)
		assert.False(t, old.AbortDelay())
		old.Suspend()
		old.Resume()
		old.Delete()
		assert.Equal(t, rtos.StateDeleted, old.State())
		assert.True(t, s.Give(), "gives still work")
		assert.Nil(t, m.Holder())
		assert.Nil(t, k.Task("old"))
		assert.Zero(t, k.NumTasks())
	})
}

// A task that has ended is nobody: it takes nothing.
func TestEndedTaskAsCaller(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	old := adopted(t, k, "old", 1)
	m, r, s := rtos.NewMutex("m"), rtos.NewRecursiveMutex("r"), rtos.NewCounting("s", 1, 1)
	require.NoError(t, old.Release())
	ref := time.Duration(0)
	ctx := context.Background()
	for name, f := range map[string]func() error{
		"Mutex.Lock":          func() error { return m.Lock(old) },
		"Mutex.LockFor":       func() error { return m.LockFor(old, time.Second) },
		"Mutex.LockCtx":       func() error { return m.LockCtx(ctx, old) },
		"RecursiveMutex.Lock": func() error { return r.Lock(old) },
		"Semaphore.Take":      func() error { return s.Take(old) },
		"Semaphore.TakeFor":   func() error { return s.TakeFor(old, time.Second) },
		"NotifyTake":          func() error { _, err := old.NotifyTake(true, time.Second); return err },
		"NotifyWait":          func() error { _, err := old.NotifyWait(rtos.NotifyWait{}, time.Second); return err },
		"Delay":               func() error { return old.Delay(time.Second) },
		"DelayUntil":          func() error { _, err := old.DelayUntil(&ref, time.Second); return err },
		"SuspendSelf":         old.SuspendSelf,
		"Checkpoint":          old.Checkpoint,
		"Release":             old.Release,
	} {
		assert.ErrorIs(t, f(), rtos.ErrDeleted, name)
	}
	assert.False(t, m.TryLock(old))
	assert.False(t, s.TryTake(old))
	assert.ErrorIs(t, m.Unlock(old), rtos.ErrNotOwner)
	assert.Equal(t, 1, s.Count())
	assert.Nil(t, m.Holder())
	assert.False(t, m.Info().Locked)
}

func TestContextDoneAlreadyTakesNothing(t *testing.T) {
	cause := errors.New("the cause")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	inWorlds(t, rtos.Config{Logger: slog.New(slog.DiscardHandler)}, func(t *testing.T, k *rtos.Kernel) {
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			m, r, s := rtos.NewMutex("m"), rtos.NewRecursiveMutex("r"), rtos.NewCounting("s", 1, 1)
			assert.NoError(t, me.NotifyGive())
			assert.ErrorIs(t, m.LockCtx(ctx, me), cause)
			assert.ErrorIs(t, r.LockCtx(ctx, me), cause)
			assert.ErrorIs(t, s.TakeCtx(ctx, me), cause)
			_, err := me.NotifyTakeCtx(ctx, true)
			assert.ErrorIs(t, err, cause)
			_, err = me.NotifyWaitCtx(ctx, rtos.NotifyWait{ClearOnEntry: 1, ClearOnExit: 1})
			assert.ErrorIs(t, err, cause)

			assert.Nil(t, m.Holder())
			assert.Nil(t, r.Holder())
			assert.Equal(t, 1, s.Count())
			v, err := me.NotifyTake(true, 0)
			assert.NoError(t, err)
			assert.Equal(t, uint32(1), v)
			assert.NoError(t, m.Lock(me))
			assert.NoError(t, m.Unlock(me))
		})
		finish(t, k)
	})
}

func TestRunWithAContextDoneAlreadyEndsTheTasks(t *testing.T) {
	cause := errors.New("the cause")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		s := rtos.NewBinary("s")
		a := spawn(t, k, "a", 1, func(me *rtos.Task) {
			_ = s.Take(me)
			t.Error("went on")
		})
		assert.ErrorIs(t, k.Run(ctx), cause)
		<-a.Done()
		assert.Zero(t, k.NumTasks())
		assert.Empty(t, s.Info().Waiters)
	})
}
