package rtos_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
)

// The numbers are those of a collection of troubles that people had with these
// primitives on other kernels. Time is that of a synctest bubble, in milliseconds.

const ms = time.Millisecond

// bubble runs a kernel in a bubble of synctest, which tells of a deadlock by itself.
func bubble(t *testing.T, c rtos.Config, f func(t *testing.T, k *rtos.Kernel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, c)
		f(t, k)
		assert.NoError(t, k.Run(context.Background()))
	})
}

func at(k *rtos.Kernel) int { return int(k.Now() / ms) }

// 7: a mutex whose owner was deleted stays taken, visibly; or, robust, is handed over.
func TestFieldCase7OwnerDeleted(t *testing.T) {
	for _, robust := range []bool{false, true} {
		t.Run(fmt.Sprintf("robust=%t", robust), func(t *testing.T) {
			bubble(t, rtos.Config{Robust: robust}, func(t *testing.T, k *rtos.Kernel) {
				m := rtos.NewMutex("A")
				spawn(t, k, "L", 1, func(l *rtos.Task) {
					assert.NoError(t, m.Lock(l))
					assert.NoError(t, l.Delay(5*ms))
					l.Exit()
				})
				spawn(t, k, "H", 5, func(h *rtos.Task) {
					assert.NoError(t, h.Delay(10*ms))
					require.Len(t, k.Orphans(), 1)
					assert.Equal(t, rtos.Orphan{Mutex: "A", Owner: "L", Ended: 5 * ms}, k.Orphans()[0])
					err := m.LockFor(h, 50*ms)
					assert.Equal(t, 5, h.Priority())
					assert.Equal(t, 5, h.BasePriority())
					if robust {
						assert.ErrorIs(t, err, rtos.ErrOwnerDied)
						assert.Equal(t, 10, at(k))
						assert.NoError(t, m.Unlock(h))
						return
					}
					assert.ErrorIs(t, err, rtos.ErrTimeout)
					assert.Equal(t, 60, at(k))
					assert.Nil(t, m.Holder())
					assert.Equal(t, `orphaned mutex "A", owner "L" ended at 5ms`, k.Orphans()[0].String())
				})
			})
		})
	}
}

// 8: a give by a task that is not the owner is refused and has no effect.
func TestFieldCase8GiveByANonOwner(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		a, r := rtos.NewMutex("A"), rtos.NewRecursiveMutex("R")
		l := spawn(t, k, "L", 1, func(l *rtos.Task) {
			assert.NoError(t, a.Lock(l))
			assert.NoError(t, r.Lock(l))
			assert.NoError(t, r.Lock(l))
			assert.NoError(t, l.SuspendSelf())
			assert.NoError(t, r.Unlock(l))
			assert.NoError(t, r.Unlock(l))
			assert.NoError(t, a.Unlock(l))
		})
		spawn(t, k, "H", 5, func(h *rtos.Task) {
			assert.NoError(t, h.Delay(3*ms))
			assert.ErrorIs(t, r.Unlock(h), rtos.ErrNotOwner)
			assert.ErrorIs(t, r.LockFor(h, 2*ms), rtos.ErrTimeout)
			assert.Equal(t, 5, at(k))
			misuses(t, miss("Mutex.Unlock", "H", "A", `held by task "L"`), func() { _ = a.Unlock(h) })
			assert.Same(t, l, a.Holder())
			assert.Same(t, l, r.Holder())
			assert.Equal(t, 2, r.Info().Depth)
			l.Resume()
		})
	})
}

// 10: a give and the limit at the same moment: one outcome, and no token is lost or
// made, whoever is faster.
func TestFieldCase10GiveAndTimeoutTogether(t *testing.T) {
	taken, late := 0, 0
	for i := range 400 {
		bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
			s := rtos.NewBinary("S")
			limit := 10 * ms
			if i%2 == 1 {
				limit += time.Nanosecond
			}
			w := spawn(t, k, "W", 2, func(w *rtos.Task) {
				switch err := s.TakeFor(w, limit); err {
				case nil:
					taken++
				default:
					late++
					assert.ErrorIs(t, err, rtos.ErrTimeout)
					assert.NoError(t, w.Delay(ms))
					assert.True(t, s.TryTake(w), "the token was lost")
				}
				assert.False(t, s.TryTake(w), "a token was made")
				assert.Equal(t, 10*ms, k.Now().Round(5*ms))

				v, err := w.NotifyTake(true, limit)
				if err != nil {
					assert.NoError(t, w.Delay(ms))
					v, err = w.NotifyTake(true, 0)
				}
				assert.NoError(t, err)
				assert.Equal(t, uint32(1), v, "notifications")
				_, err = w.NotifyTake(true, 0)
				assert.ErrorIs(t, err, rtos.ErrWouldBlock)
			})
			spawn(t, k, "G", 5, func(g *rtos.Task) {
				assert.NoError(t, g.Delay(10*ms))
				assert.True(t, s.Give())
				for w.State() != rtos.StateBlocked {
					assert.NoError(t, g.Delay(time.Nanosecond))
				}
				assert.NoError(t, g.Delay(10*ms))
				assert.NoError(t, w.NotifyGive())
			})
		})
	}
	assert.Equal(t, 400, taken+late)
}

