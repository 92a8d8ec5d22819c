package rtos_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/porttest"
)

func TestGoroutinePortKeepsTheContract(t *testing.T) {
	porttest.Run(t, rtos.NewGoroutinePort)
}

func TestGoroutinePortIsThePortOfOneKernel(t *testing.T) {
	p := rtos.NewGoroutinePort()
	k := newKernel(t, rtos.Config{Port: p})
	ran := false
	spawn(t, k, "a", 1, func(*rtos.Task) { ran = true })
	finish(t, k)
	assert.True(t, ran)

	_, err := rtos.New(rtos.Config{Port: p})
	require.ErrorContains(t, err, "the port of one kernel only")
}

// halfPort says that it schedules, and not what a kernel needs to know then.
type halfPort struct{ rtos.Port }

func (halfPort) Bind(*rtos.Kernel) (rtos.Traits, error) {
	return rtos.Traits{Schedules: true}, nil
}

func TestNewRefusesAPortThatSchedulesInSecret(t *testing.T) {
	_, err := rtos.New(rtos.Config{Port: halfPort{}})
	require.ErrorContains(t, err, "Current or InInterrupt")
}
