package jitter_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// tempFile is a name in a directory that is there for the test only.
func tempFile(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no files")
	}
	return filepath.Join(t.TempDir(), "run.json")
}

// recorded is a result with these values.
func recorded(t *testing.T, o jitter.Options, values ...time.Duration) *jitter.Result {
	t.Helper()
	rec := newRecorder(t, o)
	rec.Describe("a wait", "", "a policy")
	rec.BeginOn(aClock)
	for _, v := range values {
		rec.Record(aClock(), aClock()+v)
	}
	require.NoError(t, rec.End())
	return rec.Result()
}

func TestFileIsReadAsItWasWritten(t *testing.T) {
	name := tempFile(t)
	res := recorded(t, jitter.Options{Name: "x", Warmup: 1, Setup: jitter.Setup{
		Port: "p", Clock: "c", Policy: "f", Permission: "r", Degradations: []string{"no luck"},
	}, Loads: []jitter.Load{jitter.SemLoad()}}, 1, 2, -3, 40*ms)
	require.NoError(t, res.WriteFile(name))
	back, err := jitter.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, *res.Lateness == *back.Lateness)
	back.Lateness = res.Lateness
	assert.True(t, res.Began.Equal(back.Began))
	back.Began = res.Began
	for i := range res.Worst {
		assert.True(t, res.Worst[i].At.Equal(back.Worst[i].At))
		back.Worst[i].At = res.Worst[i].At
	}
	assert.Equal(t, res, back)
}

func TestBrokenFileIsRefused(t *testing.T) {
	name := tempFile(t)
	_, err := jitter.ReadFile(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for text, want := range map[string]string{
		"":                           "JSON",
		`{"format":"rtos-jitter-1"`:  "JSON",
		`{"format":"another"}`:       `format "another"`,
		`{"format":"rtos-jitter-1"}`: "no result",
		`{"format":"rtos-jitter-1","result":{"name":"x"}}`:                 "no result",
		`{"format":"rtos-jitter-1","result":{"lateness":{"count":1}}}`:     "sum_ns",
		`{"format":"rtos-jitter-1","result":{"period_ns":"1","name":"x"}}`: "period_ns",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := jitter.ReadFile(name)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want)
		_, err = jitter.NewRecorder(jitter.Options{File: name, Resume: true})
		assert.Error(t, err, text)
	}
}

// A long run in a bubble of virtual wall time: snapshots come every ten seconds, hold what
// was recorded until about then, and the last one everything.
func TestSnapshotsWhileItRuns(t *testing.T) {
	name := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		k, err := rtos.New(rtos.Config{})
		require.NoError(t, err)
		rec := newRecorder(t, jitter.Options{Period: 10 * ms, Samples: 6000, File: name})
		loop := jitter.Loop{Recorder: rec}
		spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
		done := make(chan error)
		go func() { done <- k.Run(t.Context()) }()
		time.Sleep(9 * time.Second)
		_, err = jitter.ReadFile(name)
		require.ErrorIs(t, err, fs.ErrNotExist)
		for i := 1; i < 6; i++ {
			time.Sleep(10 * time.Second)
			res, err := jitter.ReadFile(name)
			require.NoError(t, err)
			assert.True(t, res.Running)
			assert.InDelta(t, 1000*i, res.Lateness.Count(), 105)
			assert.Zero(t, res.Lateness.Max())
		}
		require.NoError(t, <-done)
		res, err := jitter.ReadFile(name)
		require.NoError(t, err)
		assert.False(t, res.Running)
		assert.EqualValues(t, 6000, res.Lateness.Count())
		assert.Equal(t, time.Minute, res.Elapsed)
	})
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing but the snapshot is left")
}

// Whoever reads the file finds a whole one, however often it is replaced meanwhile.
func TestReaderFindsAWholeFile(t *testing.T) {
	name := tempFile(t)
	res := recorded(t, jitter.Options{}, 1, 2, 3)
	require.NoError(t, res.WriteFile(name))
	done := make(chan error)
	go func() {
		var err error
		for range 100 {
			res.Lateness.Add(time.Second)
			err = errors.Join(err, res.WriteFile(name))
		}
		done <- err
	}()
	for last := uint64(0); ; {
		back, err := jitter.ReadFile(name)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, back.Lateness.Count(), last)
		last = back.Lateness.Count()
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		default:
		}
	}
}

// In virtual time, too, a run with a file leaves one.
func TestSnapshotOfASimulation(t *testing.T) {
	name := tempFile(t)
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{Samples: 100, File: name})
	loop := jitter.Loop{Recorder: rec}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.NoError(t, loop.Run(t.Context(), me)) })
	require.NoError(t, k.Run(t.Context()))
	res, err := jitter.ReadFile(name)
	require.NoError(t, err)
	assert.EqualValues(t, 100, res.Lateness.Count())
	assert.Equal(t, "simulation", res.Setup.Port)
	assert.True(t, res.Began.IsZero())
}

// A run that goes on from a file adds to it.
func TestResume(t *testing.T) {
	name := tempFile(t)
	for i := 1; i <= 3; i++ {
		res := recorded(t, jitter.Options{File: name, Resume: true}, 1, 2*ms)
		back, err := jitter.ReadFile(name)
		require.NoError(t, err)
		for _, r := range []*jitter.Result{res, back} {
			assert.Equal(t, i, r.Runs)
			assert.EqualValues(t, 2*i, r.Lateness.Count())
			assert.Len(t, r.Worst, 2*i)
		}
	}
	recorded(t, jitter.Options{File: name}, 1)
	back, err := jitter.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, 1, back.Runs, "without Resume it begins anew")
}

// A run that was killed is gone on from, and said to have been interrupted.
func TestResumeAfterAKill(t *testing.T) {
	name := tempFile(t)
	earlier := recorded(t, jitter.Options{}, 5)
	earlier.Running = true
	require.NoError(t, earlier.WriteFile(name))
	res := recorded(t, jitter.Options{File: name, Resume: true}, 1)
	assert.False(t, res.Running)
	assert.Contains(t, res.Interrupted, "in the middle")
	assert.EqualValues(t, 2, res.Lateness.Count())
}

// A run of another kind does not go on from the file, and does not spoil it.
func TestResumeOfAnotherKindIsRefused(t *testing.T) {
	name := tempFile(t)
	require.NoError(t, recorded(t, jitter.Options{Period: 2 * ms}, 5).WriteFile(name))
	rec := newRecorder(t, jitter.Options{File: name, Resume: true})
	rec.Describe("a wait", "", "a policy")
	rec.BeginOn(aClock)
	rec.Record(0, 1)
	err := rec.End()
	require.Error(t, err)
	assert.Contains(t, err.Error(), `period: "1ms" and "2ms"`)
	assert.EqualValues(t, 1, rec.Result().Lateness.Count(), "it is not lost either")
	back, err := jitter.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, 2*ms, back.Period)
}

// A snapshot that cannot be written is an error of the loop, which runs all the same.
func TestUnwritableFileIsReported(t *testing.T) {
	name := filepath.Join(tempFile(t), "no", "such", "directory")
	k, _ := newSim(t)
	rec := newRecorder(t, jitter.Options{Samples: 10, File: name})
	loop := jitter.Loop{Recorder: rec}
	spawn(t, k, "loop", 1, func(me *rtos.Task) { assert.ErrorIs(t, loop.Run(t.Context(), me), fs.ErrNotExist) })
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 10, rec.Result().Lateness.Count())
}
