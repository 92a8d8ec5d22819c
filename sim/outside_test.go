package sim_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// What is injected while the simulation stands is done by the next drive, at its next
// tick and in its order.
func TestInjectBetweenRuns(t *testing.T) {
	_, s := newSim(t, sim.Options{})
	var log []string
	inject := func(what string) {
		assert.NoError(t, s.Inject(func(*rtos.ISR) { log = append(log, fmt.Sprint(s.Time(), " ", what)) }))
	}
	inject("a")
	inject("b")
	require.NoError(t, s.Settle())
	require.NoError(t, s.RunUntil(7))
	inject("c")
	require.NoError(t, s.RunUntil(7))
	assert.Len(t, log, 2, "needs a tick")
	require.NoError(t, s.RunUntil(100))
	assert.Equal(t, []string{"1 a", "1 b", "8 c"}, log)
	misuses(t, "Sim.Inject", "nil function", func() { _ = s.Inject(nil) })
}

// Any number of goroutines may inject while the simulation runs: nothing is lost, and
// what one of them injects keeps its order.
func TestInjectWhileItRuns(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	const goroutines, each = 4, 200
	var got [goroutines][]int
	n := 0
	sem := rtos.NewCounting("s", goroutines*each, 0)
	spawn(t, k, "counts", 2, func(me *rtos.Task) {
		for ; n < goroutines*each; n++ {
			assert.NoError(t, sem.Take(me))
		}
		k.Stop()
	})
	spawn(t, k, "busy", 1, func(me *rtos.Task) {
		for {
			me.Work(k.Ticks(3))
			_ = me.Delay(k.Ticks(2))
		}
	})
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				assert.NoError(t, s.Inject(func(isr *rtos.ISR) {
					got[g] = append(got[g], i)
					sem.GiveFromISR(isr)
				}))
			}
		})
	}
	require.NoError(t, k.Run(t.Context()))
	group.Wait()
	assert.Equal(t, goroutines*each, n)
	for g := range got {
		require.Len(t, got[g], each)
		for i := range each {
			assert.Equal(t, i, got[g][i])
		}
	}
	assert.ErrorIs(t, s.Inject(func(*rtos.ISR) {}), rtos.ErrStopped)
}

// With Outside a run waits for what others inject, until its context is done.
func TestOutsideWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, s := newSim(t, sim.Options{Outside: true})
		sem := rtos.NewBinary("s")
		var log []string
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for sem.Take(me) == nil {
				log = append(log, fmt.Sprint("taken at ", s.Time()))
				_ = me.Delay(k.Ticks(10))
			}
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() { done <- k.Run(ctx) }()
		for range 2 {
			time.Sleep(time.Hour)
			synctest.Wait()
			assert.NoError(t, s.Inject(func(isr *rtos.ISR) { sem.GiveFromISR(isr) }))
		}
		time.Sleep(time.Hour)
		enough := errors.New("enough")
		cancel(enough)
		assert.ErrorIs(t, <-done, enough)
		assert.Equal(t, []string{"taken at 1", "taken at 12"}, log, "time stands while nothing happens")
		assert.Zero(t, k.NumTasks())
	})
}

// It also waits for the contexts of its tasks.
func TestOutsideWaitsForContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newSim(t, sim.Options{Outside: true})
		sem := rtos.NewBinary("s")
		start := time.Now()
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.DeadlineExceeded)
			k.Stop()
		})
		require.NoError(t, k.Run(t.Context()))
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

// A context that ends stops a task that does nothing but yield.
func TestContextStopsALivelock(t *testing.T) {
	k, _ := newSim(t, sim.Options{Livelock: -1})
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		for ; ; n++ {
			if n == 1000 {
				go cancel()
			}
			me.Yield()
		}
	})
	assert.ErrorIs(t, k.Run(ctx), context.Canceled)
	assert.GreaterOrEqual(t, n, 1000)
}
