package jitter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tickwake/rtos"
)

// A Policy is what a loop does with activations whose time has passed when it is their
// turn, because the one before took too long or something else had the processor.
type Policy uint8

const (
	// CatchUp runs them one after the other without waiting, each as late as it is, as
	// [rtos.Task.DelayUntil] does. [Result.Missed] counts them.
	CatchUp Policy = iota
	// Skip leaves them out, and goes on with the first whose time has not passed.
	// [Result.Missed] counts them; [Result.Lateness] knows only those that ran.
	Skip
)

func (p Policy) String() string {
	switch p {
	case CatchUp:
		return "catch up"
	case Skip:
		return "skip"
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// A Loop is a periodic activity that is measured. Every activation has a planned time, a
// whole number of periods after the start, and is late by the time from there to its
// beginning, whatever happened to those before it.
//
//	rec, err := jitter.NewRecorder(jitter.Options{Period: 100 * time.Microsecond, Samples: 20_000})
//	loop := jitter.Loop{Recorder: rec, Wait: &jitter.SleepThenSpin{}}
//	_, err = k.Spawn("periodic", 20, func(t *rtos.Task) { err = loop.Run(ctx, t) })
type Loop struct {
	_ struct{}

	// Recorder records, and has the period and the number of samples. It must be there,
	// and serves one Run.
	Recorder *Recorder
	// Wait is how the loop waits. Default [SleepUntil].
	Wait Wait
	// Policy is what it does with what it has missed. Default [CatchUp].
	Policy Policy
	// Work is what it does in each activation. Default nothing.
	Work func(t *rtos.Task)
	// InCode: an activation begins when the loop's own code runs again. Default false:
	// when the Wait says that it is over, which on a thread of its own may be a little
	// earlier.
	InCode bool
}

// Run runs the loop in task t, the caller, until all samples are recorded, ctx is done, or
// the task is ended. However it ends, what was recorded until then is in the recorder's
// [Recorder.Result]; that holds also when the task is unwound and Run does not return.
//
// The error is nil if all samples were recorded, the cause of ctx, what the wait says if
// the task is deleted, or that of the snapshot file. That ctx is done is seen at the next
// activation, or when the wait is aborted; otherwise the loop does not heed aborts.
// Blocking.
func (l *Loop) Run(ctx context.Context, t *rtos.Task) (err error) {
	if l.Recorder == nil {
		panic(&rtos.MisuseError{Op: "Loop.Run", Task: t.Name(), Reason: "no Recorder"})
	}
	if l.Wait == nil {
		l.Wait = SleepUntil{}
	}
	rec := l.Recorder
	detail := ""
	if c, ok := l.Wait.(Calibrator); ok {
		if err := c.Calibrate(ctx, t, rec.read.opts.Period); err != nil {
			return err
		}
		detail = c.Detail()
	}
	rec.Describe(l.Wait.Name(), detail, l.Policy.String())
	start := rec.Begin(t)
	rec.cause = "the task was ended"
	defer func() { err = errors.Join(err, rec.End()) }()
	if err = l.run(ctx, t, start); err != nil {
		rec.cause = err.Error()
	} else {
		rec.cause = ""
	}
	return err
}

func (l *Loop) run(ctx context.Context, t *rtos.Task, start time.Duration) error {
	rec, k, period, done := l.Recorder, t.Kernel(), l.Recorder.read.opts.Period, ctx.Done()
	for planned := start + period; !rec.Full(); planned += period {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		if behind := k.Now() - planned; behind > 0 {
			planned += l.late(behind, period)
		}
		began, err := l.wait(ctx, t, planned)
		if err != nil {
			return err
		}
		if l.InCode {
			began = k.Now()
		}
		rec.Record(planned, began)
		if l.Work != nil {
			l.Work(t)
		}
	}
	return nil
}

// wait waits in spite of aborts.
func (l *Loop) wait(ctx context.Context, t *rtos.Task, planned time.Duration) (time.Duration, error) {
	for {
		now, err := l.Wait.Until(t, planned)
		if !errors.Is(err, rtos.ErrAborted) {
			return now, err
		}
		if ctx.Err() != nil {
			return now, context.Cause(ctx)
		}
	}
}

// late counts what has been missed when the next activation was due a while ago, and
// answers by how much its planned time moves.
func (l *Loop) late(behind, period time.Duration) time.Duration {
	if l.Policy != Skip {
		l.Recorder.Missed(1)
		return 0
	}
	n := (behind + period - 1) / period
	l.Recorder.Skipped(uint64(n))
	return n * period
}
