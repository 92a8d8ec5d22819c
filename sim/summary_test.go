package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// busyDay has somebody in each state.
func busyDay(t *testing.T, k *rtos.Kernel, s *sim.Sim) {
	bus, data := rtos.NewMutex("bus"), rtos.NewBinary("data")
	spawn(t, k, "high", 3, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(20)))
		_ = bus.Lock(me)
	})
	spawn(t, k, "low", 1, func(me *rtos.Task) {
		assert.NoError(t, bus.Lock(me))
		me.Work(k.Ticks(25))
		_ = data.Take(me)
	})
	for range 3 {
		spawn(t, k, "short", 2, func(me *rtos.Task) { me.Work(k.Ticks(5)) })
	}
	spawn(t, k, "asleep", 2, func(me *rtos.Task) { _ = me.SuspendSelf() })
	s.At(100, func(*rtos.ISR) {})
}

func TestSummary(t *testing.T) {
	const want = `
virtual time 100, seed 0: 24 switches, 1 interrupts, idle 60.0%
task             state     prio base        ticks   share     runs  waits for
high             Blocked      3    3            0    0.0%        2  mutex "bus", held by low
low              Blocked      3    1           25   25.0%        2  binary "data"
asleep           Suspended    2    2            0    0.0%        1
3 x short        Deleted      2    2           15   15.0%       18
`
	k, s := newSim(t, sim.Options{})
	assert.Equal(t, "virtual time 0, seed 0: 0 switches, 0 interrupts, idle -\n", s.Summary().String())
	busyDay(t, k, s)
	require.NoError(t, s.RunUntil(100))
	assert.Equal(t, lines(want), lines(s.Summary().String()))
	assert.Error(t, k.Run(t.Context()))
	assert.Equal(t, lines(want), lines(s.Summary().String()), "the end does not count")
}

// Processor time is what a task worked while it had the processor, to the tick.
func TestProcessorTimeIsExact(t *testing.T) {
	k, s := newSimWith(t, sim.Options{}, rtos.Config{RunTime: true})
	var tasks []*rtos.Task
	for i := range 3 {
		tasks = append(tasks, spawn(t, k, fmt.Sprint("t", i), 1, func(me *rtos.Task) {
			for range 4 {
				me.Work(k.Ticks(uint64(3 * i)))
				_ = me.Delay(k.Ticks(5))
			}
		}))
	}
	require.NoError(t, k.Run(t.Context()))
	sum := s.Summary()
	total := sum.Idle
	for i, e := range sum.Tasks {
		total += e.Ticks
		assert.Equal(t, fmt.Sprint("t", i), e.Name)
		assert.EqualValues(t, 12*i, e.Ticks)
		assert.Equal(t, k.Ticks(e.Ticks), tasks[i].RunTime())
	}
	assert.Equal(t, sum.Time, total)
}

// The summary of a program that makes tasks for ever stays small.
func TestSummaryIsBounded(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	const n = 3000
	spawn(t, k, "parent", 1, func(me *rtos.Task) {
		for i := range n {
			spawn(t, k, fmt.Sprint("child ", i), 2, func(me *rtos.Task) { me.Work(k.Ticks(1)) })
		}
	})
	require.NoError(t, k.Run(t.Context()))
	sum := s.Summary()
	assert.Less(t, len(sum.Tasks), n/2)
	count, ticks := 0, uint64(0)
	for _, e := range sum.Tasks {
		count += e.Count
		ticks += e.Ticks
	}
	assert.Equal(t, n+1, count)
	assert.EqualValues(t, n, ticks)
}
