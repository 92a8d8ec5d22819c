package rtos

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func quietKernel(t *testing.T, c Config) *Kernel {
	t.Helper()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	k, err := New(c)
	require.NoError(t, err)
	return k
}

func adoptIn(t *testing.T, k *Kernel, name string, prio int) *Task {
	t.Helper()
	task, err := k.Adopt(name, prio)
	require.NoError(t, err)
	return task
}
