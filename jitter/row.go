package jitter

import (
	"math"
	"time"
)

// A Row is one line of a [Table]: figures in microseconds and per cent, NaN where one is
// not known, as most are of a published row.
type Row struct {
	Name    string
	Samples uint64
	// The lateness.
	Avg, Min, P50, P99, P999, Max float64
	Bin1                          float64 // per cent of the samples in the first half microsecond
	Missed                        float64 // activations missed in a run
	CPU                           float64 // per cent of one processor
	LoadOps                       float64 // operations of the loads in a second
}

// Row is the figures of r.
func (r *Result) Row() Row {
	h := r.Lateness
	row := Row{
		Name:    r.Name,
		Samples: h.Count(),
		Avg:     h.Mean() / 1000,
		Min:     micros(h.Min()),
		P50:     micros(h.Quantile(0.5)),
		P99:     micros(h.Quantile(0.99)),
		P999:    micros(h.Quantile(0.999)),
		Max:     micros(h.Max()),
		Bin1:    100 * h.FirstBin(),
		Missed:  float64(r.Missed) / float64(r.Runs),
		CPU:     100 * r.CPU.Share(),
		LoadOps: math.NaN(),
	}
	if h.Count() == 0 {
		row.Min, row.P50, row.P99, row.P999, row.Max = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	for i, l := range r.Loads {
		if i == 0 {
			row.LoadOps = 0
		}
		row.LoadOps += l.Rate()
	}
	return row
}

// PublishedRow is a row of which only these figures are known, in microseconds.
func PublishedRow(name string, avg, min, max float64) Row {
	no := math.NaN()
	return Row{Name: name, Avg: avg, Min: min, Max: max, P50: no, P99: no, P999: no, Bin1: no, Missed: no, CPU: no, LoadOps: no}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// A Metric is a figure with its unit, as [testing.B.ReportMetric] takes it.
type Metric struct {
	Value float64
	Unit  string
}

// Metrics is the figures that are known.
func (r Row) Metrics() []Metric {
	var known []Metric
	for _, m := range []Metric{
		{r.Avg, "avg-us"},
		{r.Min, "min-us"},
		{r.Max, "max-us"},
		{r.P50, "p50-us"},
		{r.P99, "p99-us"},
		{r.P999, "p99.9-us"},
		{r.Bin1, "bin1-%"},
		{r.Missed, "missed/run"},
		{r.CPU, "cpu-%"},
		{r.LoadOps, "load-ops/s"},
	} {
		if !math.IsNaN(m.Value) {
			known = append(known, m)
		}
	}
	return known
}

// Report gives the figures that are known to b, a *testing.B.
func (r Row) Report(b interface {
	ReportMetric(n float64, unit string)
}) {
	for _, m := range r.Metrics() {
		b.ReportMetric(m.Value, m.Unit)
	}
}
