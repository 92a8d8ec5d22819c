package jitter

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/tickwake/rtos"
)

// SleepThenSpin sleeps until a margin before the deadline and reads the clock again and
// again for the rest, so that it does not pay for the time that a sleeper takes to wake. It
// costs the margin in processor time for each activation: see [CPU].
//
// If there is no processor to spare, with GOMAXPROCS 1, it only sleeps: whoever it waits
// for could not run. In a simulation the spinning is [rtos.Task.Work].
//
// One value serves one loop at a time.
type SleepThenSpin struct {
	// Sleep is how it sleeps. Default [SleepUntil].
	Sleep Wait
	// Margin is how long before the deadline it means to wake. Default 0: found at the
	// start, as the quantile 0.99 of the lateness of plain sleeps of a period, or of 10 ms
	// if that is less.
	Margin time.Duration
	// Sleeps is how many sleeps that takes; fewer if they would take more than a second.
	// Default 2000.
	Sleeps int
	// Least and Most bound the margin that is found; and it is never more than half a
	// period. Default 20 us, and half a period.
	Least, Most time.Duration

	margin time.Duration
	detail string
}

// Calibrate implements [Calibrator].
func (w *SleepThenSpin) Calibrate(ctx context.Context, t *rtos.Task, period time.Duration) error {
	if t.Kernel().Current() == nil && runtime.GOMAXPROCS(0) < 2 {
		w.margin, w.detail = 0, "no spinning: one processor"
		return nil
	}
	if w.Margin > 0 {
		w.margin, w.detail = w.Margin, fmt.Sprintf("margin %v, given", w.Margin)
		return nil
	}
	late, err := w.plainSleeps(ctx, t, period)
	if err != nil {
		return err
	}
	found := late.Quantile(0.99)
	least, most := w.Least, period/2
	if least == 0 {
		least = 20 * time.Microsecond
	}
	if w.Most > 0 {
		most = min(most, w.Most)
	}
	w.margin = min(max(found, least), most)
	w.detail = fmt.Sprintf("margin %v; p99 of %d sleeps %v", w.margin, late.Count(), found)
	return nil
}

// plainSleeps measures how late a sleeper wakes.
func (w *SleepThenSpin) plainSleeps(ctx context.Context, t *rtos.Task, period time.Duration) (*Histogram, error) {
	n := w.Sleeps
	if n <= 0 {
		n = 2000
	}
	period = min(period, 10*time.Millisecond)
	n = min(n, int(time.Second/period))
	late := new(Histogram)
	planned := t.Kernel().Now() + period
	for range n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		now, err := w.sleep().Until(t, planned)
		if err != nil {
			return nil, err
		}
		late.Add(now - planned)
		planned = max(planned, now) + period
	}
	return late, nil
}

func (w *SleepThenSpin) sleep() Wait {
	if w.Sleep == nil {
		return SleepUntil{}
	}
	return w.Sleep
}

// Until implements [Wait].
func (w *SleepThenSpin) Until(t *rtos.Task, deadline time.Duration) (now time.Duration, err error) {
	if w.margin == 0 {
		return w.sleep().Until(t, deadline)
	}
	k := t.Kernel()
	if now, err = w.sleep().Until(t, deadline-w.margin); err != nil {
		return now, err
	}
	if k.Current() != nil {
		t.Work(max(deadline-now, 0))
		return k.Now(), nil
	}
	// The end is near: the sleep has not returned before deadline-margin.
	for now < deadline {
		if err = t.Checkpoint(); err != nil {
			break
		}
		now = k.Now()
	}
	return now, err
}

// Name implements [Wait].
func (w *SleepThenSpin) Name() string { return "sleep, then spin" }

// Detail implements [Calibrator].
func (w *SleepThenSpin) Detail() string { return w.detail }

// Found is the margin in use; 0 before it was found, or if there is none.
func (w *SleepThenSpin) Found() time.Duration { return w.margin }

var _ Calibrator = (*SleepThenSpin)(nil)
