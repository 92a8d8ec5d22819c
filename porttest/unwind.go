package porttest

import (
	"errors"

	"github.com/tickwake/rtos"
)

func unwindChecks() []check {
	return []check{{
		name:     "Exit",
		methods:  "Unwind",
		contract: "Unwind leaves the body from inside: it does not return, and all deferred functions run, the last one first",
		body:     checkExit,
	}, {
		name:     "UnwindingCalls",
		methods:  "Unwind",
		contract: "in deferred functions of a task that is unwound gives work and what would wait returns ErrDeleted: there Unwind is called again and returns",
		body:     checkUnwindingCalls,
	}, {
		name:     "SwallowedUnwind",
		methods:  "Unwind",
		contract: "a recover cannot keep a task alive: the next call unwinds it again",
		body:     checkSwallowed,
	}, {
		name:     "PanicWhileUnwinding",
		methods:  "Unwind",
		contract: "a panic in a deferred function of a task that is unwound is not lost",
		body: func(tr *trial) {
			checkPanicIsReported(tr, func(w *world, t *rtos.Task) {
				defer panic("boom")
				t.Exit()
			})
		},
	}, {
		name:     "UnwindWhilePanicking",
		methods:  "Unwind",
		contract: "in a deferred function that runs because of a panic Unwind returns, so that the panic is not lost",
		body: func(tr *trial) {
			checkPanicIsReported(tr, func(w *world, t *rtos.Task) {
				s := rtos.NewBinary("s")
				defer func() {
					t.Delete()
					_ = s.TakeFor(t, span)
					_ = t.Delay(span)
				}()
				panic("boom")
			})
		},
	}}
}

func checkExit(tr *trial) {
	w := tr.world(rtos.Config{})
	w.doom("a", 1, func(t *rtos.Task) {
		defer w.log("first")
		defer func() {
			defer w.log("second")
			w.log("third")
		}()
		func() {
			defer w.log("fourth")
			t.Exit()
		}()
		w.failf("Unwind", "returned to the task")
	})
	w.finish()
	w.expect(w.story() == "fourth, third, second, first", "Unwind", "deferred functions that were to run fourth, third, second, first ran: %s", w.story())
}

// deep calls f with many frames on the stack.
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

func checkUnwindingCalls(tr *trial) {
	w := tr.world(rtos.Config{})
	s, never := rtos.NewBinary("s"), rtos.NewBinary("never")
	var m rtos.Mutex
	victim := w.doom("victim", 1, func(t *rtos.Task) {
		_ = m.Lock(t)
		defer w.log("end")
		defer func() { _ = m.Unlock(t) }()
		defer func() {
			calls := []struct {
				name string
				err  error
			}{
				{"Take", never.Take(t)}, {"TakeFor", never.TakeFor(t, rtos.Forever)}, {"Delay", t.Delay(span)},
			}
			for _, c := range calls {
				w.expect(errors.Is(c.err, rtos.ErrDeleted), "Unwind", "%s in a deferred function: %v, want ErrDeleted", c.name, c.err)
			}
			deep(200, func() { _ = never.Take(t) })
			t.Yield()
			t.Work(span)
			w.k.Critical(t, func() { s.Give() }) // the heir is more urgent
			t.Yield()
			w.log("given")
		}()
		_ = never.Take(t)
	})
	w.spawn("heir", 2, func(t *rtos.Task) {
		for _, err := range []error{s.TakeFor(t, 400*span), m.LockFor(t, 400*span)} {
			w.expect(err == nil, "Unwind", "waiting for what a deferred function of a deleted task gives: %v", err)
		}
	})
	w.spawn("deleter", 3, func(t *rtos.Task) {
		w.is(victim, rtos.StateBlocked, t)
		victim.Delete()
	})
	w.finish()
	w.expect(w.before("given", "end"), "Unwind", "deferred functions of a deleted task did not run to their ends: %s", w.story())
}

func checkSwallowed(tr *trial) {
	w := tr.world(rtos.Config{})
	never := rtos.NewBinary("never")
	victim := w.doom("victim", 1, func(t *rtos.Task) {
		func() {
			defer func() { _ = recover() }()
			_ = never.Take(t)
		}()
		_ = never.Take(t)
		w.failf("Unwind", "a deleted task went on after a recover and a further call that waits")
	})
	w.spawn("deleter", 2, func(t *rtos.Task) {
		w.is(victim, rtos.StateBlocked, t)
		victim.Delete()
	})
	w.finish()
}

func checkPanicIsReported(tr *trial, body func(*world, *rtos.Task)) {
	w := tr.world(rtos.Config{})
	w.doom("culprit", 1, func(t *rtos.Task) { body(w, t) })
	err := w.run(w.ctx)
	var p *rtos.PanicError
	if !errors.As(err, &p) || p.Value != "boom" {
		w.failf("Unwind, Run", "a task panicked, and Run returned %v", err)
	}
}
