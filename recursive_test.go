package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

// Its owner takes a recursive mutex by every form at once; nobody else gets it before
// the last give.
func TestRecursiveMutexCountsItsOwner(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		m := rtos.NewRecursiveMutex("m")
		spawn(t, k, "a", 2, func(a *rtos.Task) {
			other := func(want error) {
				t.Helper()
				o := spawn(t, k, "o", 3, func(o *rtos.Task) {
					err := m.LockFor(o, 0)
					assert.Equal(t, want, err)
					if err == nil {
						assert.NoError(t, m.Unlock(o))
					} else {
						assert.Equal(t, rtos.ErrNotOwner, m.Unlock(o))
						assert.False(t, m.TryLock(o))
					}
				})
				let(t, a, "the other ends", func() bool { return o.State() == rtos.StateDeleted })
			}
			depth := 0
			for form, lock := range lockForms {
				assert.NoError(t, lock(m, a), form)
				depth++
				assert.Equal(t, depth, m.Info().Depth, form)
				other(rtos.ErrWouldBlock)
			}
			for ; depth > 0; depth-- {
				assert.Same(t, a, m.Holder())
				assert.Equal(t, depth, m.Info().Depth)
				other(rtos.ErrWouldBlock)
				assert.NoError(t, m.Unlock(a))
			}
			assert.Equal(t, mutexText(rtos.MutexInfo{Name: "m"}), mutexText(m.Info()))
			assert.Equal(t, rtos.ErrNotOwner, m.Unlock(a))
			other(nil)
		})
		finish(t, k)
	})
}

// Taking it again needs no limit, but a context that is done fails all the same, and
// changes nothing.
func TestRecursiveMutexAgainWithAContextThatIsDone(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var m rtos.RecursiveMutex
		spawn(t, k, "a", 2, func(a *rtos.Task) {
			assert.NoError(t, m.Lock(a))
			assert.ErrorIs(t, m.LockCtx(ctx, a), context.Canceled)
			assert.Equal(t, 1, m.Info().Depth)
			assert.NoError(t, m.Unlock(a))
			assert.Equal(t, rtos.ErrNotOwner, m.Unlock(a))
		})
		finish(t, k)
	})
}

// A waiter comes in at the give that frees it, not before, with a depth of its own.
func TestRecursiveMutexWaiterComesAfterTheLastGive(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		m := rtos.NewRecursiveMutex("m")
		spawn(t, k, "a", 2, func(a *rtos.Task) {
			for range 4 {
				assert.NoError(t, m.Lock(a))
			}
			w := spawn(t, k, "w", 3, func(w *rtos.Task) {
				assert.NoError(t, m.LockFor(w, time.Hour))
				assert.Equal(t, mutexText(rtos.MutexInfo{Name: "m", Locked: true, Owner: w, Depth: 1}), mutexText(m.Info()))
				assert.NoError(t, m.Lock(w))
				assert.Equal(t, 2, m.Info().Depth)
				assert.NoError(t, m.Unlock(w))
				assert.NoError(t, m.Unlock(w))
			})
			let(t, a, "w waits", func() bool { return len(m.Info().Waiters) == 1 })
			for range 3 {
				assert.NoError(t, m.Unlock(a))
				assert.Equal(t, []string{label(w)}, labels(m.Info().Waiters))
				assert.Same(t, a, m.Holder())
			}
			assert.NoError(t, m.Unlock(a))
			let(t, a, "w ends", func() bool { return w.State() == rtos.StateDeleted })
		})
		finish(t, k)
		assert.Equal(t, mutexText(rtos.MutexInfo{Name: "m"}), mutexText(m.Info()))
	})
}

// Plain and recursive mutexes nest in each other; each is counted once.
func TestRecursiveAndPlainMutexesNest(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		p, r, q := rtos.NewMutex("p"), rtos.NewRecursiveMutex("r"), rtos.NewMutex("q")
		spawn(t, k, "a", 2, func(a *rtos.Task) {
			for _, m := range []lockable{p, r, r, q, r} {
				assert.NoError(t, m.Lock(a))
			}
			if k.Current() != nil {
				assert.Equal(t, 3, a.Info().Held)
			}
			for _, m := range []lockable{r, p, r, q} {
				assert.NoError(t, m.Unlock(a))
			}
			assert.Equal(t, 1, r.Info().Depth)
			assert.NoError(t, r.Unlock(a))
			assert.Zero(t, a.Info().Held)
			for _, m := range []lockable{p, r, q} {
				assert.Nil(t, m.Holder())
			}
		})
		finish(t, k)
	})
}
