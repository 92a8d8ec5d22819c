package sim_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestRunUntilLeavesTheTasksWhereTheyAre(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	laps := 0
	a := spawn(t, k, "a", 1, func(me *rtos.Task) {
		for {
			laps++
			me.Work(k.Ticks(2))
			if me.Delay(k.Ticks(3)) != nil {
				return
			}
		}
	})
	for _, c := range []struct {
		until uint64
		laps  int
		state rtos.State
	}{{1, 1, rtos.StateRunning}, {4, 1, rtos.StateBlocked}, {16, 4, rtos.StateRunning}} {
		require.NoError(t, s.RunUntil(c.until))
		assert.Equal(t, c.until, s.Time())
		assert.Equal(t, c.laps, laps)
		assert.Equal(t, c.state, a.State())
	}
	k.Stop()
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, rtos.StateDeleted, a.State())
}

// periodic makes a task that works for 2 of every 5 ticks.
func periodic(t *testing.T, k *rtos.Kernel, name string, prio int, laps *int) *rtos.Task {
	return spawn(t, k, name, prio, func(me *rtos.Task) {
		var ref time.Duration
		for {
			*laps++
			me.Work(k.Ticks(2))
			if _, err := me.DelayUntil(&ref, k.Ticks(5)); err != nil {
				return
			}
		}
	})
}

func TestRunForGoesOnFromWhereItIs(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	laps := 0
	periodic(t, k, "a", 1, &laps)
	for _, c := range []struct {
		ticks, time uint64
		laps        int
	}{{0, 0, 1}, {4, 4, 1}, {1, 5, 2}, {10, 15, 4}} {
		require.NoError(t, s.RunFor(c.ticks))
		assert.Equal(t, c.time, s.Time())
		assert.Equal(t, c.laps, laps)
	}
	require.NoError(t, s.RunUntil(3), "a time that has passed")
	assert.EqualValues(t, 15, s.Time())
}

// With no event ahead time still passes as far as it was asked to.
func TestRunUntilLetsTimePassWithNobodyLeft(t *testing.T) {
	_, s := newSim(t, sim.Options{})
	require.NoError(t, s.RunUntil(uint64(1<<40)))
	assert.EqualValues(t, uint64(1<<40), s.Time())
	require.NoError(t, s.RunFor(math.MaxUint64), "without end: to rest")
	assert.EqualValues(t, uint64(1<<40), s.Time())
}

