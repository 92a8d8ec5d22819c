package sim_test

import (
	"testing"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
	"github.com/tickwake/rtos/sim"
)

func TestSimKeepsTheContractOfAPort(t *testing.T) {
	for _, c := range []struct {
		name    string
		options sim.Options
	}{
		{"Default", sim.Options{}},
		{"NoPreemption", sim.Options{Preemption: sim.Off}},
		{"NoTimeSlicing", sim.Options{TimeSlicing: sim.Off}},
	} {
		t.Run(c.name, func(t *testing.T) {
			porttest.Run(t, func() rtos.Port { return sim.New(c.options) })
		})
	}
}
