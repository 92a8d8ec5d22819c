package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A try of a lock that is held costs processor time, so that time goes on and the limit
// of the try can end; more urgent tasks run meanwhile.
func TestSpinCost(t *testing.T) {
	for cost, end := range map[int]uint64{0: 20, 1: 20, 7: 21, 100: 100} {
		k, s := newSim(t, sim.Options{SpinCost: cost})
		var lock rtos.Spinlock
		lock.Bare().Lock()
		urgent := uint64(0)
		spawn(t, k, "urgent", 2, func(me *rtos.Task) {
			assert.NoError(t, me.Delay(k.Ticks(3)))
			urgent = s.Time()
		})
		spawn(t, k, "spins", 1, func(me *rtos.Task) {
			assert.ErrorIs(t, lock.LockFor(me, k.Ticks(20)), rtos.ErrTimeout)
			assert.Equal(t, end, s.Time())
		})
		require.NoError(t, k.Run(t.Context()))
		assert.EqualValues(t, 3, urgent)
	}
}

// Nobody spins for ever for a lock whose holder has ended, nor goes the scheduler on
// standing still.
func TestSpinningForTheDead(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var lock rtos.Spinlock
	spawn(t, k, "dies", 2, func(me *rtos.Task) { lock.Lock(me) })
	spawn(t, k, "spins", 1, func(me *rtos.Task) {
		me.Work(k.Ticks(3))
		misuses(t, "Spinlock.Lock", "a task that has ended", func() { lock.Lock(me) })
	})
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 3, s.Time())
	assert.EqualValues(t, 3, k.TickCount(), "the scheduler is not suspended any more")
}
