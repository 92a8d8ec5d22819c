package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A billion ticks cost nothing, whatever they are spent on: a time that is far from the
// second or so that counting them would take.
func TestTicksAtWhichNothingHappensCostNothing(t *testing.T) {
	const ticks = 1_000_000_000
	for name, c := range map[string]struct {
		o    sim.Options
		body func(t *testing.T, s *sim.Sim, me *rtos.Task)
	}{
		"waiting": {body: func(t *testing.T, _ *sim.Sim, me *rtos.Task) { assert.NoError(t, me.Delay(me.Kernel().Ticks(ticks))) }},
		"waiting without preemption": {sim.Options{Preemption: sim.Off}, func(t *testing.T, _ *sim.Sim, me *rtos.Task) {
			assert.NoError(t, me.Delay(me.Kernel().Ticks(ticks)))
		}},
		"working": {body: func(_ *testing.T, _ *sim.Sim, me *rtos.Task) { me.Work(me.Kernel().Ticks(ticks)) }},
		"working, with a switch owed that nobody makes": {sim.Options{Preemption: sim.Off}, func(t *testing.T, s *sim.Sim, me *rtos.Task) {
			urgent := spawn(t, me.Kernel(), "urgent", 3, func(me *rtos.Task) { assert.NoError(t, me.SuspendSelf()) })
			me.Yield()
			s.At(1, func(isr *rtos.ISR) { urgent.ResumeFromISR(isr) }, sim.NoYield())
			me.Work(me.Kernel().Ticks(ticks))
		}},
		"with the scheduler suspended": {body: func(_ *testing.T, _ *sim.Sim, me *rtos.Task) {
			k := me.Kernel()
			k.SuspendScheduler(me)
			me.Work(k.Ticks(ticks))
			k.ResumeScheduler(me)
		}},
		"with the scheduler suspended and a switch owed": {body: func(t *testing.T, _ *sim.Sim, me *rtos.Task) {
			k := me.Kernel()
			k.SuspendScheduler(me)
			spawn(t, k, "urgent", 3, func(*rtos.Task) {})
			me.Work(k.Ticks(ticks))
			k.ResumeScheduler(me)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, c.o)
			spawn(t, k, "peer", 2, func(me *rtos.Task) { assert.NoError(t, me.Delay(k.Ticks(ticks-1))) })
			spawn(t, k, "a", 1, func(me *rtos.Task) { c.body(t, s, me) })
			start := time.Now()
			require.NoError(t, k.Run(t.Context()))
			assert.Less(t, time.Since(start), time.Second)
			assert.EqualValues(t, ticks, s.Time())
			assert.EqualValues(t, ticks, k.TickCount())
		})
	}
}

// A limit that ends while the scheduler is suspended ends when it is resumed, with the
// tick count that it asked for.
func TestRememberedTicksAreProcessedInOrder(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var order []string
	for _, n := range []uint64{7, 3, 500_000_000} {
		spawn(t, k, "waits", 2, func(me *rtos.Task) {
			assert.NoError(t, me.Delay(k.Ticks(n)))
			order = append(order, fmt.Sprintf("%d at %d, %d", n, s.Time(), k.TickCount()))
		})
	}
	spawn(t, k, "works", 1, func(me *rtos.Task) {
		k.SuspendScheduler(me)
		me.Work(k.Ticks(400_000_000))
		assert.True(t, k.ResumeScheduler(me))
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"3 at 400000000, 400000000", "7 at 400000000, 400000000", "500000000 at 500000000, 500000000"}, order)
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
