package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// A *Task that a second goroutine uses while it is in a call: the second one is
// refused, the first one is not disturbed.
func TestTaskInACallIsRefusedToAnotherGoroutine(t *testing.T) {
	w := &misuseWorld{
		k: newKernel(t, rtos.Config{}), m: rtos.NewMutex("m"), r: rtos.NewRecursiveMutex("r"), e: rtos.NewBinary("e"),
		q: rtos.NewQueue[int]("q", 2), o: fullQueue("o"),
	}
	leakless(t)
	own := adopted(t, w.k, "own", 1)
	require.NoError(t, w.m.Lock(own))
	require.NoError(t, w.r.Lock(own))

	waits := rtos.NewBinary("waits")
	var got error
	victim := spawn(t, w.k, "victim", 1, func(v *rtos.Task) { got = waits.Take(v) })
	wait := background(t, w.k)
	untilBlocked(t, victim)

	reason := "in another call"
	if debugging {
		reason = "called by goroutine"
	}
	for _, c := range blockingCalls {
		want := miss(c.op, "victim", c.object, reason)
		if debugging {
			want.Object = ""
		}
		t.Run(c.name, func(t *testing.T) { misuses(t, want, func() { c.call(w, victim) }) })
		if c.poll != nil {
			t.Run(c.name+" poll", func(t *testing.T) { misuses(t, want, func() { _ = c.poll(w, victim) }) })
		}
	}
	assert.Equal(t, rtos.StateBlocked, victim.State())
	assert.Equal(t, []*rtos.Task{victim}, waits.Info().Waiters)
	assert.Empty(t, w.m.Info().Waiters)
	assert.Equal(t, 1, w.r.Info().Depth)
	assert.True(t, waits.Give())
	require.NoError(t, wait())
	assert.NoError(t, got)
	assert.Zero(t, waits.Count())
	assert.NoError(t, w.r.Unlock(own))
	assert.NoError(t, w.m.Unlock(own))
	assert.NoError(t, own.Release())
}

// With the build tag rtosdebug any foreign goroutine is refused, also where the call
// would not wait and the task is in none.
func TestForeignGoroutineIsRefusedUnderDebug(t *testing.T) {
	if !debugging {
		t.Skip("needs the build tag rtosdebug")
	}
	k := newKernel(t, rtos.Config{})
	own := adopted(t, k, "own", 1)
	var m rtos.Mutex
	var r rtos.RecursiveMutex
	var l rtos.Spinlock
	f := rtos.NewCounting("f", 1, 1)
	q := fullQueue("q")
	foreign := func(t *testing.T, g func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			v := caught(g)
			e, ok := v.(*rtos.MisuseError)
			if assert.True(t, ok, "%T %v", v, v) {
				assert.Contains(t, e.Reason, "called by goroutine")
				assert.Equal(t, "own", e.Task)
			}
		}()
		<-done
	}
	for name, g := range map[string]func(){
		"Mutex.Lock":          func() { _ = m.Lock(own) },
		"Mutex.LockFor":       func() { _ = m.LockFor(own, 1) },
		"Mutex.LockCtx":       func() { _ = m.LockCtx(context.Background(), own) },
		"Mutex.TryLock":       func() { m.TryLock(own) },
		"RecursiveMutex.Lock": func() { _ = r.Lock(own) },
		"Semaphore.Take":      func() { _ = f.Take(own) },
		"Semaphore.TryTake":   func() { f.TryTake(own) },
		"Queue.Send":          func() { _ = q.Send(own, 1) },
		"Queue.TryRecv":       func() { q.TryRecv(own) },
		"Queue.TryPeek":       func() { q.TryPeek(own) },
		"Spinlock.Lock":       func() { l.Lock(own) },
		"Spinlock.TryLock":    func() { l.TryLock(own) },
		"NotifyTake":          func() { _, _ = own.NotifyTake(true, 0) },
		"Delay":               func() { _ = own.Delay(0) },
		"EnterCritical":       func() { k.EnterCritical(own) },
		"Release":             func() { _ = own.Release() },
	} {
		t.Run(name, func(t *testing.T) { foreign(t, g) })
	}
	assert.Nil(t, m.Holder())
	assert.Nil(t, r.Holder())
	assert.Equal(t, 1, f.Count())
	if !assert.Nil(t, l.Holder()) {
		l.Unlock(own)
	}

	for name, c := range map[string]struct {
		take, give func()
		holder     func() *rtos.Task
	}{
		"Mutex.Unlock":          {func() { _ = m.Lock(own) }, func() { _ = m.Unlock(own) }, m.Holder},
		"RecursiveMutex.Unlock": {func() { _ = r.Lock(own) }, func() { _ = r.Unlock(own) }, r.Holder},
		"Spinlock.Unlock":       {func() { l.Lock(own) }, func() { l.Unlock(own) }, l.Holder},
	} {
		c.take() // in the task's own goroutine, which a subtest would not be
		foreign(t, c.give)
		if assert.Same(t, own, c.holder(), "%s: it still holds", name) {
			c.give()
		}
	}
	assert.NoError(t, own.Release())
}