// 12: a missed period is told, the phase is kept, what was missed is caught up.
func TestFieldCase12MissedPeriod(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		spawn(t, k, "A", 3, func(a *rtos.Task) {
			var ref time.Duration
			missed := 0
			for i, want := range []struct {
				at, ref int
				waited  bool
			}{{10, 10, true}, {20, 20, true}, {45, 30, false}, {45, 40, false}, {50, 50, true}, {60, 60, true}, {70, 70, true}} {
				if i == 2 {
					time.Sleep(25 * ms)
				}
				waited, err := a.DelayUntil(&ref, 10*ms)
				assert.NoError(t, err)
				assert.Equal(t, want.waited, waited, "call %d", i)
				assert.Equal(t, want.at, at(k), "call %d", i)
				assert.Equal(t, time.Duration(want.ref)*ms, ref, "call %d", i)
				if !waited {
					missed++
				}
			}
			assert.Equal(t, 2, missed)
			ref = k.Now() + time.Hour
			waited, err := a.DelayUntil(&ref, 10*ms)
			assert.NoError(t, err)
			assert.False(t, waited, "a reference in the future is not slept on")
			assert.Equal(t, 70, at(k))
		})
	})
}

// 13: a give before the take is kept; take-and-clear returns the whole count.
func TestFieldCase13GivesBeforeTheTake(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		w := spawn(t, k, "W", 3, func(w *rtos.Task) {
			take := func(clear bool, d time.Duration) (uint32, error) { return w.NotifyTake(clear, d) }
			assert.NoError(t, w.Delay(5*ms))
			v, err := take(true, 10*ms)
			assert.Equal(t, uint32(2), v)
			assert.NoError(t, err)
			assert.Equal(t, 5, at(k))
			v, err = take(true, 3*ms)
			assert.Zero(t, v)
			assert.ErrorIs(t, err, rtos.ErrTimeout)
			assert.Equal(t, 8, at(k))
			assert.NoError(t, w.Delay(10*ms))
			for want := uint32(3); want > 0; want-- {
				v, err = take(false, 0)
				assert.Equal(t, want, v)
				assert.NoError(t, err)
			}
			v, err = take(false, 0)
			assert.Zero(t, v)
			assert.ErrorIs(t, err, rtos.ErrWouldBlock)
			assert.Equal(t, 18, at(k))
		})
		spawn(t, k, "G", 2, func(g *rtos.Task) {
			for range 2 {
				assert.NoError(t, w.NotifyGive())
			}
			assert.NoError(t, g.Delay(12*ms))
			for range 3 {
				assert.NoError(t, w.NotifyGive())
			}
		})
	})
}

// 14: woken with value zero is not a timeout.
func TestFieldCase14WokenWithZero(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		w := spawn(t, k, "W", 3, func(w *rtos.Task) {
			for i, f := range []func() (uint32, error){
				func() (uint32, error) { return w.NotifyTake(true, 100*ms) },
				func() (uint32, error) { return w.NotifyWait(rtos.NotifyWait{}, 100*ms) },
				func() (uint32, error) { return w.NotifyWait(rtos.NotifyWait{ClearOnExit: 1<<32 - 1}, 100*ms) },
				func() (uint32, error) { return w.NotifyTake(true, 100*ms) },
			} {
				v, err := f()
				assert.Zero(t, v)
				assert.NoError(t, err, "call %d", i)
				assert.Equal(t, 5*(i+1), at(k), "call %d", i)
			}
			v, err := w.NotifyTake(true, 100*ms)
			assert.Zero(t, v)
			assert.ErrorIs(t, err, rtos.ErrTimeout)
			assert.Equal(t, 120, at(k))
		})
		spawn(t, k, "G", 2, func(g *rtos.Task) {
			for i := range 4 {
				assert.NoError(t, g.Delay(5*ms))
				action := rtos.NoAction
				if i >= 2 {
					action = rtos.SetBits
				}
				assert.NoError(t, w.Notify(0, action))
			}
		})
	})
}

