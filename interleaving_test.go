//go:build !rtosdebug

package rtos

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Interleavings that were once wrong, forced step by step. The tests call for tasks from
// any goroutine, which rtosdebug would refuse.

func parked(t *Task) bool { return stateOf(t.w.word.Load()) == stWaiting }

// whenLogged is a logger that calls f at each message: at a known place in the kernel.
type whenLogged struct {
	slog.Handler
	f func()
}

func (h whenLogged) Enabled(context.Context, slog.Level) bool  { return true }
func (h whenLogged) Handle(context.Context, slog.Record) error { h.f(); return nil }
func (h whenLogged) WithAttrs([]slog.Attr) slog.Handler        { return h }

// The last waiter of a kernel that has ended may leave an object after a task of another
// kernel, in a slot of the same number or in a smaller kernel, has begun to wait there.
func TestReboundObjectKeepsItsNewWaiter(t *testing.T) {
	for _, c := range []struct {
		name  string
		first int // slot of the old kernel's waiter
		tasks int // capacity of the new kernel
	}{{"same slot", 1, 64}, {"smaller kernel", 3, 2}} {
		t.Run(c.name, func(t *testing.T) {
			s := NewBinary("s")
			k2 := quietKernel(t, Config{Tasks: c.tasks})
			a2 := adoptIn(t, k2, "new", 1)
			got := make(chan error, 1)
			begun := false
			k1 := quietKernel(t, Config{Logger: slog.New(whenLogged{slog.DiscardHandler, func() {
				if begun { // the run has ended, and its waiter has not been told
					return
				}
				begun = true
				go func() { got <- s.TakeFor(a2, 10*time.Second) }()
				until(t, func() bool { return parked(a2) && waitersIn(s.o.word.Load()) == 2 })
			}})})
			var a1 *Task
			for i := range c.first {
				a1 = adoptIn(t, k1, string(rune('a'+i)), 1)
			}
			end := make(chan error, 1)
			go func() { end <- s.Take(a1) }()
			until(t, func() bool { return parked(a1) })
			require.NoError(t, k1.Run(t.Context()))
			require.ErrorIs(t, <-end, ErrDeleted)
			start := time.Now()
			require.True(t, s.Give())
			require.NoError(t, <-got)
			require.Less(t, time.Since(start), 5*time.Second, "woken by its limit only")
			restsEmpty(t, &s.o)
		})
	}
}

// A task whose context ends while it is suspended stays parked.
func TestSuspendedTaskDoesNotSpinOnItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := quietKernel(t, Config{})
		s := NewBinary("s")
		a := adoptIn(t, k, "a", 1)
		ctx, cancel := context.WithCancel(context.Background())
		end := make(chan error, 1)
		go func() { end <- s.TakeCtx(ctx, a) }()
		synctest.Wait()
		a.Suspend()
		synctest.Wait()
		cancel()
		time.Sleep(time.Hour) // does not pass while a task spins
		a.Resume()
		require.ErrorIs(t, <-end, context.Canceled)
		require.NoError(t, a.Release())
	})
}

// A panic is reported even if a deferred function of it meets a request to end.
func TestPanicIsNotLostToARequest(t *testing.T) {
	for name, ask := range map[string]func(*Task){
		"delete": (*Task).Delete,
		"stop":   func(t *Task) { t.k.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			k := quietKernel(t, Config{})
			var m Mutex
			_, err := k.Spawn("p", 1, func(t *Task) {
				defer func() {
					_ = m.Lock(t)
					_ = m.Unlock(t)
				}()
				ask(t)
				panic("boom")
			})
			require.NoError(t, err)
			var p *PanicError
			require.ErrorAs(t, k.Run(t.Context()), &p)
			require.Equal(t, "boom", p.Value)
		})
	}
}

// A woken waiter that is stopped before it tries, after another task has taken the mutex,
// leaves waiters behind who have lent that task nothing.
func TestStoppedWaiterLeavesNoLoanUndone(t *testing.T) {
	for name, ask := range map[string]ask{"deleted": askDelete, "suspended": askSuspend} {
		t.Run(name, func(t *testing.T) {
			k := quietKernel(t, Config{})
			h, w, v, l := adoptIn(t, k, "h", 1), adoptIn(t, k, "w", 7), adoptIn(t, k, "v", 5), adoptIn(t, k, "l", 2)
			var m Mutex
			require.NoError(t, m.Lock(h))
			ew, ev := make(chan error, 1), make(chan error, 1)
			go func() { ev <- m.Lock(v) }()
			until(t, func() bool { return parked(v) && h.Priority() == 5 })
			go func() { ew <- m.Lock(w) }()
			until(t, func() bool { return parked(w) && h.Priority() == 7 })
			// h gives; before it wakes w, l takes the mutex and w is asked.
			h.holds = nil
			require.EqualValues(t, 2, waitersIn(m.o.word.Add(-h.id)))
			h.disinherit()
			require.NoError(t, m.Lock(l))
			w.gate.Or(ask)
			heir, _ := m.o.wake(FromTask)
			require.Same(t, w, heir)
			until(t, func() bool { return l.Priority() == 5 })
			require.True(t, parked(v))
			w.Resume()
			if ask == askDelete {
				require.ErrorIs(t, <-ew, ErrDeleted)
			} else {
				until(t, func() bool { return l.Priority() == 7 })
			}
			require.NoError(t, m.Unlock(l))
			if ask == askSuspend {
				require.NoError(t, <-ew)
				require.NoError(t, m.Unlock(w))
			}
			require.NoError(t, <-ev)
			require.NoError(t, m.Unlock(v))
			restsEmpty(t, &m.o)
		})
	}
}