// An object that has been waited on belongs to that kernel; a task of another one
// cannot wait there.
func TestTaskOfAnotherKernelIsRefused(t *testing.T) {
	leakless(t)
	k1, k2 := newKernel(t, rtos.Config{}), newKernel(t, rtos.Config{})
	alien := adopted(t, k2, "alien", 9)
	m, free, s := rtos.NewMutex("m"), rtos.NewMutex("free"), rtos.NewBinary("s")
	e, f := rtos.NewQueue[int]("e", 2), fullQueue("f")
	owner := spawn(t, k1, "owner", 1, func(o *rtos.Task) {
		assert.NoError(t, m.Lock(o))
		assert.NoError(t, free.Lock(o))
		_, err := o.NotifyTake(true, rtos.Forever)
		assert.NoError(t, err)
		assert.NoError(t, m.Unlock(o))
	})
	wait := background(t, k1)
	untilBlocked(t, owner)
	var errM, errS error
	w1 := spawn(t, k1, "w1", 2, func(w *rtos.Task) { errM = m.Lock(w); assert.NoError(t, m.Unlock(w)) })
	w2 := spawn(t, k1, "w2", 2, func(w *rtos.Task) { errS = s.Take(w) })
	w3 := spawn(t, k1, "w3", 2, func(w *rtos.Task) { _, err := e.Peek(w); assert.NoError(t, err) })
	w4 := spawn(t, k1, "w4", 2, func(w *rtos.Task) { assert.NoError(t, f.Send(w, 1)) })
	untilBlocked(t, w1, w2, w3, w4)

	misuses(t, miss("Mutex.Lock", "alien", "m", `another kernel`), func() { _ = m.Lock(alien) })
	misuses(t, miss("Mutex.Lock", "alien", "m", `another kernel`), func() { _ = m.LockFor(alien, time.Second) })
	misuses(t, miss("Mutex.Lock", "alien", "free", `held by task "owner" of another kernel`), func() { _ = free.Lock(alien) })
	misuses(t, miss("Mutex.Unlock", "alien", "m", `held by task "owner"`), func() { _ = m.Unlock(alien) })
	misuses(t, miss("Semaphore.Take", "alien", "s", "another kernel"), func() { _ = s.Take(alien) })
	misuses(t, miss("Queue.Recv", "alien", "e", "another kernel"), func() { _, _ = e.Recv(alien) })
	misuses(t, miss("Queue.Send", "alien", "f", "another kernel"), func() { _ = f.SendFor(alien, 2, time.Second) })
	misuses(t, miss("Kernel.EnterCritical", "alien", "", "another kernel"), func() { k1.EnterCritical(alien) })
	misuses(t, miss("Kernel.ExitCritical", "alien", "", "another kernel"), func() { k1.ExitCritical(alien) })
	assert.Equal(t, 2, owner.Priority(), "lent by w1 alone")
	assert.Equal(t, []*rtos.Task{w1}, m.Info().Waiters)
	assert.Equal(t, []*rtos.Task{w2}, s.Info().Waiters)

	assert.Equal(t, []string{label(w3)}, labels(e.Info().Receivers))
	assert.Equal(t, []string{label(w4)}, labels(f.Info().Senders))

	assert.True(t, s.Give())
	assert.True(t, e.TrySend(alien, 1), "what does not wait may come from anywhere")
	_, ok := f.TryRecv(alien)
	assert.True(t, ok)
	assert.NoError(t, owner.NotifyGive(), "a notification may come from anywhere")
	require.NoError(t, wait())
	assert.NoError(t, errM)
	assert.NoError(t, errS)
	assert.Len(t, k1.Orphans(), 1, "free was not given")

	assert.NoError(t, m.Lock(alien), "a kernel that has ended lets go")
	assert.NoError(t, m.Unlock(alien))
	assert.ErrorIs(t, s.TakeFor(alien, time.Microsecond), rtos.ErrTimeout)
	assert.ErrorIs(t, f.SendFor(alien, 2, time.Microsecond), rtos.ErrTimeout)
	assert.NoError(t, alien.Release())
}
