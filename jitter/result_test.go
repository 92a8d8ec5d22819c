package jitter_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// Two runs merged are what one would have been, as far as runs go together.
func TestMergeOfRuns(t *testing.T) {
	load := jitter.SemLoad()
	opts := jitter.Options{Loads: []jitter.Load{load}, Setup: jitter.Setup{Degradations: []string{"a"}}}
	many := make([]time.Duration, 100)
	for i := range many {
		many[i] = time.Duration(2 * i)
	}
	a := recorded(t, opts, many...)
	opts.Setup.Degradations = []string{"a", "b"}
	b := recorded(t, opts, 1, 3, 500*ms)
	b.Missed, b.Coalesced, b.Lost = 3, 4, 5
	b.Interrupted = "why not"
	b.Loads[0].Ops, a.Loads[0].Ops = 7, 5
	a.CPU, b.CPU = jitter.CPU{Of: "thread", Used: 1, Wall: 10}, jitter.CPU{Of: "thread", Used: 3, Wall: 10}
	a.Collector, b.Collector = jitter.Collector{Cycles: 1, Pause: 10, Longest: 10}, jitter.Collector{Cycles: 2, Pause: 7, Longest: 4}
	a.ThreadFaults, b.ThreadFaults = &jitter.Faults{Minor: 1}, &jitter.Faults{Minor: 2, Major: 1}
	began, elapsed := a.Began, a.Elapsed+b.Elapsed
	require.NoError(t, a.Merge(b))
	assert.Equal(t, 2, a.Runs)
	assert.EqualValues(t, 103, a.Lateness.Count())
	assert.Len(t, a.Worst, jitter.NumWorst)
	assert.Equal(t, 500*ms, a.Worst[0].By)
	assert.EqualValues(t, 198, a.Worst[1].By)
	assert.EqualValues(t, 3, a.Missed)
	assert.EqualValues(t, 4, a.Coalesced)
	assert.EqualValues(t, 5, a.Lost)
	assert.Equal(t, "why not", a.Interrupted)
	assert.EqualValues(t, 12, a.Loads[0].Ops)
	assert.Equal(t, jitter.CPU{Of: "thread", Used: 4, Wall: 20}, a.CPU)
	assert.Equal(t, jitter.Collector{Cycles: 3, Pause: 17, Longest: 10}, a.Collector)
	assert.Equal(t, &jitter.Faults{Minor: 3, Major: 1}, a.ThreadFaults)
	assert.Equal(t, []string{"a", "b"}, a.Setup.Degradations)
	assert.Equal(t, began, a.Began)
	assert.Equal(t, elapsed, a.Elapsed)
	assert.InDelta(t, 1.5, a.Row().Missed, 0, "in a run")
}

func TestRunsOfDifferentKindsAreNotMerged(t *testing.T) {
	for want, change := range map[string]func(r *jitter.Result){
		"period":            func(r *jitter.Result) { r.Period = 7 },
		"port":              func(r *jitter.Result) { r.Setup.Port = "x" },
		"scheduling policy": func(r *jitter.Result) { r.Setup.Policy = "x" },
		"way of waiting":    func(r *jitter.Result) { r.Wait = "x" },
		"their policy":      func(r *jitter.Result) { r.Policy = "x" },
	} {
		a, b := recorded(t, jitter.Options{}, 1), recorded(t, jitter.Options{}, 2)
		change(b)
		err := a.Merge(b)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
		assert.EqualValues(t, 1, a.Lateness.Count())
		assert.Equal(t, 1, a.Runs)
	}
}

