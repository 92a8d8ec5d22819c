package rtos_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// AbortDelay ends every kind of wait but a suspension, tells that it has, and the call
// says so; whatever the task waited for later is waited for in full.
func TestAbortEndsEveryWait(t *testing.T) {
	for _, w := range waits {
		t.Run(w.name, func(t *testing.T) {
			inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
				world := newWaitWorld(k)
				suspended := w.name == "SuspendSelf"
				spawn(t, k, "boss", 2, func(boss *rtos.Task) {
					assert.NoError(t, world.m.Lock(boss))
					assert.NoError(t, world.r.Lock(boss))
					assert.False(t, boss.AbortDelay(), "a running task is in no wait")
					var got, next error
					a := spawn(t, k, "a", 1, func(a *rtos.Task) {
						got = w.wait(world, a)
						begin := k.Now()
						next = rtos.NewBinary("next").TakeFor(a, k.Ticks(3))
						assert.GreaterOrEqual(t, k.Now()-begin, k.Ticks(3))
					})
					let(t, boss, "a waits", func() bool { return isWaiting(a) })
					assert.Equal(t, !suspended, a.AbortDelay())
					if suspended {
						a.Resume()
					}
					let(t, boss, "a ends", func() bool { return a.State() == rtos.StateDeleted })
					assert.False(t, a.AbortDelay(), "an ended task is in no wait")
					assert.Equal(t, rtos.ErrTimeout, next)
					if suspended {
						assert.NoError(t, got)
					} else {
						assert.Equal(t, rtos.ErrAborted, got)
					}
					assert.NoError(t, world.r.Unlock(boss))
					assert.NoError(t, world.m.Unlock(boss))
				})
				finish(t, k)
			})
		})
	}
}

// What is there when the aborted task runs is taken all the same.
func TestAbortedTaskTakesWhatIsThere(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	sem, m := rtos.NewBinary("s"), rtos.NewMutex("m")
	done := 0
	takers := []*rtos.Task{
		spawn(t, k, "sem", 1, func(a *rtos.Task) { assert.NoError(t, sem.Take(a)); done++ }),
		spawn(t, k, "mutex", 1, func(a *rtos.Task) {
			assert.NoError(t, m.LockFor(a, k.Ticks(100)))
			assert.NoError(t, m.Unlock(a))
			done++
		}),
		spawn(t, k, "notify", 1, func(a *rtos.Task) {
			v, err := a.NotifyTake(true, k.Ticks(100))
			assert.NoError(t, err)
			assert.Equal(t, uint32(1), v)
			done++
		}),
	}
	spawn(t, k, "boss", 2, func(boss *rtos.Task) {
		assert.NoError(t, m.Lock(boss))
		assert.NoError(t, boss.Delay(k.Ticks(5)))
		for _, a := range takers {
			assert.True(t, a.AbortDelay())
			assert.False(t, a.AbortDelay(), "its wait is over")
		}
		assert.True(t, sem.Give())
		assert.NoError(t, m.Unlock(boss))
		assert.NoError(t, takers[2].NotifyGive())
		assert.Equal(t, uint64(5), s.Time())
	})
	finish(t, k)
	assert.Equal(t, 3, done)
	assert.Equal(t, rtos.Ticks(5), k.TickCount())
	assert.Zero(t, sem.Count())
}

// A delay of n ticks ends at the n-th tick from now; what is not a whole tick is rounded
// up; 0 yields.
func TestDelayInTicks(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want uint64
	}{
		{0, 0}, {1, 1}, {10*ms - 1, 1}, {10 * ms, 1}, {10*ms + 1, 2}, {35 * ms, 4}, {time.Hour, 360_000},
	} {
		k, s := newSim(t, sim.Options{}, rtos.Config{Tick: 10 * ms})
		spawn(t, k, "a", 1, func(a *rtos.Task) {
			assert.NoError(t, a.Delay(c.d))
			assert.Equal(t, c.want, s.Time(), "%v", c.d)
		})
		finish(t, k)
	}
}

