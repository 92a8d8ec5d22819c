package jitter

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// numShown is how many of the worst samples a report shows.
const numShown = 10

// WriteTo writes a report: where and how it was measured, the table, what disturbed the
// run, and the worst samples.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, r.String())
	return int64(n), err
}

func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s%s\n", "measured", r.what())
	if r.Wait != "" {
		fmt.Fprintf(&b, "%-14s%s\n", "wait", joined("; ", r.Wait, r.WaitDetail))
	}
	b.WriteString(r.Setup.String())
	b.WriteByte('\n')
	b.WriteString((&Table{Rows: []Row{r.Row()}}).String())
	b.WriteByte('\n')
	r.writeFacts(&b)
	r.writeWorst(&b)
	return b.String()
}

// what says what was measured, and how far it got.
func (r *Result) what() string {
	state := "complete"
	switch {
	case r.Running:
		state = "still running"
	case r.Interrupted != "":
		state = "interrupted: " + r.Interrupted
	}
	runs := ""
	if r.Runs > 1 {
		runs = fmt.Sprintf("%d runs", r.Runs)
	}
	warmup := ""
	if r.Warmup > 0 {
		warmup = fmt.Sprintf("after %d of warm-up", r.Warmup)
	}
	return joined(", ", fmt.Sprintf("every %v for %v", r.Period, r.Elapsed), r.Policy, warmup, runs, state)
}

// writeFacts writes what the table has no room for.
func (r *Result) writeFacts(b *strings.Builder) {
	h := r.Lateness
	for _, tail := range []struct {
		name string
		q    float64
		from uint64
	}{{"p99.99", 0.9999, 1e5}, {"p99.999", 0.99999, 1e6}, {"p99.9999", 0.999999, 1e7}} {
		if h.Count() >= tail.from {
			fmt.Fprintf(b, "%-14s%.3f us\n", tail.name, micros(h.Quantile(tail.q)))
		}
	}
	if h.Below()+h.Above() > 0 {
		fmt.Fprintf(b, "%-14s%d below %.0f us, %d from %.0f us on\n", "off the bins",
			h.Below(), micros(BinsFrom), h.Above(), micros(BinsTo))
	}
	if r.Coalesced+r.Lost > 0 {
		fmt.Fprintf(b, "%-14s%d had no wake of their own, %d were lost\n", "coalesced", r.Coalesced, r.Lost)
	}
	cpu := "not known"
	if r.CPU.Of != "" {
		cpu = fmt.Sprintf("%.1f %% of one processor, of the %s", 100*r.CPU.Share(), r.CPU.Of)
	}
	fmt.Fprintf(b, "%-14s%s\n", "cpu", cpu)
	if !r.Began.IsZero() {
		fmt.Fprintf(b, "%-14s%d cycles, paused for %v, longest %v\n", "collector",
			r.Collector.Cycles, r.Collector.Pause, r.Collector.Longest)
		fmt.Fprintf(b, "%-14s%s\n", "page faults", r.faults())
	}
	for _, l := range r.Loads {
		fmt.Fprintf(b, "%-14s%s: %d operations, %.0f/s\n", "load", l.Name, l.Ops, l.Rate())
	}
}

func (r *Result) faults() string {
	s := fmt.Sprintf("%d minor, %d major, of the process", r.Faults.Minor, r.Faults.Major)
	if f := r.ThreadFaults; f != nil {
		s += fmt.Sprintf("; %d, %d of the thread", f.Minor, f.Major)
	}
	return s
}

// writeWorst writes the worst samples, if any is late.
func (r *Result) writeWorst(b *strings.Builder) {
	if len(r.Worst) == 0 || r.Worst[0].By <= 0 {
		return
	}
	b.WriteByte('\n')
	var body strings.Builder
	tw := tabwriter.NewWriter(&body, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "worst\tplanned\tlate us\tcollector\tfaults\twall clock\t")
	for _, s := range r.Worst[:min(len(r.Worst), numShown)] {
		if s.By <= 0 {
			break
		}
		at := ""
		if !s.At.IsZero() {
			at = s.At.Format("15:04:05.000000")
		}
		fmt.Fprintf(tw, "%d\t%v\t%.3f\t%s\t%s\t%s\t\n", s.Index, s.Planned, micros(s.By),
			orDash(s.Pause, s.Pause > 0), orDash(s.Faults, s.Faults > 0), cmp.Or(at, "-"))
	}
	_ = tw.Flush()
	b.WriteString(outdent(body.String()))
}

func orDash[T time.Duration | uint64](v T, known bool) string {
	if !known {
		return "-"
	}
	return fmt.Sprint(v)
}

// joined joins what is not empty.
func joined(sep string, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(p)
	}
	return b.String()
}
