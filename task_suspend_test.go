package rtos_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

// A task that was suspended before it ran does not begin until it is resumed.
func TestSuspendedBeforeItsStart(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		var began atomic.Bool
		a := spawn(t, k, "a", 3, func(*rtos.Task) { began.Store(true) })
		assert.Equal(t, rtos.StateReady, a.State())
		a.Suspend()
		assert.Equal(t, rtos.StateSuspended, a.State())
		spawn(t, k, "b", 1, func(me *rtos.Task) {
			for range 10 {
				assert.NoError(t, me.Delay(k.Ticks(1)))
			}
			assert.False(t, began.Load(), "it ran although suspended")
			assert.Equal(t, rtos.StateSuspended, a.State())
			a.Resume()
		})
		finish(t, k)
		assert.True(t, began.Load())
	})
}

// Deleted before it ran, it never begins.
func TestDeletedBeforeItsStart(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		a := spawn(t, k, "a", 3, func(*rtos.Task) { t.Error("ran") })
		b := spawn(t, k, "b", 3, func(*rtos.Task) { t.Error("ran") })
		a.Suspend()
		a.Delete()
		b.Delete()
		finish(t, k)
		assert.Equal(t, rtos.StateDeleted, a.State())
		assert.Equal(t, rtos.StateDeleted, b.State())
	})
}

// Suspending a waiter ends its wait; resumed, it waits on for the rest of its limit,
// where FreeRTOS lets it, and what came meanwhile is not lost.
func TestSuspendedWaitGoesOnForTheRestOfItsLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		given bool
		want  error
		ends  int
	}{
		{"nothing comes", false, rtos.ErrTimeout, 100},
		{"given while suspended", true, nil, 50},
	} {
		for _, object := range []string{"semaphore", "mutex"} {
			t.Run(c.name+"/"+object, func(t *testing.T) {
				bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
					w := newWaitWorld(k)
					holder := spawn(t, k, "holder", 1, func(h *rtos.Task) {
						assert.NoError(t, w.m.Lock(h))
						_, _ = h.NotifyTake(true, 200*ms)
						assert.NoError(t, w.m.Unlock(h))
					})
					a := spawn(t, k, "a", 2, func(a *rtos.Task) {
						assert.NoError(t, a.Delay(ms))
						var err error
						if object == "mutex" {
							err = w.m.LockFor(a, 99*ms)
							if err == nil {
								assert.NoError(t, w.m.Unlock(a))
							}
						} else {
							err = w.s.TakeFor(a, 99*ms)
						}
						assert.ErrorIs(t, err, c.want)
						assert.Equal(t, c.ends, at(k))
					})
					spawn(t, k, "b", 3, func(b *rtos.Task) {
						assert.NoError(t, b.Delay(10*ms))
						a.Suspend()
						a.Suspend() // does not nest
						assert.Equal(t, rtos.StateSuspended, a.State())
						assert.Empty(t, w.s.Info().Waiters)
						assert.NoError(t, b.Delay(10*ms))
						if c.given {
							assert.True(t, w.s.Give())
							assert.NoError(t, holder.NotifyGive())
						}
						assert.NoError(t, b.Delay(30*ms))
						assert.Equal(t, rtos.StateSuspended, a.State())
						assert.False(t, a.AbortDelay(), "a suspended task is in no wait")
						a.Resume()
					})
				})
			})
		}
	}
}

// A limit that is over while the task is suspended is told when it is resumed.
func TestLimitEndsWhileSuspended(t *testing.T) {
	bubble(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		s := rtos.NewBinary("s")
		a := spawn(t, k, "a", 2, func(a *rtos.Task) {
			assert.ErrorIs(t, s.TakeFor(a, 20*ms), rtos.ErrTimeout)
			assert.Equal(t, 50, at(k))
			assert.ErrorIs(t, a.Delay(20*ms), rtos.ErrAborted, "a delay ends by suspension")
			assert.Equal(t, 70, at(k))
		})
		spawn(t, k, "b", 3, func(b *rtos.Task) {
			assert.NoError(t, b.Delay(10*ms))
			a.Suspend()
			assert.NoError(t, b.Delay(40*ms))
			a.Resume()
			assert.NoError(t, b.Delay(10*ms))
			a.Suspend()
			assert.NoError(t, b.Delay(10*ms))
			a.Resume()
		})
	})
}

func TestSuspendSelfUntilResumed(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		rounds := 0
		a := spawn(t, k, "a", 3, func(a *rtos.Task) {
			for range 5 {
				assert.NoError(t, a.SuspendSelf())
				rounds++
			}
		})
		spawn(t, k, "b", 1, func(b *rtos.Task) {
			for i := range 5 {
				let(t, b, "a is suspended", func() bool { return a.State() == rtos.StateSuspended && rounds == i })
				assert.False(t, a.AbortDelay())
				assert.NoError(t, a.NotifyGive(), "stored, but does not resume")
				a.Resume()
			}
			<-a.Done()
		})
		finish(t, k)
		assert.Equal(t, 5, rounds)
	})
}

// A computing task is suspended at its next checkpoint, and says so from the call on.
func TestSuspendOfAComputingTask(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	var laps atomic.Int64
	var stop atomic.Bool
	a := spawn(t, k, "a", 1, func(a *rtos.Task) {
		for !stop.Load() {
			laps.Add(1)
			assert.NoError(t, a.Checkpoint())
		}
	})
	spawn(t, k, "b", 1, func(b *rtos.Task) {
		for range 10 {
			from := laps.Load()
			let(t, b, "a runs", func() bool { return laps.Load() > from })
			a.Suspend()
			assert.Equal(t, rtos.StateSuspended, a.State())
			seen := laps.Load()
			assert.NoError(t, b.Delay(time.Millisecond))
			at := laps.Load()
			assert.LessOrEqual(t, at, seen+1)
			a.Resume()
		}
		stop.Store(true)
	})
	finish(t, k)
}

// Several that suspend and resume a task at the same time do it no harm: when all is
// quiet it hears the next notification. Many slots and threads make a suspender
// likely to be held up while it looks through the slots.
func TestSuspendersAtTheSameTimeLoseNoNotification(t *testing.T) {
	withProcs(t, 8)
	const last = 254
	k := newKernel(t, rtos.Config{NotifySlots: last + 1})
	var taken atomic.Int64
	a := spawn(t, k, "a", 1, func(a *rtos.Task) {
		for {
			v, _ := a.NotifyTakeAt(last, true, rtos.Forever)
			taken.Add(int64(v))
		}
	})
	wait := background(t, k)
	deaf := false
	for i, start := int64(0), time.Now(); time.Since(start) < time.Second && !deaf; i++ {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for range 100 {
					a.Suspend()
					a.Resume()
				}
			})
		}
		wg.Wait()
		untilBlocked(t, a)
		assert.NoError(t, a.NotifyGiveAt(last))
		for given := time.Now(); taken.Load() <= i && !deaf; runtime.Gosched() {
			deaf = time.Since(given) > 2*time.Second
		}
	}
	assert.False(t, deaf, "a notification is not heard: %v, slot %+v", a.Info().State, a.Info().Notify[last])
	k.Stop()
	assert.NoError(t, wait())
}
