package jitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// Field case 25: the processor is taken for 10 ms just before activation 50 of 100. Every
// activation that the stall delayed is late by what is left of it.
func TestStallDoesNotHideItsVictims(t *testing.T) {
	for _, c := range []struct {
		policy  jitter.Policy
		samples uint64
		late    map[uint64]time.Duration
		mean    float64 // ms
	}{
		{jitter.CatchUp, 100, map[uint64]time.Duration{
			50: 10 * ms, 51: 9 * ms, 52: 8 * ms, 53: 7 * ms, 54: 6 * ms,
			55: 5 * ms, 56: 4 * ms, 57: 3 * ms, 58: 2 * ms, 59: 1 * ms,
		}, 0.55},
		{jitter.Skip, 91, map[uint64]time.Duration{50: 10 * ms}, 10.0 / 91},
	} {
		t.Run(c.policy.String(), func(t *testing.T) {
			k, s := newSim(t)
			rec := newRecorder(t, jitter.Options{Period: ms, Samples: c.samples})
			loop := jitter.Loop{Recorder: rec, Policy: c.policy}
			spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
			urgent := spawn(t, k, "urgent", 2, func(me *rtos.Task) {
				_, _ = me.NotifyTake(true, rtos.Forever)
				me.Work(10 * ms)
			})
			// An interrupt comes after the limits of its tick; so the loop, whose limit
			// ends at 50, is ready then, and has not run.
			s.At(50, func(isr *rtos.ISR) { urgent.NotifyGiveFromISR(isr) })
			require.NoError(t, k.Run(t.Context()))
			res := rec.Result()

			assert.EqualValues(t, c.samples, res.Lateness.Count())
			assert.Equal(t, c.late, lateness(res))
			assert.Equal(t, 10*ms, res.Lateness.Max())
			assert.Zero(t, res.Lateness.Min())
			assert.InEpsilon(t, c.mean*1e6, res.Lateness.Mean(), 1e-12)
			assert.EqualValues(t, 9, res.Missed)
			assert.EqualValues(t, len(c.late), res.Lateness.Above())
			assert.Equal(t, 100*ms, res.Elapsed)
			assert.Equal(t, jitter.Sample{Index: 50, Planned: 50 * ms, By: 10 * ms}, res.Worst[0])
			assert.Equal(t, c.policy.String(), res.Policy)
			assert.Empty(t, res.Interrupted)
			assert.False(t, res.Running)
			assert.Equal(t, "simulation", res.Setup.Port)
		})
	}
}

// Work that takes longer than a period is missed time of the same kind.
func TestOverrun(t *testing.T) {
	for _, c := range []struct {
		policy jitter.Policy
		late   map[uint64]time.Duration
		missed uint64
	}{
		// Activation 2 (20) works until 45, as in field case 12: 3 begins at 45, 4 too.
		{jitter.CatchUp, map[uint64]time.Duration{3: 15 * ms, 4: 5 * ms}, 2},
		{jitter.Skip, map[uint64]time.Duration{}, 2},
	} {
		t.Run(c.policy.String(), func(t *testing.T) {
			k, _ := newSim(t)
			rec := newRecorder(t, jitter.Options{Period: 10 * ms, Samples: 5})
			n := 0
			loop := jitter.Loop{Recorder: rec, Policy: c.policy, Work: func(me *rtos.Task) {
				if n++; n == 2 {
					me.Work(25 * ms)
				}
			}}
			spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
			require.NoError(t, k.Run(t.Context()))
			res := rec.Result()
			assert.Equal(t, c.late, lateness(res))
			assert.Equal(t, c.missed, res.Missed)
			assert.EqualValues(t, 5, res.Lateness.Count())
		})
	}
}

// A run whose last activation overruns has missed nothing yet.
func TestLastActivationMissesNothing(t *testing.T) {
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{Samples: 3})
	loop := jitter.Loop{Recorder: rec, Work: func(me *rtos.Task) {
		if me.Kernel().Now() == 3*ms {
			me.Work(50 * ms)
		}
	}}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
	require.NoError(t, k.Run(t.Context()))
	assert.Zero(t, rec.Result().Missed)
}

