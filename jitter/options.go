package jitter

import (
	"fmt"
	"time"
)

// Options says what a [Recorder] is to record, and what is known about it. Its zero
// value records everything, until the loop ends.
type Options struct {
	_ struct{}

	// Name is the name of the row. Default "jitter".
	Name string
	// Period is the time between two activations, for reports, and of a [Loop]. Default
	// 1 ms.
	Period time.Duration
	// Samples is how many activations are to be recorded; then [Recorder.Full] says so.
	// Default 0: as many as come.
	Samples uint64
	// Warmup is how many activations come before the first that counts. Default 0.
	Warmup uint64
	// Setup describes the world that the loop runs in, for reports. Default: not known.
	Setup Setup
	// Loads is the work that is done beside the loop, for reports. Default none.
	Loads []Load
	// OwnThread: the goroutine of the loop is locked to its thread, as that of a task
	// with [rtos.OwnThread] or on a real-time port; then the processor time of the
	// thread is that of the loop. Default false: that of the whole process is told.
	OwnThread bool

	// TakeOver is how often a goroutine beside the loop takes over what was recorded,
	// and looks at the collector and at page faults. Default 1 s; in virtual time
	// only with a File.
	TakeOver time.Duration
	// File is where a snapshot of the [Result] is written, for runs of hours: every
	// Every, and at the end. It is replaced at once, so a reader always finds a whole
	// one. Default none.
	File string
	// Every is the time between two snapshots, which are written at a take-over. Default
	// 10 s.
	Every time.Duration
	// Resume: if File is there already, go on from it: its result is merged into this
	// one. Default false: it is overwritten.
	Resume bool
}

func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "jitter"
	}
	for _, f := range []struct {
		name   string
		value  *time.Duration
		preset time.Duration
	}{
		{"Period", &o.Period, time.Millisecond},
		{"TakeOver", &o.TakeOver, time.Second},
		{"Every", &o.Every, 10 * time.Second},
	} {
		if *f.value == 0 {
			*f.value = f.preset
		}
		if *f.value < 0 {
			return o, fmt.Errorf("jitter: Options.%s is %v, want a positive duration", f.name, *f.value)
		}
	}
	if o.Resume && o.File == "" {
		return o, fmt.Errorf("jitter: Options.Resume without a File to go on from")
	}
	for i, l := range o.Loads {
		if l == nil {
			return o, fmt.Errorf("jitter: Options.Loads[%d] is nil", i)
		}
	}
	return o, nil
}
