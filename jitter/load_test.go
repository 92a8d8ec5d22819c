package jitter_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

var taskLoads = []struct {
	name  string
	make  func() *jitter.TaskLoad
	tasks int
	inSim uint64 // operations in 100 ms of virtual time
}{
	{"sem load", jitter.SemLoad, 2, 100},
	{"mq load", jitter.MqLoad, 2, 100},
	{"delay load", func() *jitter.TaskLoad { return jitter.DelayLoad(2 * ms) }, 1, 50},
}

// In a simulation an operation takes a tick, so the loads are as busy as the core lets
// them; and a more urgent loop beside them is on time.
func TestLoadsBesideALoop(t *testing.T) {
	for _, c := range taskLoads {
		t.Run(c.name, func(t *testing.T) {
			k, _ := newSim(t)
			load := c.make()
			assert.Equal(t, c.name, load.Name())
			rec := newRecorder(t, jitter.Options{Samples: 100, Loads: []jitter.Load{load}})
			loop := jitter.Loop{Recorder: rec}
			spawn(t, k, "loop", 5, func(me *rtos.Task) {
				defer load.Stop()
				assert.NoError(t, loop.Run(t.Context(), me))
			})
			require.NoError(t, load.Start(k, 3))
			assert.Equal(t, 1+c.tasks, k.NumTasks())
			require.NoError(t, k.Run(t.Context()))
			assert.Zero(t, k.NumTasks())
			res := rec.Result()
			assert.Zero(t, res.Lateness.Max())
			require.Len(t, res.Loads, 1)
			assert.Equal(t, c.name, res.Loads[0].Name)
			assert.InDelta(t, c.inSim, res.Loads[0].Ops, 2)
			assert.Equal(t, 100*ms, res.Loads[0].Elapsed)
			assert.InDelta(t, 10*float64(c.inSim), res.Row().LoadOps, 20)
		})
	}
}

// On goroutines the loads do what makes them loads, and end when told.
func TestLoadsOnGoroutines(t *testing.T) {
	for _, c := range taskLoads {
		t.Run(c.name, func(t *testing.T) {
			k, err := rtos.New(rtos.Config{})
			require.NoError(t, err)
			load := c.make()
			require.NoError(t, load.Start(k, 3))
			spawn(t, k, "watch", 1, func(me *rtos.Task) {
				defer load.Stop()
				for load.Ops() < 100 {
					if me.Delay(ms) != nil {
						return
					}
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			require.NoError(t, k.Run(ctx))
			assert.GreaterOrEqual(t, load.Ops(), uint64(100))
		})
	}
}

// A kernel that ends takes the loads with it.
func TestLoadsEndWithTheKernel(t *testing.T) {
	for _, c := range taskLoads {
		t.Run(c.name, func(t *testing.T) {
			k, err := rtos.New(rtos.Config{Logger: quiet})
			require.NoError(t, err)
			load := c.make()
			require.NoError(t, load.Start(k, 3))
			ctx, cancel := context.WithCancel(t.Context())
			spawn(t, k, "watch", 1, func(me *rtos.Task) {
				for load.Ops() < 10 && me.Delay(ms) == nil {
				}
				cancel()
			})
			require.ErrorIs(t, k.Run(ctx), context.Canceled)
		})
	}
}

// A period that a starved load had to catch up with was no delay.
func TestDelayLoadCountsWaitsOnly(t *testing.T) {
	k, _ := newSim(t)
	load := jitter.DelayLoad(2 * ms)
	require.NoError(t, load.Start(k, 3))
	spawn(t, k, "urgent", 5, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(39*ms))
		me.Work(20 * ms) // 40 to 58 pass
		assert.NoError(t, me.Delay(42*ms))
		load.Stop()
	})
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 51-9, load.Ops())
}

func TestLeast(t *testing.T) {
	assert.InDelta(t, 1000, jitter.SemLoad().Least(), 0)
	assert.InDelta(t, 1000, jitter.MqLoad().Least(), 0)
	assert.InDelta(t, 450, jitter.DelayLoad(2*ms).Least(), 1e-9)
}

func TestLoadMisuse(t *testing.T) {
	var misuse *rtos.MisuseError
	require.ErrorAs(t, panicOf(func() { jitter.DelayLoad(0) }), &misuse)
	k, _ := newSim(t)
	load := jitter.SemLoad()
	require.NoError(t, load.Start(k, 1))
	require.ErrorAs(t, panicOf(func() { _ = load.Start(k, 1) }), &misuse)
	assert.Equal(t, "sem load", misuse.Object)
	load.Stop()
	require.NoError(t, k.Run(t.Context()))
}

// A load for which there is no room does not leave half of itself behind.
func TestLoadThatDoesNotFit(t *testing.T) {
	for _, c := range taskLoads[:2] {
		k, err := rtos.New(rtos.Config{Tasks: 1})
		require.NoError(t, err)
		load := c.make()
		require.ErrorIs(t, load.Start(k, 1), rtos.ErrTooManyTasks)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		require.NoError(t, k.Run(ctx))
	}
}