// The planned times are whole periods from the start, whatever the way of waiting.
func TestWaysOfWaiting(t *testing.T) {
	for _, w := range []jitter.Wait{
		nil, jitter.Sleep{}, jitter.SleepUntil{},
		&jitter.SleepThenSpin{}, &jitter.SleepThenSpin{Margin: 2 * ms}, &jitter.SleepThenSpin{Sleep: jitter.Sleep{}},
	} {
		for _, inCode := range []bool{false, true} {
			k, _ := newSim(t)
			rec := newRecorder(t, jitter.Options{Period: 5 * ms, Samples: 20})
			loop := jitter.Loop{Recorder: rec, Wait: w, InCode: inCode}
			var at []time.Duration
			loop.Work = func(me *rtos.Task) { at = append(at, k.Now()); me.Work(3 * ms) }
			spawn(t, k, "loop", 1, func(me *rtos.Task) {
				assert.NoError(t, me.Delay(7*ms))
				assert.NoError(t, loop.Run(t.Context(), me))
			})
			require.NoError(t, k.Run(t.Context()))
			require.Len(t, at, 20)
			for i := range at {
				assert.Equal(t, at[0]+time.Duration(i)*5*ms, at[i])
			}
			res := rec.Result()
			assert.Zero(t, res.Lateness.Max())
			assert.Zero(t, res.Lateness.Min())
			assert.Zero(t, res.Missed)
			assert.Equal(t, loop.Wait.Name(), res.Wait)
		}
	}
}

// slowReturn wakes in time, but takes a while to come back.
type slowReturn struct{ jitter.SleepUntil }

func (w slowReturn) Until(t *rtos.Task, deadline time.Duration) (time.Duration, error) {
	now, err := w.SleepUntil.Until(t, deadline)
	t.Work(ms)
	return now, err
}

// An activation begins when the wait says, or when the code runs.
func TestBeginningOfAnActivation(t *testing.T) {
	for inCode, want := range map[bool]time.Duration{false: 0, true: ms} {
		k, _ := newSim(t)
		rec := newRecorder(t, jitter.Options{Period: 5 * ms, Samples: 10})
		loop := jitter.Loop{Recorder: rec, Wait: slowReturn{}, InCode: inCode}
		spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
		require.NoError(t, k.Run(t.Context()))
		assert.Equal(t, want, rec.Result().Lateness.Max())
		assert.Equal(t, want, rec.Result().Lateness.Min())
	}
}

// However a loop ends, what it has measured until then is there.
func TestInterruptedLoopKeepsWhatWasMeasured(t *testing.T) {
	stopped := errors.New("the operator has stopped it")
	for _, c := range []struct {
		name    string
		end     func(k *rtos.Kernel, loop *rtos.Task, cancel context.CancelCauseFunc)
		samples int
		want    string
	}{
		{"context", func(_ *rtos.Kernel, _ *rtos.Task, cancel context.CancelCauseFunc) {
			cancel(stopped) // seen at the next activation
		}, 101, stopped.Error()},
		{"context and abort", func(_ *rtos.Kernel, loop *rtos.Task, cancel context.CancelCauseFunc) {
			cancel(stopped)
			loop.AbortDelay()
		}, 100, stopped.Error()},
		{"delete", func(_ *rtos.Kernel, loop *rtos.Task, _ context.CancelCauseFunc) {
			loop.Delete()
		}, 100, "the task was ended"},
		{"stop", func(k *rtos.Kernel, _ *rtos.Task, _ context.CancelCauseFunc) {
			k.Stop()
		}, 100, "the task was ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, _ := newSim(t)
			rec := newRecorder(t, jitter.Options{Period: 10 * ms})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			loop := jitter.Loop{Recorder: rec}
			me := spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.ErrorIs(t, loop.Run(ctx, me), stopped) })
			spawn(t, k, "end", 2, func(end *rtos.Task) {
				assert.NoError(t, end.Delay(1005*ms))
				c.end(k, me, cancel)
			})
			require.NoError(t, k.Run(t.Context()))
			res := rec.Result()
			assert.EqualValues(t, c.samples, res.Lateness.Count())
			assert.Equal(t, c.want, res.Interrupted)
			assert.False(t, res.Running)
		})
	}
}

