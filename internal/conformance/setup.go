package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/tickwake/rtos"
)

// setup is how a scenario is run where the format leaves it open. Only compat and inheritance
// may change a trace.
type setup struct {
	compat      rtos.Compat
	inheritance rtos.Inheritance
	forms       forms
	tasks       int             // the least capacity of the kernel
	extras      bool            // options that FreeRTOS does not have are on
	watch       func(r *runner) // called at every event
}

// asReference is how the recorded traces came about.
var asReference = setup{compat: rtos.CompatFreeRTOS}

// forms says which form of a call is used where the package has several that mean the
// same.
type forms uint8

const (
	shortForms   forms = iota // without a limit, a slot, an error, where that will do
	generalForms              // the most general one with a limit; mutexes as sync.Locker
	contextForms              // with a context instead of no limit
	// deadlineForms is with a context that ends at the limit, at once if that is 0. It is
	// not the same: a simulation sees that when it has nothing else to do, and nothing is
	// taken when it has ended.
	deadlineForms
)

// waiting is the forms of a call that may wait; those that do not exist are nil.
type waiting struct {
	plain func() error
	lock  func() error // by a sync.Locker
	try   func() bool
	limit func(d time.Duration) error
	ctx   func(ctx context.Context) error
}

// wait makes the call in the form that the setup asks for, and reports success.
func (c *call) wait(w waiting) bool {
	forms, limit := c.run.forms, c.op.Wait
	switch {
	case forms >= contextForms && limit.Forever && w.ctx != nil:
		return took(w.ctx(c.run.ctx))
	case forms == deadlineForms && w.ctx != nil:
		ctx, cancel := c.run.deadline(c.limit())
		defer cancel()
		return took(w.ctx(ctx))
	case forms == generalForms && limit.Forever && w.lock != nil:
		return took(w.lock())
	case forms == shortForms && limit.Forever && w.plain != nil:
		return took(w.plain())
	case forms == shortForms && limit == Limit{} && w.try != nil:
		return w.try()
	}
	return took(w.limit(c.limit()))
}

// virtualDeadline is a context that ends after d in virtual time.
func (r *runner) virtualDeadline(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	if d == 0 {
		cancel(context.DeadlineExceeded)
		return ctx, func() {}
	}
	r.sim.At(r.sim.Time()+uint64(d/r.kernel.Ticks(1)), func(*rtos.ISR) { cancel(context.DeadlineExceeded) })
	return ctx, func() { cancel(nil) }
}

// took: a mutex whose last owner has ended is taken all the same.
func took(err error) bool { return err == nil || errors.Is(err, rtos.ErrOwnerDied) }

// slotted tells whether a call names its notification slot.
func (c *call) slotted() bool { return c.op.Index != 0 || c.run.forms != shortForms }
