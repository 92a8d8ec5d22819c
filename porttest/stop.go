package porttest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

func stopChecks() []check {
	return []check{{
		name:     "Stop",
		methods:  "Run, Kill",
		contract: "when the kernel is stopped every task is unwound, whatever it does, and Run returns nil",
		body: func(tr *trial) {
			checkEnd(tr, nil, func(w *world, _ context.CancelCauseFunc) { w.k.Stop() })
		},
	}, {
		name:     "Cancel",
		methods:  "Run",
		contract: "Run calls Kernel.Stop when its context is done, waits for the tasks, and returns the cause",
		body: func(tr *trial) {
			checkEnd(tr, errCause, func(_ *world, cancel context.CancelCauseFunc) { cancel(errCause) })
		},
	}, {
		name:     "CancelFromOutside",
		methods:  "Run",
		contract: "Run calls Kernel.Stop when its context is done, whoever ends it",
		body: func(tr *trial) {
			checkEnd(tr, errCause, func(_ *world, cancel context.CancelCauseFunc) { go cancel(errCause) })
		},
	}, {
		name:     "CancelledBefore",
		methods:  "Run",
		contract: "a Run whose context is done already ends all tasks and returns the cause",
		body: func(tr *trial) {
			w := tr.world(rtos.Config{})
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(errCause)
			w.crowd()
			err := w.run(ctx)
			w.expect(errors.Is(err, errCause), "Run", "returned %v, want the cause of its context", err)
		},
	}, {
		name:     "StoppedBefore",
		methods:  "Run, Kill",
		contract: "a kernel that was stopped before its Run ends at once",
		body: func(tr *trial) {
			w := tr.world(rtos.Config{})
			w.crowd()
			w.k.Stop()
			w.finish()
		},
	}}
}

// crowd is a task in each state that a task can be in, none of which ends by itself. It
// counts those that have begun, and those whose deferred functions have run.
func (w *world) crowd() (begun, unwound *atomic.Int32) {
	begun, unwound = new(atomic.Int32), new(atomic.Int32)
	never := rtos.NewBinary("never")
	var m rtos.Mutex
	for _, c := range []struct {
		name string
		body func(*rtos.Task)
	}{
		{"waits", func(t *rtos.Task) { _ = never.Take(t) }},
		{"holds", func(t *rtos.Task) {
			_ = m.Lock(t)
			defer func() { _ = m.Unlock(t) }()
			_, _ = t.NotifyTake(true, rtos.Forever)
		}},
		{"waits for the holder", func(t *rtos.Task) {
			_ = t.Delay(span / 5)
			_ = m.Lock(t)
			_ = never.Take(t) // the holder has been told first
		}},
		{"waits with a limit", func(t *rtos.Task) { _ = t.Delay(100_000 * span) }},
		{"is suspended", func(t *rtos.Task) { _ = t.SuspendSelf() }},
		{"has a context", func(t *rtos.Task) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_ = never.TakeCtx(ctx, t)
		}},
	} {
		w.doom(c.name, 3, w.counting(begun, unwound, c.body))
	}
	w.doom("works", 1, w.counting(begun, unwound, func(t *rtos.Task) {
		for !w.k.Stopping() {
			t.Work(span / 5)
			t.Yield()
		}
		w.toTheEnd(t)
	}))
	return begun, unwound
}

// toTheEnd waits until t is unwound because the kernel stops. It returns if t is not.
func (w *world) toTheEnd(t *rtos.Task) {
	for n := 0; n < 1000; _ = t.Delay(span / 5) {
		if w.k.Stopping() {
			n++ // it may not have come to t yet
		}
	}
}

func (w *world) counting(begun, unwound *atomic.Int32, body func(*rtos.Task)) func(*rtos.Task) {
	return func(t *rtos.Task) {
		begun.Add(1)
		defer unwound.Add(1)
		body(t)
		w.failf("Unwind", "task %q went on after the end of the kernel", t.Name())
	}
}

// checkEnd lets a task end the kernel while a crowd is there.
func checkEnd(tr *trial, want error, end func(*world, context.CancelCauseFunc)) {
	w := tr.world(rtos.Config{})
	ctx, cancel := context.WithCancelCause(tr.ctx)
	defer cancel(nil)
	begun, unwound := w.crowd()
	w.doom("ender", 4, func(t *rtos.Task) {
		_ = t.Delay(2 * span)
		end(w, cancel)
		w.toTheEnd(t)
	})
	if err := w.run(ctx); !errors.Is(err, want) {
		w.failf("Run", "returned %v, want %v", err, want)
	}
	w.expect(w.k.Stopping(), "Run", "returned, and the kernel is not stopping")
	w.expect(begun.Load() == 7 && unwound.Load() == 7, "Kill, Unwind", "of %d tasks that had begun the deferred functions of %d have run",
		begun.Load(), unwound.Load())
}
