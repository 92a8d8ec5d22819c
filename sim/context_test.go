package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A context that is done ends a wait before time moves on, whoever works meanwhile.
func TestContextsAreLookedAtBeforeTimeMoves(t *testing.T) {
	for _, prio := range []int{0, 1, 2, 3} {
		k, s := newSim(t, sim.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		sem := rtos.NewBinary("s")
		var ended uint64
		waiter := spawn(t, k, "waits", prio, func(me *rtos.Task) {
			assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.Canceled)
			ended = s.Time()
		})
		spawn(t, k, "works", 2, func(me *rtos.Task) {
			assert.NoError(t, me.Delay(k.Ticks(3)))
			assert.Equal(t, rtos.StateBlocked, waiter.State())
			cancel()
			me.Work(k.Ticks(10))
		})
		require.NoError(t, k.Run(t.Context()))
		assert.EqualValues(t, map[int]uint64{0: 13, 1: 13, 2: 4, 3: 3}[prio], ended, "priority %d", prio)
	}
}

// It also ends at the next switch, before a less urgent task runs.
func TestContextsAreLookedAtAtSwitches(t *testing.T) {
	k, _ := newSim(t, sim.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	sem := rtos.NewBinary("s")
	var order []string
	spawn(t, k, "waits", 3, func(me *rtos.Task) {
		assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.Canceled)
		order = append(order, "waits")
	})
	spawn(t, k, "low", 1, func(*rtos.Task) { order = append(order, "low") })
	spawn(t, k, "cancels", 2, func(*rtos.Task) { cancel() })
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"waits", "low"}, order)
}

// So does one that was ended between runs, whatever the priority of the task.
func TestContextsEndedFromOutside(t *testing.T) {
	for _, o := range []sim.Options{{}, {Preemption: sim.Off}} {
		for prio := range 3 {
			k, s := newSim(t, o)
			ctx, cancel := context.WithCancel(t.Context())
			sem := rtos.NewBinary("s")
			a := spawn(t, k, "a", prio, func(me *rtos.Task) { assert.ErrorIs(t, sem.TakeCtx(ctx, me), context.Canceled) })
			require.NoError(t, s.RunUntil(5))
			cancel()
			require.NoError(t, s.Settle())
			assert.Equal(t, rtos.StateDeleted, a.State())
			assert.EqualValues(t, 5, s.Time())
		}
	}
}
