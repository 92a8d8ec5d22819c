package sim_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestTraceIsATimeline(t *testing.T) {
	var out bytes.Buffer
	k, s := newSim(t, sim.Options{Trace: &out})
	bus, data := rtos.NewMutex("bus"), rtos.NewBinary("data")
	low := spawn(t, k, "low", 1, func(me *rtos.Task) {
		s.Logf("takes the bus %d times", 1)
		assert.NoError(t, bus.Lock(me))
		me.Work(k.Ticks(5))
		assert.NoError(t, bus.Unlock(me))
		_ = me.SuspendSelf()
	})
	spawn(t, k, "high", 3, func(me *rtos.Task) {
		assert.NoError(t, data.Take(me))
		assert.NoError(t, bus.Lock(me))
	})
	s.Logf("begins")
	s.At(3, func(isr *rtos.ISR) {
		s.Logf("a byte")
		data.GiveFromISR(isr)
	}, sim.Named("uart"))
	s.At(9, func(isr *rtos.ISR) { low.ResumeFromISR(isr) })
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, lines(`
       0 . -          begins
       0 > high
       0 > low        (high waits for binary "data")
       0 . low        takes the bus 1 times
       3 ! uart
       3 . uart       a byte
       3 > high       (low ready)
       3 > low        priority 3, base 1 (high waits for mutex "bus", held by low)
       5 > high       (low ready)
       5 > low        (high ended)
       5 > idle       (low suspended)
       9 ! isr
       9 > low
       9 > idle       (low ended)
`), lines(out.String()))
}

// Lines of several simulations can be told apart.
func TestTraceNamesTheSimulation(t *testing.T) {
	var out bytes.Buffer
	k, _ := newSim(t, sim.Options{Trace: &out, Name: "pump"})
	spawn(t, k, "a", 1, func(*rtos.Task) {})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, "pump            0 > a\npump            0 > idle       (a ended)\n", out.String())
}

type brokenPipe struct{ n int }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.n++
	return 0, errors.New("broken pipe")
}

// A writer that fails is not asked again, and its error is that of the run.
func TestTraceStopsWithTheFirstError(t *testing.T) {
	w := &brokenPipe{}
	k, _ := newSim(t, sim.Options{Trace: w})
	spawn(t, k, "a", 1, func(me *rtos.Task) { assert.NoError(t, me.Delay(k.Ticks(3))) })
	assert.ErrorContains(t, k.Run(t.Context()), "trace: broken pipe")
	assert.Equal(t, 1, w.n)
}
