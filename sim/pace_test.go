package sim_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A paced simulation does everything at its time by the wall clock.
func TestPace(t *testing.T) {
	for _, pace := range []float64{1, 10, 0.25} {
		synctest.Test(t, func(t *testing.T) {
			k, s := newSim(t, sim.Options{Pace: pace})
			start := time.Now()
			onTime := func() {
				want := time.Duration(float64(s.Time()) * float64(time.Millisecond) / pace)
				assert.Equal(t, want, time.Since(start))
			}
			laps := 0
			spawn(t, k, "a", 1, func(me *rtos.Task) {
				for ; laps < 20; laps++ {
					onTime()
					me.Work(k.Ticks(3))
					onTime()
					assert.NoError(t, me.Delay(k.Ticks(4)))
				}
			})
			for at := uint64(5); at < 100; at += 11 {
				s.At(at, func(*rtos.ISR) { onTime() })
			}
			require.NoError(t, s.RunUntil(50))
			onTime()
			require.NoError(t, k.Run(t.Context()))
			assert.Equal(t, 20, laps)
			assert.EqualValues(t, 140, s.Time())
		})
	}
}

// Lateness does not add up: what came too late is made up for at once.
func TestPaceIsAbsolute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newSim(t, sim.Options{Pace: 1, Watchdog: -1})
		start := time.Now()
		var times []time.Duration
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			var ref time.Duration
			for i := range 6 {
				if i == 1 {
					time.Sleep(25 * time.Millisecond) // the machine was busy
				}
				_, _ = me.DelayUntil(&ref, k.Ticks(10))
				times = append(times, time.Since(start)/time.Millisecond)
			}
		})
		require.NoError(t, k.Run(t.Context()))
		assert.Equal(t, []time.Duration{10, 35, 35, 40, 50, 60}, times)
	})
}

// Time between runs does not count.
func TestPaceBeginsAnewWithEachRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := newSim(t, sim.Options{Pace: 1})
		spawn(t, k, "a", 1, func(me *rtos.Task) { me.Work(k.Ticks(100)) })
		for range 3 {
			start := time.Now()
			require.NoError(t, s.RunFor(10))
			assert.Equal(t, 10*time.Millisecond, time.Since(start))
			time.Sleep(time.Second)
		}
	})
}

// An injection wakes a simulation that sleeps, and comes at the next tick by the wall
// clock, whatever else is to come.
func TestPacedInject(t *testing.T) {
	for _, busy := range []bool{false, true} {
		for _, outside := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				k, s := newSim(t, sim.Options{Pace: 1, Outside: outside})
				ctx, cancel := context.WithCancel(t.Context())
				var log []string
				sem := rtos.NewBinary("s")
				spawn(t, k, "high", 2, func(me *rtos.Task) {
					for sem.Take(me) == nil {
						log = append(log, fmt.Sprint(s.Time()))
					}
				})
				spawn(t, k, "low", 1, func(me *rtos.Task) {
					if busy {
						me.Work(k.Ticks(1000))
					} else {
						_ = me.Delay(k.Ticks(1000))
					}
					log = append(log, fmt.Sprint(s.Time(), " low"))
				})
				start := time.Now()
				done := make(chan error)
				go func() { done <- k.Run(ctx) }()
				for _, d := range []time.Duration{100*time.Millisecond + 500*time.Microsecond, 250 * time.Millisecond, 2 * time.Second} {
					time.Sleep(d)
					_ = s.Inject(func(isr *rtos.ISR) { sem.GiveFromISR(isr) })
				}
				time.Sleep(time.Second)
				cancel()
				err := <-done
				if outside {
					assert.ErrorIs(t, err, context.Canceled)
					assert.Equal(t, []string{"101", "351", "1000 low", "2351"}, log)
				} else {
					assert.NoError(t, err, "it was over at 1000")
					assert.Equal(t, []string{"101", "351", "1000 low"}, log)
				}
				_ = start
			})
		}
	}
}

// An injection at the very instant of another event delays nothing.
func TestPacedInjectAtTheInstantOfAnEvent(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			k, s := newSim(t, sim.Options{Pace: 1})
			spawn(t, k, "a", 1, func(me *rtos.Task) {
				for i := range uint64(10) {
					_ = me.Delay(k.Ticks(10))
					assert.Equal(t, 10*i+10, s.Time())
				}
			})
			go func() {
				for range 9 {
					time.Sleep(10 * time.Millisecond)
					assert.NoError(t, s.Inject(func(*rtos.ISR) {}))
				}
			}()
			require.NoError(t, k.Run(t.Context()))
			assert.EqualValues(t, 100, s.Time())
		})
	}
}

// The end of its context wakes a simulation that sleeps.
func TestPacedRunHearsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := newSim(t, sim.Options{Pace: 1})
		spawn(t, k, "a", 1, func(me *rtos.Task) { _ = me.Delay(time.Hour) })
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, k.Run(ctx), context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.EqualValues(t, 60_000, s.Time())
	})
}

// So does the end of a context that a task waits with.
func TestPacedWaitHearsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := newSim(t, sim.Options{Pace: 1})
		sem := rtos.NewBinary("s")
		spawn(t, k, "other", 1, func(me *rtos.Task) { _ = me.Delay(time.Hour) })
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.DeadlineExceeded)
			assert.EqualValues(t, 60_000, s.Time())
			k.Stop()
		})
		require.NoError(t, k.Run(t.Context()))
	})
}
