package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// The calls that end, stop or change a task have no form for interrupts and need none: they
// act at once, and whoever is the most urgent then runs when the interrupt ends.
func TestTaskCallsInInterrupts(t *testing.T) {
	type story struct {
		k                *rtos.Kernel
		waiting, current *rtos.Task
	}
	for name, c := range map[string]struct {
		call func(s *story, isr *rtos.ISR)
		// When the two tasks go on, and end; 0 is never.
		waiting, current uint64
	}{
		"nothing":                    {func(*story, *rtos.ISR) {}, 0, 10},
		"NotifyGiveFromISR":          {func(s *story, isr *rtos.ISR) { _ = s.waiting.NotifyGiveFromISR(isr) }, 3, 10},
		"Resume":                     {func(s *story, isr *rtos.ISR) { s.waiting.Resume() }, 0, 10},
		"AbortDelay":                 {func(s *story, isr *rtos.ISR) { s.waiting.AbortDelay() }, 3, 10},
		"Suspend, NotifyGive":        {func(s *story, isr *rtos.ISR) { s.waiting.Suspend(); _ = s.waiting.NotifyGiveFromISR(isr) }, 0, 10},
		"NotifyGiveFromISR, Suspend": {func(s *story, isr *rtos.ISR) { _ = s.waiting.NotifyGiveFromISR(isr); s.waiting.Suspend() }, 0, 10},
		"NotifyGiveFromISR, lowered": {func(s *story, isr *rtos.ISR) {
			_ = s.waiting.NotifyGiveFromISR(isr)
			s.waiting.SetPriority(1)
		}, 10, 10},
		"current suspended": {func(s *story, isr *rtos.ISR) { s.current.Suspend() }, 0, 0},
		"current deleted":   {func(s *story, isr *rtos.ISR) { s.current.Delete() }, 0, 0},
		"waiting deleted":   {func(s *story, isr *rtos.ISR) { s.waiting.Delete() }, 0, 10},
		"both deleted":      {func(s *story, isr *rtos.ISR) { s.waiting.Delete(); s.current.Delete() }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			st := &story{k: k}
			var woke, worked uint64
			st.waiting = spawn(t, k, "waiting", 3, func(me *rtos.Task) {
				_, err := me.NotifyTake(true, rtos.Forever)
				if err == nil || err == rtos.ErrAborted {
					woke = s.Time()
				}
			})
			st.current = spawn(t, k, "current", 2, func(me *rtos.Task) {
				me.Work(k.Ticks(10))
				worked = s.Time()
			})
			s.At(3, func(isr *rtos.ISR) { c.call(st, isr) })
			require.NoError(t, k.Run(t.Context()))
			assert.Equal(t, c.waiting, woke, "waiting")
			assert.Equal(t, c.current, worked, "current")
		})
	}
}
