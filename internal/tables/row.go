package tables

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwake/rtos/jitter"
)

// A Stamp tells which instant of an activation is taken.
type Stamp uint8

// The instants, in the order in which they come.
const (
	Interrupt  Stamp = iota // the timer's thread is there
	KernelTask              // the thread of the task runs again, before ordinary Go code does
	UserTask                // the task's own code runs
	ClockRead               // no activation: a reading of the clock right after another
)

// A Row is one row of a table.
type Row struct {
	Name    string // of the table and of the row: "TaskJitter/SemLoad"
	Stamp   Stamp
	Load    Load
	Period  time.Duration
	Samples uint64
	// Spin: the timer wakes early and spins up to the deadline, and a task on another core
	// spins for a while before it parks. Otherwise they only sleep.
	Spin bool
	// SameCore: the task is on the core of the timer.
	SameCore bool
	// Collector: the garbage collector works as ever. Otherwise it is off.
	Collector bool
}

// warmup is how many activations come before the first that counts.
const warmup = 200

// A World measures rows somewhere.
type World interface {
	// Measure measures a row under the load, which runs already. What was measured until
	// then is returned with an error, too.
	Measure(ctx context.Context, r Row, load RunningLoad) (*jitter.Result, error)
}

// Measure measures the row. It is an error if the load did not do what makes it a load.
// What was measured until then is returned with an error, too. Blocking.
func (r Row) Measure(ctx context.Context, w World) (res *jitter.Result, err error) {
	if r.Samples == 0 {
		return nil, fmt.Errorf("%s: no samples are asked for", r.Name)
	}
	load, err := r.Load.start(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	res, err = w.Measure(ctx, r, load)
	if stopped := load.stop(); err == nil {
		err = stopped
	}
	if err == nil {
		err = enough(load, res)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.Name, err)
	}
	return res, err
}

// enough refuses a row whose load stood still.
func enough(load RunningLoad, res *jitter.Result) error {
	for i, l := range load.loads() {
		if did := res.Loads[i].Rate(); did < l.Least() {
			return fmt.Errorf("%s made %.0f operations a second, and is a load from %.0f on", l.Name(), did, l.Least())
		}
	}
	return nil
}

// options are those of the row's recorder.
func (r Row) options(load RunningLoad) jitter.Options {
	return jitter.Options{Name: r.Name, Period: r.Period, Samples: r.Samples, Warmup: warmup, Loads: load.loads()}
}
