package sim_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// Wrong options are an error that names the field, and leave the simulation unbound.
func TestWrongOptionsAreNamed(t *testing.T) {
	for field, o := range map[string]sim.Options{
		"Cores is -1":      {Cores: -1},
		"Cores is 2":       {Cores: 2},
		"Preemption is 2":  {Preemption: 2},
		"TimeSlicing is 3": {TimeSlicing: 3},
		"SpinCost is -1":   {SpinCost: -1},
		"Pace is -1":       {Pace: -1},
		"Pace is NaN":      {Pace: math.NaN()},
		"Pace is +Inf":     {Pace: math.Inf(1)},
	} {
		s := sim.New(o)
		_, err := rtos.New(rtos.Config{Port: s})
		assert.ErrorContains(t, err, "sim: Options."+field)
		assert.Equal(t, o.Cores > 1, errors.Is(err, errors.ErrUnsupported), field)
		misuses(t, "Sim.Settle", "no kernel", func() { _ = s.Settle() })
		assert.NoError(t, s.Close())
	}
	for _, o := range []sim.Options{{Cores: 1}, {Watchdog: -1}, {Livelock: -1}, {Pace: 0.001}, {SpinCost: 7}} {
		k, err := rtos.New(rtos.Config{Port: sim.New(o)})
		require.NoError(t, err)
		assert.NoError(t, k.Run(t.Context()))
	}
}

func TestOneKernelOnly(t *testing.T) {
	_, s := newSim(t, sim.Options{})
	_, err := rtos.New(rtos.Config{Port: s})
	assert.ErrorContains(t, err, "one kernel")
}