func TestRunToStopsWhereTheConditionHolds(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	laps := 0
	a := periodic(t, k, "a", 1, &laps)
	b := spawn(t, k, "b", 2, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
	require.NoError(t, s.RunTo(func() bool { return laps == 3 }, 100))
	assert.EqualValues(t, 10, s.Time(), "looked at before time moves: the lap works until 12")

	require.NoError(t, s.RunTo(func() bool { return a.State() == rtos.StateBlocked }, 100))
	assert.EqualValues(t, 12, s.Time(), "looked at at the switch to idle")
	assert.Nil(t, s.Current())

	s.At(13, func(isr *rtos.ISR) { assert.NoError(t, b.NotifyGiveFromISR(isr)) })
	require.NoError(t, s.RunTo(func() bool { return s.Current() == b }, 100))
	assert.EqualValues(t, 13, s.Time())
	assert.Equal(t, rtos.StateRunning, b.State(), "chosen, and has not run yet")
	require.NoError(t, s.RunTo(func() bool { return true }, 0), "holds already, whatever the limit")
	assert.Equal(t, rtos.StateRunning, b.State())
}

func TestRunToFails(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	never := func() bool { return false }
	spawn(t, k, "a", 1, func(me *rtos.Task) { me.Work(k.Ticks(50)) })

	err := s.RunTo(never, 20)
	assert.ErrorIs(t, err, rtos.ErrTimeout)
	assert.ErrorContains(t, err, "does not hold by tick 20")
	assert.EqualValues(t, 20, s.Time())

	err = s.RunTo(never, 1000)
	assert.ErrorIs(t, err, rtos.ErrTimeout)
	assert.ErrorContains(t, err, "nothing can happen any more after tick 50")

	spawn(t, k, "b", 1, func(*rtos.Task) { k.Stop() })
	err = s.RunTo(never, 1000)
	assert.ErrorIs(t, err, rtos.ErrStopped)
	misuses(t, "Sim.RunTo", "nil condition", func() { _ = s.RunTo(nil, 1000) })
}

// Between runs the driver is outside: what it readies has the processor at once, even if
// a task was working.
func TestSettleThenGoOnFromOutside(t *testing.T) {
	for _, preemption := range []sim.Toggle{sim.On, sim.Off} {
		k, s := newSim(t, sim.Options{Preemption: preemption})
		var log []string
		note := func(what string) { log = append(log, fmt.Sprint(s.Time(), " ", what)) }
		sem := rtos.NewCounting("s", 9, 0)
		high := spawn(t, k, "high", 2, func(me *rtos.Task) {
			for sem.Take(me) == nil {
				note("high")
			}
		})
		low := spawn(t, k, "low", 1, func(me *rtos.Task) {
			for {
				_, _ = me.NotifyTake(true, rtos.Forever)
				me.Work(k.Ticks(5))
				note("low")
			}
		})
		require.NoError(t, s.Settle())
		assert.Empty(t, log)
		sem.Give()
		assert.Equal(t, preemption == sim.On, high.State() == rtos.StateRunning)
		require.NoError(t, s.Settle())
		assert.Equal(t, []string{"0 high"}, log)

		require.NoError(t, low.NotifyGive())
		require.NoError(t, s.RunFor(2))
		assert.Equal(t, rtos.StateRunning, low.State())
		sem.Give()
		require.NoError(t, s.Settle())
		if preemption == sim.On {
			assert.Equal(t, []string{"0 high", "2 high", "5 low"}, log)
		} else {
			assert.Equal(t, []string{"0 high", "5 low", "5 high"}, log)
		}
	}
}

// The driver may delete, suspend and resume whom it wants, also the task that has the
// processor.
func TestTheRunningTaskFromOutside(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var log []string
	work := func(me *rtos.Task) {
		defer func() { log = append(log, fmt.Sprint(me.Name(), " ends at ", s.Time())) }()
		me.Work(k.Ticks(10))
	}
	spawn(t, k, "a", 1, work)
	b, c := spawn(t, k, "b", 2, work), spawn(t, k, "c", 3, work)
	require.NoError(t, s.RunUntil(4))
	assert.Equal(t, "c", k.Current().Name())
	c.Suspend()
	assert.Equal(t, rtos.StateSuspended, c.State())
	assert.Equal(t, "b", k.Current().Name())
	require.NoError(t, s.RunUntil(6))
	b.Delete()
	assert.Equal(t, rtos.StateDeleted, b.State())
	assert.Equal(t, "a", k.Current().Name())
	require.NoError(t, s.RunUntil(7))
	c.Resume()
	assert.Equal(t, "c", k.Current().Name())
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"b ends at 6", "c ends at 13", "a ends at 22"}, log)
}

func TestStepIsOneEvent(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	spawn(t, k, "high", 2, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(3)))
		me.Work(k.Ticks(2))
	})
	spawn(t, k, "low", 1, func(me *rtos.Task) { me.Work(k.Ticks(100)) })
	s.At(50, func(*rtos.ISR) {})
	var seen []string
	for {
		at, ok := s.NextEvent()
		more, err := s.Step()
		require.NoError(t, err)
		assert.Equal(t, ok, more)
		if !more {
			break
		}
		who := "idle"
		if r := s.Running(); assert.Len(t, r, 1) && r[0] != nil {
			who = r[0].Name()
		}
		assert.Equal(t, at, s.Time(), "NextEvent told so")
		seen = append(seen, fmt.Sprint(s.Time(), " ", who))
	}
	assert.Equal(t, []string{"0 high", "0 low", "0 low", "3 high", "3 high", "5 high", "5 low", "50 low", "102 low", "102 idle"}, seen)
	_, ok := s.NextEvent()
	assert.False(t, ok)
}

func TestNextEvent(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	next := func() string {
		at, ok := s.NextEvent()
		return fmt.Sprint(at, ok)
	}
	assert.Equal(t, "0 true", next(), "the start")
	require.NoError(t, s.RunUntil(2))
	assert.Equal(t, "0 false", next(), "nothing")
	ctx, cancel := context.WithCancel(t.Context())
	sem := rtos.NewBinary("s")
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		assert.ErrorIs(t, sem.TakeFor(me, k.Ticks(10)), rtos.ErrTimeout)
		me.Work(k.Ticks(10))
		assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.Canceled)
	})
	assert.Equal(t, "2 true", next(), "a is about to run")
	require.NoError(t, s.RunUntil(2))
	assert.Equal(t, "12 true", next(), "a limit")
	s.At(7, func(*rtos.ISR) {})
	assert.Equal(t, "7 true", next(), "an interrupt")
	require.NoError(t, s.RunUntil(15))
	assert.Equal(t, "22 true", next(), "the end of work")
	assert.NoError(t, s.Inject(func(*rtos.ISR) {}))
	assert.Equal(t, "16 true", next(), "an injection")
	require.NoError(t, s.RunUntil(22))
	assert.Equal(t, "0 false", next())
	cancel()
	assert.Equal(t, "22 true", next(), "a context is done")
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, "0 false", next(), "over")
}
