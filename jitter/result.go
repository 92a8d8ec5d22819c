package jitter

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Result is what a [Recorder] has recorded. It is a copy, and nobody else's.
type Result struct {
	Name   string        `json:"name"`
	Setup  Setup         `json:"setup"`
	Period time.Duration `json:"period_ns"`
	// Wait is how the loop waits, and WaitDetail what it has found for that; Policy what
	// it does with an activation that is late. "" if there was no [Loop].
	Wait       string `json:"wait,omitempty"`
	WaitDetail string `json:"wait_detail,omitempty"`
	Policy     string `json:"policy,omitempty"`
	Warmup     uint64 `json:"warmup"`

	// Runs is the number of runs in it: 1, or more after Merge.
	Runs int `json:"runs"`
	// Began is when the first run began; the zero time in virtual time.
	Began time.Time `json:"began,omitzero"`
	// Elapsed is the time from the beginning of the run to the last activation, by the
	// clock of the loop; of several runs the sum.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Running: the loop had not ended yet. Interrupted says why it ended before its time,
	// "" if it did not.
	Running     bool   `json:"running"`
	Interrupted string `json:"interrupted,omitempty"`

	// Lateness is the time from the planned instant of an activation to its beginning.
	Lateness *Histogram `json:"lateness"`
	// Worst is the latest activations, at most [NumWorst], the worst first.
	Worst []Sample `json:"worst"`
	// Missed is how many activations had their time passed already when it was their
	// turn, because of an earlier one. Those are in Lateness under [CatchUp], and in it
	// under [Skip] they are not.
	Missed uint64 `json:"missed"`
	// Coalesced is how many activations had no wake of their own, and Lost of how many
	// nothing is known; see [Ring].
	Coalesced uint64 `json:"coalesced"`
	Lost      uint64 `json:"lost"`

	CPU       CPU       `json:"cpu"`
	Collector Collector `json:"collector"`
	// Faults is the page faults of the process; ThreadFaults those of the loop's own
	// thread, nil if they are not known. Linux only.
	Faults       Faults       `json:"faults"`
	ThreadFaults *Faults      `json:"thread_faults,omitempty"`
	Loads        []LoadResult `json:"loads,omitempty"`
}

// LoadResult is what a [Load] has done during a run.
type LoadResult struct {
	Name    string        `json:"name"`
	Ops     uint64        `json:"ops"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Rate is the number of operations in a second; 0 if no time has passed.
func (l LoadResult) Rate() float64 {
	if l.Elapsed <= 0 {
		return 0
	}
	return float64(l.Ops) / l.Elapsed.Seconds()
}

func newResult(o Options) *Result {
	return &Result{
		Name: o.Name, Setup: o.Setup, Period: o.Period, Warmup: o.Warmup,
		Runs: 1, Lateness: new(Histogram), Worst: []Sample{},
	}
}

func (r *Result) clone() *Result {
	c := *r
	h := *r.Lateness
	c.Lateness = &h
	c.Worst = slices.Clone(r.Worst)
	c.Loads = slices.Clone(r.Loads)
	c.Setup.Degradations = slices.Clone(r.Setup.Degradations)
	if f := r.ThreadFaults; f != nil {
		own := *f
		c.ThreadFaults = &own
	}
	return &c
}

// keepWorst sorts the samples and leaves the worst.
func (r *Result) keepWorst() {
	slices.SortStableFunc(r.Worst, func(a, b Sample) int {
		return cmp.Or(-cmp.Compare(a.By, b.By), cmp.Compare(a.Index, b.Index))
	})
	r.Worst = r.Worst[:min(len(r.Worst), NumWorst)]
}

// Merge adds another run to r. What describes a run stays that of r; runs that cannot be
// compared, because they differ in period, port, scheduling policy, way of waiting or
// policy, are refused, and nothing is changed. The index and the planned time of a sample
// are those of its own run.
func (r *Result) Merge(o *Result) error {
	for _, f := range []struct {
		what string
		a, b any
	}{
		{"period", r.Period, o.Period},
		{"port", r.Setup.Port, o.Setup.Port},
		{"scheduling policy", r.Setup.Policy, o.Setup.Policy},
		{"way of waiting", r.Wait, o.Wait},
		{"policy", r.Policy, o.Policy},
	} {
		if f.a != f.b {
			return fmt.Errorf("jitter: merging runs that differ in their %s: %q and %q", f.what, fmt.Sprint(f.a), fmt.Sprint(f.b))
		}
	}
	if r.Began.IsZero() || !o.Began.IsZero() && o.Began.Before(r.Began) {
		r.Began = o.Began
	}
	r.Runs += o.Runs
	r.Elapsed += o.Elapsed
	r.Running = r.Running || o.Running
	r.Interrupted = cmp.Or(r.Interrupted, o.Interrupted)
	r.Lateness.Merge(o.Lateness)
	r.Worst = append(r.Worst, o.Worst...)
	r.keepWorst()
	r.Missed += o.Missed
	r.Coalesced += o.Coalesced
	r.Lost += o.Lost
	r.mergeMachine(o)
	return nil
}

func (r *Result) mergeMachine(o *Result) {
	if r.CPU.Of == o.CPU.Of {
		r.CPU.Used += o.CPU.Used
		r.CPU.Wall += o.CPU.Wall
	} else {
		r.CPU = CPU{}
	}
	r.Collector.Cycles += o.Collector.Cycles
	r.Collector.Pause += o.Collector.Pause
	r.Collector.Longest = max(r.Collector.Longest, o.Collector.Longest)
	r.Faults = r.Faults.plus(o.Faults)
	if r.ThreadFaults != nil && o.ThreadFaults != nil {
		*r.ThreadFaults = r.ThreadFaults.plus(*o.ThreadFaults)
	} else {
		r.ThreadFaults = nil
	}
	for _, l := range o.Loads {
		i := slices.IndexFunc(r.Loads, func(m LoadResult) bool { return m.Name == l.Name })
		if i < 0 {
			r.Loads = append(r.Loads, l)
			continue
		}
		r.Loads[i].Ops += l.Ops
		r.Loads[i].Elapsed += l.Elapsed
	}
	for _, d := range o.Setup.Degradations {
		if !slices.Contains(r.Setup.Degradations, d) {
			r.Setup.Degradations = append(r.Setup.Degradations, d)
		}
	}
}
