package jitter_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/sim"
)

const ms = time.Millisecond

var quiet = slog.New(slog.DiscardHandler)

func newSim(t *testing.T) (*rtos.Kernel, *sim.Sim) {
	t.Helper()
	s := sim.New(sim.Options{})
	k, err := rtos.New(rtos.Config{Port: s, Logger: quiet})
	require.NoError(t, err)
	return k, s
}

func spawn(t *testing.T, k *rtos.Kernel, name string, prio int, f func(*rtos.Task)) *rtos.Task {
	t.Helper()
	task, err := k.Spawn(name, prio, f)
	require.NoError(t, err)
	return task
}

// lateness is the worst samples that were late, by index.
func lateness(res *jitter.Result) map[uint64]time.Duration {
	late := map[uint64]time.Duration{}
	for _, s := range res.Worst {
		if s.By != 0 {
			late[s.Index] = s.By
		}
	}
	return late
}
