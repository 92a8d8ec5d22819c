package sim_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

func newSim(t *testing.T, o sim.Options) (*rtos.Kernel, *sim.Sim) {
	t.Helper()
	s := sim.New(o)
	k, err := rtos.New(rtos.Config{Port: s, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return k, s
}

func spawn(t *testing.T, k *rtos.Kernel, name string, prio int, f func(*rtos.Task)) *rtos.Task {
	t.Helper()
	task, err := k.Spawn(name, prio, f)
	require.NoError(t, err)
	return task
}

func TestIdleTicksCostNothing(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	const ticks = 1_000_000_000
	spawn(t, k, "sleeper", 1, func(me *rtos.Task) { assert.NoError(t, me.Delay(k.Ticks(ticks))) })
	spawn(t, k, "worker", 1, func(me *rtos.Task) { me.Work(k.Ticks(ticks / 2)) })
	start := time.Now()
	require.NoError(t, k.Run(t.Context()))
	assert.Less(t, time.Since(start), 5*time.Second)
	assert.EqualValues(t, ticks+1, s.Time(), "the worker, made last, runs first, and the sleeper from the first tick on")
}

// The kernel's tick count wraps; waits and virtual time do not notice.
func TestTickCountWraps(t *testing.T) {
	k, s := newSim(t, sim.Options{StartTick: math.MaxUint32 - 1})
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(5)))
		assert.EqualValues(t, 3, k.TickCount())
		assert.EqualValues(t, 5, s.Time())
	})
	require.NoError(t, k.Run(t.Context()))
}

// A task of the lowest level shares it with idle, which gives way at once.
func TestLowestPriorityRunsBesideIdle(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	sem := rtos.NewBinary("s")
	got := false
	spawn(t, k, "high", 1, func(me *rtos.Task) { got = sem.Take(me) == nil })
	spawn(t, k, "zero", 0, func(me *rtos.Task) {
		me.Yield()
		me.Work(k.Ticks(3))
		sem.Give()
	})
	require.NoError(t, k.Run(t.Context()))
	assert.True(t, got)
	assert.Less(t, s.Time(), uint64(10))
}

func TestInterruptsRunInTheOrderOfTheirCalls(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var order []string
	for _, i := range []struct {
		at   uint64
		name string
	}{{7, "c"}, {3, "a"}, {7, "d"}, {3, "b"}} {
		s.At(i.at, func(*rtos.ISR) { order = append(order, i.name) })
	}
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"a", "b", "c", "d"}, order)
	assert.Panics(t, func() { s.At(7, func(*rtos.ISR) {}) }, "that tick has passed")
	assert.Panics(t, func() { s.At(9, nil) })
}

// An interrupt that does not yield leaves its switch owed to the next tick.
func TestOwedSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		opts []sim.InterruptOption
		at   uint64
	}{"yields": {nil, 3}, "does not": {[]sim.InterruptOption{sim.NoYield()}, 4}} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			var at uint64
			high := spawn(t, k, "high", 2, func(me *rtos.Task) {
				_, _ = me.NotifyTake(true, rtos.Forever)
				at = s.Time()
			})
			spawn(t, k, "low", 1, func(me *rtos.Task) { me.Work(k.Ticks(9)) })
			s.At(3, func(isr *rtos.ISR) { assert.NoError(t, high.NotifyGiveFromISR(isr)) }, c.opts...)
			require.NoError(t, k.Run(t.Context()))
			assert.Equal(t, c.at, at)
		})
	}
}

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

// A recover that swallows the unwinding meets it again at the next call.
func TestDeletionCannotBeSwallowed(t *testing.T) {
	k, _ := newSim(t, sim.Options{})
	met := 0
	victim := spawn(t, k, "victim", 1, func(me *rtos.Task) {
		for range 100 {
			func() {
				defer func() {
					if recover() != nil {
						met++
					}
				}()
				_ = me.Delay(rtos.Forever)
			}()
		}
	})
	spawn(t, k, "killer", 1, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(1)))
		victim.Delete()
		assert.Equal(t, rtos.StateDeleted, victim.State(), "unwound before Delete returns")
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, 100, met)
}

func TestPanicEndsTheRun(t *testing.T) {
	k, _ := newSim(t, sim.Options{})
	boom := errors.New("boom")
	spawn(t, k, "waits", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
	spawn(t, k, "bad", 1, func(*rtos.Task) { panic(boom) })
	err := k.Run(context.Background())
	var p *rtos.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "bad", p.Task)
	assert.ErrorIs(t, err, boom)
	assert.Zero(t, k.NumTasks())
}

func TestOneKernelOnly(t *testing.T) {
	_, s := newSim(t, sim.Options{})
	_, err := rtos.New(rtos.Config{Port: s})
	assert.ErrorContains(t, err, "one kernel")
}