// The collector is named beside the samples that it delayed, and only there.
func TestCollectorPausesAreBesideTheOutliers(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("the clock is too coarse")
	}
	k, err := rtos.New(rtos.Config{})
	require.NoError(t, err)
	me, err := k.Adopt("loop", 1)
	require.NoError(t, err)
	defer func() { assert.NoError(t, me.Release()) }()
	rec := newRecorder(t, jitter.Options{})
	start := rec.Begin(me)
	rec.Record(-time.Hour, -time.Hour+us) // nothing stopped then: there was no program
	planned := k.Now()
	for range 3 {
		runtime.GC()
	}
	rec.Record(planned, k.Now()+time.Hour) // the later one
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.GreaterOrEqual(t, res.Collector.Cycles, uint64(3))
	assert.Positive(t, res.Collector.Longest)
	assert.GreaterOrEqual(t, res.Collector.Pause, res.Collector.Longest)
	require.Len(t, res.Worst, 2)
	assert.Equal(t, planned-start, res.Worst[0].Planned)
	assert.Positive(t, res.Worst[0].Pause)
	assert.LessOrEqual(t, res.Worst[0].Pause, res.Collector.Pause)
	assert.Zero(t, res.Worst[1].Pause)
}

func TestRow(t *testing.T) {
	res := recorded(t, jitter.Options{Name: "x"}, 0, 100, 100, 100, 100, 100, 100, 100, 100, 1900)
	res.CPU = jitter.CPU{Of: "thread", Used: 1, Wall: 4}
	row := res.Row()
	assert.True(t, math.IsNaN(row.LoadOps))
	known := row
	known.LoadOps = 0
	assert.Equal(t, jitter.Row{
		Name: "x", Samples: 10, Avg: 0.27, Min: 0, P50: 0.1, P99: 1.9, P999: 1.9, Max: 1.9, Bin1: 90, CPU: 25,
	}, known)
	metrics := map[string]float64{}
	for _, m := range row.Metrics() {
		metrics[m.Unit] = m.Value
	}
	assert.Equal(t, map[string]float64{
		"avg-us": 0.27, "min-us": 0, "max-us": 1.9, "p50-us": 0.1, "p99-us": 1.9, "p99.9-us": 1.9,
		"bin1-%": 90, "missed/run": 0, "cpu-%": 25,
	}, metrics)

	empty := recorded(t, jitter.Options{}).Row()
	empty.CPU = math.NaN()
	assert.Equal(t, []jitter.Metric{{Value: 0, Unit: "missed/run"}}, empty.Metrics())
	assert.Len(t, jitter.PublishedRow("p", 1, 2, 3).Metrics(), 3)
	assert.True(t, math.IsNaN(jitter.CPU{}.Share()))
	assert.Zero(t, jitter.LoadResult{Ops: 5}.Rate())
}

// A row gives its figures to a benchmark under the names of the tables.
func TestReportToABenchmark(t *testing.T) {
	res := recorded(t, jitter.Options{}, 100)
	b := testing.Benchmark(func(b *testing.B) { res.Row().Report(b) })
	assert.InDelta(t, 0.1, b.Extra["avg-us"], 0)
	assert.InDelta(t, 100, b.Extra["bin1-%"], 0)
	assert.NotContains(t, b.Extra, "load-ops/s")
}

func TestTable(t *testing.T) {
	row := recorded(t, jitter.Options{Name: "here"}, 100, 200, 12_345).Row()
	row.CPU = 29.05
	row.LoadOps = 123_456
	table := jitter.Table{
		Title: "Interrupt jitter, no load",
		Rows:  []jitter.Row{row, jitter.PublishedRow("VxWorks, published", 4.066, 0, 13.338)},
		Notes: []string{"A note."},
	}
	const want = `Interrupt jitter, no load
us                    avg    min    p50     p99   p99.9     max  bin1 %  missed  cpu %  load ops/s  samples
here                4.215  0.100  0.201  12.345  12.345  12.345   66.67       0   29.1      123456        3
VxWorks, published  4.066  0.000      -       -       -  13.338       -       -      -           -        -
A note.
`
	assert.Equal(t, want, table.String())
}

