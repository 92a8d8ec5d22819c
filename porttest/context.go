package porttest

import (
	"context"
	"errors"

	"github.com/tickwake/rtos"
)

func contextChecks() []check {
	return []check{{
		name:     "Context",
		methods:  "Park",
		contract: "a parked task whose Context is done is let run: Park waits for it too, or the port calls ExpireContext",
		body:     checkContext,
	}, {
		name:     "ContextFromOutside",
		methods:  "Park",
		contract: "a parked task whose Context is done is let run, whoever ends it",
		of:       parallelPort,
		body:     checkContextFromOutside,
	}}
}

var errCause = errors.New("the cause")

func checkContext(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	var m rtos.Mutex
	for _, prio := range []int{1, 3} {
		type step struct {
			ctx    context.Context
			cancel context.CancelCauseFunc
		}
		steps := make([]step, 3)
		for i := range steps {
			steps[i].ctx, steps[i].cancel = context.WithCancelCause(context.Background())
		}
		check := func(what string, err error) {
			w.expect(errors.Is(err, errCause), "Park", "%s: %v, want the cause of its context", what, err)
		}
		var waiter *rtos.Task
		canceller := w.spawn("canceller", 2, func(t *rtos.Task) {
			_ = m.Lock(t)
			for _, step := range steps {
				_, _ = t.NotifyTake(true, rtos.Forever) // the waiter is about to wait
				_ = t.Delay(span)
				step.cancel(errCause)
			}
			_, _ = t.NotifyTake(true, rtos.Forever)
			_ = m.Unlock(t)
			_ = waiter.NotifyGive()
		})
		waiter = w.spawn("waiter", prio, func(t *rtos.Task) {
			_ = t.Delay(span) // the mutex is taken
			_ = canceller.NotifyGive()
			check("TakeCtx", s.TakeCtx(steps[0].ctx, t))
			_ = canceller.NotifyGive()
			_, err := t.NotifyTakeCtx(steps[1].ctx, true)
			check("NotifyTakeCtx", err)
			_ = canceller.NotifyGive()
			check("LockCtx", m.LockCtx(steps[2].ctx, t))
			_ = canceller.NotifyGive()
			_, _ = t.NotifyTake(true, rtos.Forever) // waits although that context is done
		})
		w.finish()
		w = tr.world(rtos.Config{})
	}
}

func checkContextFromOutside(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	w.spawn("waiter", 1, func(t *rtos.Task) {
		for range 20 {
			ctx, cancel := context.WithCancelCause(context.Background())
			go cancel(errCause)
			if err := s.TakeCtx(ctx, t); !errors.Is(err, errCause) {
				w.failf("Park", "TakeCtx: %v, want the cause of its context", err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), span)
		defer cancel()
		if err := s.TakeCtx(ctx, t); !errors.Is(err, context.DeadlineExceeded) {
			w.failf("Park", "TakeCtx: %v, want the cause of its context", err)
		}
	})
	w.finish()
}