// The cause of a context may be any error, ErrOwnerDied as well.
func TestCauseOfAContextIsNoOutcome(t *testing.T) {
	k := quietKernel(t, Config{})
	a, b := adoptIn(t, k, "a", 1), adoptIn(t, k, "b", 1)
	var m RecursiveMutex
	require.NoError(t, m.Lock(a))
	require.NoError(t, m.Lock(a))
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(ErrOwnerDied)
	_ = m.LockCtx(ctx, b)
	require.NoError(t, m.Unlock(a))
	require.Same(t, a, m.Holder(), "freed by the first of two unlocks")
}

// An adopted task outlives its kernel; what it holds is held by a living task.
func TestHolderOfAnEndedKernelLives(t *testing.T) {
	k1 := quietKernel(t, Config{})
	a1 := adoptIn(t, k1, "a1", 1)
	require.NoError(t, k1.Run(t.Context()))
	quietKernel(t, Config{})
	var l Spinlock
	var m Mutex
	l.Lock(a1)
	require.NoError(t, m.Lock(a1))
	require.Same(t, a1, l.Holder())
	require.Same(t, a1, m.Holder())
	l.Unlock(a1)
	require.NoError(t, m.Unlock(a1))
	require.NoError(t, a1.Release())
}

// A critical section excludes whoever enters, also when the kernel has been stopped.
func TestCriticalSectionExcludesAfterStop(t *testing.T) {
	k := quietKernel(t, Config{})
	a, b := adoptIn(t, k, "a", 1), adoptIn(t, k, "b", 1)
	entered, left := make(chan struct{}), make(chan struct{})
	k.Critical(a, func() {
		k.Stop()
		go func() {
			defer close(left)
			k.Critical(b, func() { close(entered) })
		}()
		select {
		case <-entered:
			t.Error("two tasks in the critical section")
		case <-time.After(50 * time.Millisecond):
		}
	})
	<-left
}

// An orphan that somebody has taken does not come back when that owner dies, too.
func TestOrphansListTheLastOwnerOnly(t *testing.T) {
	k := quietKernel(t, Config{Robust: true})
	var m Mutex
	for _, name := range []string{"a", "b", "c"} {
		task := adoptIn(t, k, name, 1)
		if err := m.Lock(task); name != "a" {
			require.ErrorIs(t, err, ErrOwnerDied)
		}
		require.Empty(t, k.Orphans())
		require.NoError(t, task.Release())
		require.Len(t, k.Orphans(), 1)
		require.Equal(t, name, k.Orphans()[0].Owner)
	}
}

// A scan may meet a waiter whose task has ended since.
func TestScanMeetsAWaiterThatHasEnded(t *testing.T) {
	k := quietKernel(t, Config{Compat: CompatOrder})
	a := adoptIn(t, k, "a", 1)
	var m Mutex
	b := m.o.bind(a, opLock, kindMutex, &m)
	w := &k.waiters[9] // as the scan has seen it
	w.obj.Store(&m.o)
	w.word.Store(1<<stateBits | stWaiting)
	m.o.join(b, 9)
	require.NotPanics(t, func() { m.o.compatRank(b, a) })
}

// With one mutex left a task is as if it had never nested: its fast paths are open, and
// the end of a wait may lower it again.
func TestNestingEndsWithTheLastButOne(t *testing.T) {
	k := quietKernel(t, Config{})
	a := adoptIn(t, k, "a", 1)
	var m [3]Mutex
	for i := range m {
		require.NoError(t, m[i].Lock(a))
	}
	require.Same(t, &several, a.holds)
	require.EqualValues(t, nestMany, nestOf(a.prio.Load()))
	require.NoError(t, m[1].Unlock(a))
	require.Equal(t, 2, a.heldCount())
	require.NoError(t, m[0].Unlock(a))
	require.Same(t, &m[2], a.holds)
	require.EqualValues(t, nestNone, nestOf(a.prio.Load()))
	require.NoError(t, m[2].Unlock(a))
	require.Nil(t, a.holds)
}
