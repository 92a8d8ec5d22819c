package jitter_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos/jitter"
)

func TestPageFaultsAndProcessorTime(t *testing.T) {
	for _, own := range []bool{false, true} {
		rec := newRecorder(t, jitter.Options{OwnThread: own})
		done := make(chan error)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			rec.BeginOn(aClock)
			for begun := time.Now(); time.Since(begun) < 20*ms; {
				memory, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
				assert.NoError(t, err)
				clear(memory)
				assert.NoError(t, unix.Munmap(memory))
			}
			rec.Record(0, 1)
			done <- rec.End()
		}()
		require.NoError(t, <-done)
		res := rec.Result()
		assert.Positive(t, res.Faults.Minor)
		assert.Positive(t, res.Worst[0].Faults)
		assert.Positive(t, res.CPU.Used)
		assert.Positive(t, res.CPU.Share())
		if own {
			assert.Equal(t, "thread", res.CPU.Of)
			require.NotNil(t, res.ThreadFaults)
			assert.LessOrEqual(t, res.ThreadFaults.Minor, res.Faults.Minor)
		} else {
			assert.Equal(t, "process", res.CPU.Of)
			assert.Nil(t, res.ThreadFaults)
		}
	}
}
