package rtos_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// increments is what each task of the published experiment does.
const increments = 100_000

// BenchmarkCounter repeats the published experiment: one iteration is one
// whole run, two tasks with 100,000 increments each. ms/run and the other
// metrics cover the run from the start barrier to the end of the slower task;
// ns/op and allocs/op also cover making the kernel and its tasks.
func BenchmarkCounter(b *testing.B) {
	for _, pl := range []placement{pinned, free} {
		b.Run(pl.String(), func(b *testing.B) {
			for _, w := range ways {
				b.Run(w.name, func(b *testing.B) { benchCounter(b, pl, w) })
			}
		})
	}
}

func benchCounter(b *testing.B, pl placement, w way) {
	if reason := pl.unsupported(); reason != "" {
		b.Skip(reason)
	}
	if w.needsTwo && runtime.GOMAXPROCS(0) < 2 {
		b.Skip("spins without end while the other task has no processor")
	}
	var runs []outcome
	b.ReportAllocs()
	for b.Loop() {
		o := w.run(b, pl, 1, increments)[0]
		if o.value != 2*increments {
			b.Fatalf("counter is %d after two times %d increments", o.value, increments)
		}
		runs = append(runs, o)
	}
	s := summarise(runs)
	s.report(b, pl)
	table.add(pl, w.name, s)
}

// An outcome is what one run of the experiment showed.
type outcome struct {
	value     uint32
	handovers float64
	wall      time.Duration
	skew      time.Duration
	fairness  float64
	cpu       []float64 // per cent of wall time: by task if pinned, else the process
}

// A summary holds medians over runs, and the slowest run.
type summary struct {
	runs                  int
	ms, worst             float64
	handovers, skew, fair float64
	cpu                   []float64
}

func summarise(runs []outcome) summary {
	of := func(f func(outcome) float64) float64 {
		x := make([]float64, len(runs))
		for i, o := range runs {
			x[i] = f(o)
		}
		return median(x)
	}
	ms := func(o outcome) float64 { return o.wall.Seconds() * 1e3 }
	s := summary{
		runs:      len(runs),
		ms:        of(ms),
		handovers: of(func(o outcome) float64 { return o.handovers }),
		skew:      of(func(o outcome) float64 { return o.skew.Seconds() * 1e6 }),
		fair:      of(func(o outcome) float64 { return o.fairness }),
	}
	for _, o := range runs {
		s.worst = max(s.worst, ms(o))
	}
	for i := range runs[0].cpu {
		s.cpu = append(s.cpu, of(func(o outcome) float64 { return o.cpu[i] }))
	}
	return s
}

func (s summary) perOp() float64 { return s.ms * 1e3 / increments }

func (s summary) report(b *testing.B, pl placement) {
	b.ReportMetric(s.ms, "ms/run")
	b.ReportMetric(s.worst, "worst-ms")
	b.ReportMetric(s.perOp(), "us/op")
	b.ReportMetric(s.handovers, "handovers/run")
	b.ReportMetric(s.skew, "skew-us")
	b.ReportMetric(s.fair, "fairness-%")
	for i, c := range s.cpu {
		unit := "cpu-%"
		if pl == pinned {
			unit = fmt.Sprintf("cpu%d-%%", i)
		}
		b.ReportMetric(c, unit)
	}
}

func median(x []float64) float64 { return quantile(x, 0.5) }

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}