// A panic in the work of a loop ends the kernel's run; what was measured is there.
func TestPanicKeepsWhatWasMeasured(t *testing.T) {
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{})
	n := 0
	loop := jitter.Loop{Recorder: rec, Work: func(*rtos.Task) {
		if n++; n == 7 {
			panic("broken")
		}
	}}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { _ = loop.Run(t.Context(), me) })
	var failure *rtos.PanicError
	require.ErrorAs(t, k.Run(t.Context()), &failure)
	assert.EqualValues(t, 7, rec.Result().Lateness.Count())
	assert.Equal(t, "the task was ended", rec.Result().Interrupted)
}

// An abort ends a wait too early; the loop waits on, and no sample is early.
func TestAbortsDoNotCount(t *testing.T) {
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{Period: 10 * ms, Samples: 5})
	loop := jitter.Loop{Recorder: rec}
	me := spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
	spawn(t, k, "aborts", 2, func(other *rtos.Task) {
		for range 3 {
			assert.NoError(t, other.Delay(7*ms))
			me.AbortDelay()
		}
	})
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 5, rec.Result().Lateness.Count())
	assert.Zero(t, rec.Result().Lateness.Min())
	assert.Zero(t, rec.Result().Lateness.Max())
}

// A suspended loop is late when it is resumed.
func TestSuspensionIsLateness(t *testing.T) {
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{Period: 10 * ms, Samples: 5})
	loop := jitter.Loop{Recorder: rec}
	me := spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
	spawn(t, k, "other", 2, func(other *rtos.Task) {
		assert.NoError(t, other.Delay(15*ms))
		me.Suspend()
		assert.NoError(t, other.Delay(19*ms)) // to 34
		me.Resume()
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, map[uint64]time.Duration{2: 14 * ms, 3: 4 * ms}, lateness(rec.Result()))
	assert.EqualValues(t, 1, rec.Result().Missed)
}

func TestLoopWithoutRecorderIsMisuse(t *testing.T) {
	k, _ := newSim(t)
	spawn(t, k, "loop", 1, func(me *rtos.Task) { _ = (&jitter.Loop{}).Run(t.Context(), me) })
	var misuse *rtos.MisuseError
	err := k.Run(t.Context())
	var failure *rtos.PanicError
	require.ErrorAs(t, err, &failure)
	require.ErrorAs(t, failure.Value.(error), &misuse)
	assert.Equal(t, "loop", misuse.Task)
}

// On the goroutine port, where nothing is exact, a loop is never early; and it measures
// itself on the clock on the wall.
func TestLoopOnGoroutines(t *testing.T) {
	for _, w := range []jitter.Wait{
		jitter.Sleep{}, jitter.SleepUntil{}, &jitter.SleepThenSpin{Sleeps: 20}, &jitter.SleepThenSpin{Margin: 100 * time.Microsecond},
	} {
		t.Run(w.Name(), func(t *testing.T) {
			k, err := rtos.New(rtos.Config{})
			require.NoError(t, err)
			rec := newRecorder(t, jitter.Options{Samples: 50, TakeOver: 5 * ms, Warmup: 2})
			loop := jitter.Loop{Recorder: rec, Wait: w}
			spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
			require.NoError(t, k.Run(t.Context()))
			res := rec.Result()
			assert.EqualValues(t, 50, res.Lateness.Count())
			assert.GreaterOrEqual(t, res.Lateness.Min(), time.Duration(0))
			assert.GreaterOrEqual(t, res.Elapsed, 52*ms)
			assert.Len(t, res.Worst, 50)
			for _, s := range res.Worst {
				assert.WithinRange(t, s.At, res.Began.Add(-time.Second), time.Now().Add(time.Second))
				assert.Equal(t, time.Duration(s.Index)*ms, s.Planned)
			}
			assert.False(t, res.Began.IsZero())
		})
	}
}

// A kernel that is stopped unwinds the loop in the middle of its wait.
func TestStoppedKernelKeepsWhatWasMeasured(t *testing.T) {
	k, err := rtos.New(rtos.Config{Logger: quiet})
	require.NoError(t, err)
	rec := newRecorder(t, jitter.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	loop := jitter.Loop{Recorder: rec, Work: func(*rtos.Task) {
		if n++; n == 10 {
			cancel()
		}
	}}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { _ = loop.Run(context.Background(), me) })
	require.ErrorIs(t, k.Run(ctx), context.Canceled)
	assert.GreaterOrEqual(t, rec.Result().Lateness.Count(), uint64(10))
	assert.Equal(t, "the task was ended", rec.Result().Interrupted)
}