func TestDelayOfZeroYields(t *testing.T) {
	for name, yield := range map[string]func(t *rtos.Task){
		"Delay(0)": func(t *rtos.Task) { _ = t.Delay(0) },
		"Yield":    (*rtos.Task).Yield,
	} {
		k, _ := newSim(t, sim.Options{}, rtos.Config{})
		order := ""
		for _, n := range []string{"a", "b", "c"} {
			spawn(t, k, n, 2, func(me *rtos.Task) {
				for range 3 {
					order += n
					yield(me)
				}
			})
		}
		spawn(t, k, "less urgent", 1, func(*rtos.Task) { order += "." })
		finish(t, k)
		assert.Equal(t, "cabcabcab.", order, name)
	}
}

// Where nothing is rounded a delay takes as long as it says, and a late one is not early.
func TestDelayIsExactInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, rtos.Config{})
		spawn(t, k, "a", 1, func(a *rtos.Task) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				d := time.Duration(r.Int64N(int64(time.Hour)))
				begin := k.Now()
				assert.NoError(t, a.Delay(d))
				assert.Equal(t, d, k.Now()-begin)
			}
		})
		finishBubble(t, k)
	})
}

// finishBubble is finish for a kernel that may outlive its patience in virtual time.
func finishBubble(t *testing.T, k *rtos.Kernel) {
	t.Helper()
	assert.NoError(t, k.Run(t.Context()))
}

// A periodic task has no drift, on either port, whatever it does between.
func TestPeriodsDoNotDrift(t *testing.T) {
	k, s := newSim(t, sim.Options{StartTick: 1<<32 - 50}, rtos.Config{})
	spawn(t, k, "a", 2, func(a *rtos.Task) {
		ref := k.Now()
		for i := range uint64(100) {
			a.Work(k.Ticks(i % 7))
			waited, err := a.DelayUntil(&ref, k.Ticks(7))
			assert.NoError(t, err)
			assert.True(t, waited)
			assert.Equal(t, 7*(i+1), s.Time())
			assert.Equal(t, k.Now(), ref)
		}
	})
	finish(t, k)
}

// A period that ends just now has not been missed, and is not waited for.
func TestPeriodThatEndsNow(t *testing.T) {
	for _, c := range []struct {
		work   uint64
		waited bool
		at     uint64
	}{{0, true, 10}, {9, true, 10}, {10, false, 10}, {11, false, 11}} {
		t.Run(fmt.Sprint(c.work), func(t *testing.T) {
			k, s := newSim(t, sim.Options{}, rtos.Config{})
			spawn(t, k, "a", 1, func(a *rtos.Task) {
				ref := time.Duration(0)
				a.Work(k.Ticks(c.work))
				waited, err := a.DelayUntil(&ref, k.Ticks(10))
				assert.NoError(t, err)
				assert.Equal(t, c.waited, waited)
				assert.Equal(t, c.at, s.Time())
				assert.Equal(t, k.Ticks(10), ref)
			})
			finish(t, k)
		})
	}
}

// An aborted period has moved the reference all the same; the next call does not wait.
func TestAbortedPeriodMovesTheReference(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		a := spawn(t, k, "a", 1, func(a *rtos.Task) {
			ref := time.Duration(0)
			waited, err := a.DelayUntil(&ref, 10*ms)
			assert.True(t, waited)
			assert.ErrorIs(t, err, rtos.ErrAborted)
			assert.Equal(t, 4, at(k))
			assert.Equal(t, 10*ms, ref)
			waited, err = a.DelayUntil(&ref, 10*ms)
			assert.NoError(t, err)
			assert.False(t, waited, "the reference is ahead")
			assert.Equal(t, 4, at(k))
			assert.Equal(t, 20*ms, ref)
		})
		spawn(t, k, "b", 1, func(b *rtos.Task) {
			assert.NoError(t, b.Delay(4*ms))
			assert.True(t, a.AbortDelay())
		})
	})
}