func TestSetup(t *testing.T) {
	assert.Equal(t, `port          not known
clock         not known
policy        not known
permission    not known
`, (&jitter.Setup{}).String())
	assert.Equal(t, `port          realtime
clock         CLOCK_MONOTONIC
policy        FIFO 98 on core 1
permission    CAP_SYS_NICE
degraded      memory not locked: no permission
degraded      one core only
`, (&jitter.Setup{
		Port: "realtime", Clock: "CLOCK_MONOTONIC", Policy: "FIFO 98 on core 1", Permission: "CAP_SYS_NICE",
		Degradations: []string{"memory not locked: no permission", "one core only"},
	}).String())
	assert.Contains(t, (&jitter.Setup{Port: "x"}).String(), "degraded      nothing\n")
}

// Everything that belongs beside a figure is in the report.
func TestReport(t *testing.T) {
	res := recorded(t, jitter.Options{Name: "x", Period: 100 * us, Warmup: 2}, 1, 2, 3, 40*ms, -60*us)
	res.Setup = jitter.Setup{Port: "p", Degradations: []string{"no permission for FIFO"}}
	res.Elapsed, res.Runs, res.Coalesced, res.Lost = time.Second, 2, 3, 4
	res.WaitDetail = "margin 40us"
	res.Began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	res.CPU = jitter.CPU{Of: "thread", Used: 29, Wall: 100}
	res.Collector = jitter.Collector{Cycles: 5, Pause: 100 * us, Longest: 40 * us}
	res.Faults, res.ThreadFaults = jitter.Faults{Minor: 10, Major: 1}, &jitter.Faults{Minor: 3}
	res.Loads = []jitter.LoadResult{{Name: "mq load", Ops: 5000, Elapsed: time.Second}}
	res.Worst[0].At = res.Began
	res.Worst[0].Pause, res.Worst[0].Faults = 40*us, 3
	res.Interrupted = "context canceled"
	const want = `measured      every 100µs for 1s, a policy, after 2 of warm-up, 2 runs, interrupted: context canceled
wait          a wait; margin 40us
port          p
clock         not known
policy        not known
permission    not known
degraded      no permission for FIFO

us        avg      min    p50        p99      p99.9        max  bin1 %  missed  cpu %  load ops/s  samples
x   13313.334  -60.000  0.003  40000.000  40000.000  40000.000   33.33       0   29.0        5000        3

off the bins  1 below -50 us, 1 from 450 us on
coalesced     3 had no wake of their own, 4 were lost
cpu           29.0 % of one processor, of the thread
collector     5 cycles, paused for 100µs, longest 40µs
page faults   10 minor, 1 major, of the process; 3, 0 of the thread
load          mq load: 5000 operations, 5000/s

worst  planned    late us  collector  faults       wall clock
    4       0s  40000.000       40µs       3  12:00:00.000000
    3       0s      0.003          -       -                -
`
	for i := range res.Worst[1:] {
		res.Worst[i+1].At, res.Worst[i+1].Faults = time.Time{}, 0
	}
	assert.Equal(t, want, res.String())
}

// The tails that need many samples are shown when there are as many.
func TestReportShowsTailsOfLongRuns(t *testing.T) {
	res := recorded(t, jitter.Options{}, 100)
	for n, want := range map[int][]string{
		1 << 16: nil, 1 << 17: {"p99.99 "}, 1 << 20: {"p99.99 ", "p99.999 "}, 1 << 24: {"p99.99 ", "p99.999 ", "p99.9999 "},
	} {
		h := histogramOf(100)
		for int(h.Count()) < n {
			twice := *h
			h.Merge(&twice)
		}
		res.Lateness = h
		text := res.String()
		for _, tail := range []string{"p99.99 ", "p99.999 ", "p99.9999 "} {
			if slices.Contains(want, tail) {
				assert.Contains(t, text, "\n"+tail)
			} else {
				assert.NotContains(t, text, "\n"+tail)
			}
		}
	}
}