// 15: resume of a waiting task does nothing; suspend ends its wait; what comes
// meanwhile is stored; resume returns with what is stored.
func TestFieldCase15SuspendResumeNotify(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		type result struct {
			v   uint32
			err error
			at  int
		}
		var got []result
		w := spawn(t, k, "W", 3, func(w *rtos.Task) {
			for range 3 {
				v, err := w.NotifyTake(true, rtos.Forever)
				got = append(got, result{v, err, at(k)})
			}
		})
		spawn(t, k, "G", 2, func(g *rtos.Task) {
			sleep := func(n int) { assert.NoError(t, g.Delay(time.Duration(n)*ms-k.Now())) }
			sleep(5)
			assert.Equal(t, rtos.StateBlocked, w.State())
			w.Resume()
			assert.Equal(t, rtos.StateBlocked, w.State())
			w.Suspend()
			assert.Equal(t, rtos.StateSuspended, w.State())
			assert.NoError(t, w.NotifyGive())
			assert.Equal(t, rtos.StateSuspended, w.State())
			sleep(10)
			assert.Empty(t, got)
			w.Resume()
			sleep(15)
			w.Suspend()
			sleep(17)
			assert.Len(t, got, 1)
			w.Resume()
			sleep(20)
			assert.True(t, w.AbortDelay())
		})
		t.Cleanup(func() {
			assert.Equal(t, []result{{1, nil, 10}, {0, rtos.ErrAborted, 17}, {0, rtos.ErrAborted, 20}}, got)
		})
	})
}

// 19: the counter is exact without any lock, and at most the very last give finds that
// its target has ended.
func TestFieldCase19PingPong(t *testing.T) {
	rounds := 100_000
	if testing.Short() {
		rounds = 5_000
	}
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			withProcs(t, procs)
			leakless(t)
			k := newKernel(t, rtos.Config{})
			var refused atomic.Int32
			refusedAt := [2]int{-1, -1}
			var tasks [2]*rtos.Task
			counter := 0 // no lock: the token is one
			ends := [2]int{}
			for i := range tasks {
				tasks[i] = spawn(t, k, string(rune('A'+i)), 3, func(me *rtos.Task) {
					for n := range rounds {
						if _, err := me.NotifyTake(true, rtos.Forever); err != nil {
							t.Error(err)
							return
						}
						counter++
						if n == rounds-1 {
							ends[i] = counter
						}
						if err := tasks[1-i].NotifyGive(); err != nil {
							assert.ErrorIs(t, err, rtos.ErrDeleted)
							refused.Add(1)
							refusedAt[i] = n
						}
					}
				})
			}
			require.NoError(t, tasks[0].NotifyGive())
			finish(t, k)
			assert.Equal(t, 2*rounds, counter)
			assert.Equal(t, [2]int{2*rounds - 1, 2 * rounds}, ends)
			assert.LessOrEqual(t, refused.Load(), int32(1))
			assert.Equal(t, -1, refusedAt[0], "A's gives all arrive")
			if refused.Load() == 1 {
				assert.Equal(t, rounds-1, refusedAt[1], "only the last give")
			}
		})
	}
}

// 21: waits that ended without success leave nothing behind, and eat nothing later.
func TestFieldCase21NothingIsLeftBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	count := runtime.NumGoroutine()
	k := newKernel(t, rtos.Config{})
	s, m := rtos.NewBinary("S"), rtos.NewMutex("M")
	s0 := rtos.NewBinary("S0")
	spawn(t, k, "timeouts", 1, func(me *rtos.Task) {
		for range 10_000 {
			if s.TakeFor(me, time.Microsecond) != rtos.ErrTimeout {
				t.Error("not timed out")
			}
		}
		assert.True(t, s.Give())
		assert.Equal(t, 1, s.Count(), "a ghost waiter ate the token")
	})
	victim := spawn(t, k, "aborted", 1, func(me *rtos.Task) {
		for range 1_000 {
			if s0.Take(me) != rtos.ErrAborted {
				t.Error("not aborted")
			}
		}
	})
	spawn(t, k, "deleted", 1, func(me *rtos.Task) {
		for aborted := 0; aborted < 1_000; {
			if victim.AbortDelay() {
				aborted++
			}
			me.Yield()
		}
		<-victim.Done()
		assert.True(t, s0.Give())
		assert.Equal(t, 1, s0.Count(), "a ghost waiter ate the token")
		assert.NoError(t, s0.Take(me))

		assert.NoError(t, m.Lock(me))
		for i := range 1_000 {
			v := spawn(t, k, "victim", 2, func(v *rtos.Task) {
				switch i % 3 {
				case 0:
					_ = m.Lock(v)
				case 1:
					_, _ = v.NotifyTake(true, time.Hour)
				case 2:
					_ = s0.TakeFor(v, time.Hour)
				}
				t.Error("went on")
			})
			for v.State() != rtos.StateBlocked {
				me.Yield()
			}
			v.Delete()
			<-v.Done()
		}
		assert.NoError(t, m.Unlock(me))
		assert.Equal(t, 1, me.Priority())
		assert.True(t, s0.Give())
		assert.Equal(t, 1, s0.Count(), "a ghost waiter ate the token")
	})
	finish(t, k)
	assert.Empty(t, m.Info().Waiters)
	assert.Empty(t, s0.Info().Waiters)
	assert.NoError(t, leaks(before, ofTheRuntime))
	assert.LessOrEqual(t, runtime.NumGoroutine(), count)
}
