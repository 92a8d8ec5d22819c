package jitter

import (
	"context"
	"time"

	"github.com/tickwake/rtos"
)

// A Wait is how a loop waits for the time of its next activation. The ones here use
// nothing but the kernel, so they work on every port; a port may have better ones.
type Wait interface {
	// Until lets task t, the caller, wait until its kernel's clock says deadline, and
	// answers what it said first after that. If deadline has passed it does not wait, but
	// obeys requests to the task. An error is that of the wait: [rtos.ErrAborted],
	// [rtos.ErrDeleted].
	Until(t *rtos.Task, deadline time.Duration) (now time.Duration, err error)
	// Name is what reports call it.
	Name() string
}

// A Calibrator is a [Wait] that has to find something out before it is used.
type Calibrator interface {
	// Calibrate is called once in task t, before the first activation of a loop with that
	// period. It returns early when ctx is done.
	Calibrate(ctx context.Context, t *rtos.Task, period time.Duration) error
	// Detail is what it has found, for reports.
	Detail() string
}

// Sleep waits by [rtos.Task.Delay], for what is left until the deadline.
type Sleep struct{}

// Until implements [Wait].
func (Sleep) Until(t *rtos.Task, deadline time.Duration) (time.Duration, error) {
	k := t.Kernel()
	err := t.Delay(max(deadline-k.Now(), 0))
	return k.Now(), err
}

// Name implements [Wait].
func (Sleep) Name() string { return "sleep" }

// SleepUntil waits by [rtos.Task.DelayUntil], which takes the deadline itself.
type SleepUntil struct{}

// Until implements [Wait].
func (SleepUntil) Until(t *rtos.Task, deadline time.Duration) (time.Duration, error) {
	k := t.Kernel()
	// The reference must not lie ahead.
	ref := min(k.Now(), deadline-1)
	_, err := t.DelayUntil(&ref, deadline-ref)
	return k.Now(), err
}

// Name implements [Wait].
func (SleepUntil) Name() string { return "sleep until" }
