package tables_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/tables"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/realtime"
)

// The names stand in other people's scripts.
func TestNamesOfRows(t *testing.T) {
	var names []string
	for _, row := range tables.Rows() {
		names = append(names, row.Name)
		if row.Period != 100*time.Microsecond || row.Samples != 20_000 {
			t.Errorf("%s: every %v, %d samples", row.Name, row.Period, row.Samples)
		}
	}
	require.Equal(t, strings.Fields(`
		TimestampRead
		InterruptJitter/NoLoad InterruptJitter/SemLoad InterruptJitter/MqLoad InterruptJitter/DelayLoad
		TaskJitter/NoLoad TaskJitter/SemLoad TaskJitter/MqLoad TaskJitter/DelayLoad
		InterruptJitterSleep/NoLoad InterruptJitterSleep/SemLoad InterruptJitterSleep/MqLoad InterruptJitterSleep/DelayLoad
		TaskJitterSleep/NoLoad TaskJitterSleep/SemLoad TaskJitterSleep/MqLoad TaskJitterSleep/DelayLoad
		TaskJitterSameCore/NoLoad TaskJitterSameCore/SemLoad TaskJitterSameCore/MqLoad TaskJitterSameCore/DelayLoad
		Xenomai/Interrupt/NoLoad Xenomai/Interrupt/Load
		Xenomai/KernelTask/NoLoad Xenomai/KernelTask/Load
		Xenomai/UserTask/NoLoad Xenomai/UserTask/Load
		CollectorJitter/Off CollectorJitter/On`), names)
}

// resultsOf is results as if all rows had been measured, each with one sample of 3.3 us.
func resultsOf(t *testing.T) *tables.Report {
	t.Helper()
	r := &tables.Report{After: []realtime.Floor{{Core: 1, Spun: time.Second}}}
	for _, row := range tables.Rows() {
		rec, err := jitter.NewRecorder(jitter.Options{Name: row.Name, Samples: 1, Setup: jitter.Setup{
			Port: "a port", Clock: "a clock", Policy: "policy of " + row.Name[:3], Permission: "some", Degradations: []string{"no such thing"},
		}})
		require.NoError(t, err)
		rec.BeginOn(func() time.Duration { return 0 })
		rec.Record(0, 3300*time.Nanosecond)
		require.NoError(t, rec.End())
		r.Add(rec.Result(), nil)
	}
	return r
}

func report(t *testing.T, r *tables.Report) string {
	t.Helper()
	var b strings.Builder
	_, err := r.WriteTo(&b)
	require.NoError(t, err)
	return b.String()
}

func TestReportSetsPublishedRowsBesideOurs(t *testing.T) {
	text := report(t, resultsOf(t))
	lines := strings.Split(text, "\n")
	// after finds the fields of the line that is so many below the one that begins so.
	after := func(title, row string, below int) []string {
		in := false
		for i, l := range lines {
			in = in && l != "" || strings.HasPrefix(l, title)
			if in && strings.HasPrefix(l, row+" ") {
				return strings.Fields(lines[i+below])
			}
		}
		t.Fatalf("no %s in %s:\n%s", row, title, text)
		return nil
	}
	assert.Equal(t, "3.300", after("TaskJitter:", "NoLoad", 0)[1])
	assert.Equal(t, []string{"VxWorks", "0.249", "0.162"}, after("TimestampRead", "here", 1)[:3])
	assert.Equal(t, []string{"Xenomai", "0.163", "0.162"}, after("TimestampRead", "here", 2)[:3])
	assert.Equal(t, []string{"VxWorks", "4.066", "0.000"}, after("InterruptJitter:", "MqLoad", 1)[:3])
	assert.Contains(t, after("InterruptJitterSleep:", "MqLoad", 1), "13.663")
	assert.Contains(t, after("TaskJitter:", "SemLoad", 1), "15.778")
	assert.Equal(t, []string{"VxWorks,", "second", "table", "1.489", "-0.788"}, after("TaskJitterSameCore:", "SemLoad", 2)[:5])
	assert.Equal(t, []string{"Xenomai", "0.768", "0.325"}, after("Xenomai:", "Interrupt/Load", 1)[:3])
	assert.Contains(t, after("Xenomai:", "KernelTask/Load", 1), "10.519")
	assert.Contains(t, after("Xenomai:", "UserTask/Load", 1), "71999680")
	assert.Contains(t, strings.Fields(text), "52.926", "the share of 3.25 us in the user task's distribution")

	assert.Equal(t, 1, strings.Count(text, "policy of Int\n"), "a world is printed once")
	assert.Contains(t, text, "no such thing")
	assert.Contains(t, text, "floor of core 1")
	assert.Contains(t, text, "how the suite defines jitter is not given")
}

func TestReportOfNothingIsEmpty(t *testing.T) {
	assert.Empty(t, report(t, &tables.Report{}))
}

func TestLaterResultReplacesTheEarlier(t *testing.T) {
	r := resultsOf(t)
	n := len(r.Results)
	res := *r.Results[3]
	res.Interrupted = "for a reason"
	r.Add(&res, nil)
	assert.Len(t, r.Results, n)
	assert.Contains(t, report(t, r), "MqLoad was interrupted: for a reason")
}

// A row under a load that stands still is refused, but not lost.
func TestLoadThatStandsStillIsRefused(t *testing.T) {
	row := tables.Row{Name: "X/SemLoad", Load: tables.SemLoad, Period: 5 * time.Millisecond, Samples: 1}
	res, err := row.Measure(t.Context(), idle{})
	require.ErrorContains(t, err, "X/SemLoad: sem load made 3 operations a second, and is a load from 1000 on")
	require.NotNil(t, res)

	r := resultsOf(t)
	res.Name = "TaskJitter/SemLoad"
	r.Add(res, err)
	assert.Contains(t, report(t, r), "SemLoad does not count: X/SemLoad: sem load made 3 operations a second")
	r.Add(res, nil)
	assert.NotContains(t, report(t, r), "does not count")
}

// A row of no samples is no distribution.
func TestReportOfRowsWithoutSamples(t *testing.T) {
	r := resultsOf(t)
	for _, res := range r.Results {
		res.Lateness = new(jitter.Histogram)
	}
	text := report(t, r)
	assert.NotContains(t, text, "NaN")
	assert.NotContains(t, text, "Distributions")
}

// Without a number of samples a row would have no end, or no sample.
func TestRowOfNoSamplesIsRefused(t *testing.T) {
	for _, row := range tables.Rows() {
		row.Samples = 0
		_, err := row.Measure(t.Context(), simulated)
		assert.ErrorContains(t, err, row.Name+": no samples are asked for")
	}
}

// idle is a world in which loads do next to nothing.
type idle struct{ tables.World }

func (idle) Measure(ctx context.Context, r tables.Row, load tables.RunningLoad) (*jitter.Result, error) {
	return &jitter.Result{Lateness: new(jitter.Histogram), Loads: []jitter.LoadResult{{Name: "sem load", Ops: 3, Elapsed: time.Second}}}, nil
}
