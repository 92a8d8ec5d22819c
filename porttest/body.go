package porttest

import (
	"errors"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

func bodyChecks() []check {
	return []check{{
		name:     "Bodies",
		methods:  "Start, End, Run",
		contract: "Start makes a task ready, before the run and in it; its body is called once; Run returns when all have ended, not before",
		body:     checkBodies,
	}, {
		name:     "SlotsAreUsedAgain",
		methods:  "Start, End",
		contract: "where tasks run in parallel a task may be started in the slot of another one before that calls End",
		of:       parallelPort,
		body:     checkSlots,
	}, {
		name:     "Panic",
		methods:  "End, Run, Kill",
		contract: "a body that panics ends the run: the others are unwound, and Run of the kernel returns the panic",
		body:     checkPanic,
	}, {
		name:     "Spin",
		methods:  "Spin",
		contract: "Spin reports false after a bounded number of pauses",
		body:     checkSpin,
	}}
}

// Each of three generations spawns the next one while the kernel runs.
func checkBodies(tr *trial) {
	w := tr.world(rtos.Config{})
	var ran atomic.Int32
	var grow func(generation int) func(*rtos.Task)
	grow = func(generation int) func(*rtos.Task) {
		return func(t *rtos.Task) {
			ran.Add(1)
			if generation == 0 {
				_ = t.Delay(span)
				return
			}
			for _, prio := range []int{1, 2, 3} {
				w.spawn("child", prio, grow(generation-1))
			}
			t.Yield()
		}
	}
	first := w.spawn("first", 2, grow(2))
	w.finish()
	w.expect(ran.Load() == 13, "Start", "%d of 13 bodies were called", ran.Load())
	select {
	case <-first.Done():
	default:
		w.failf("End", "Task.Done is open after Run has returned")
	}
	if _, err := w.k.Spawn("late", 1, func(*rtos.Task) {}); !errors.Is(err, rtos.ErrStopped) {
		w.failf("Start", "Spawn after Run has returned: %v, want ErrStopped", err)
	}
}

// A task that ends is kept from calling End until the next one has been started in its
// slot.
func checkSlots(tr *trial) {
	w := tr.world(rtos.Config{Tasks: 2})
	retired, replaced := make(chan *rtos.Task, 1), make(chan bool, 1)
	var children atomic.Int32
	w.p.onEnd = func(t *rtos.Task) {
		if t.Name() == "child" {
			retired <- t
			receive(w, replaced)
		}
	}
	child := func(t *rtos.Task) {
		_, _ = t.NotifyTake(true, rtos.Forever)
		children.Add(1)
	}
	w.spawn("parent", 1, func(t *rtos.Task) {
		this := w.spawn("child", 1, child)
		for range 20 {
			_ = this.NotifyGive()
			receive(w, retired)
			next := w.spawn("child", 1, child)
			w.expect(next.Slot() == this.Slot(), "Start", "the slot is another one")
			replaced <- true
			w.is(next, rtos.StateBlocked, t)
			this = next
		}
		_ = this.NotifyGive()
		receive(w, retired)
		replaced <- true
	})
	w.finish()
}

func checkPanic(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	var deferred atomic.Int32
	w.doom("waiter", 3, func(t *rtos.Task) {
		defer deferred.Add(1)
		_ = s.Take(t)
		w.failf("Unwind", "a waiting task went on after the panic of another")
	})
	w.doom("culprit", 2, func(t *rtos.Task) {
		defer deferred.Add(1)
		_ = t.Delay(span)
		panic("the culprit's")
	})
	err := w.run(w.ctx)
	var p *rtos.PanicError
	if !errors.As(err, &p) || p.Task != "culprit" || p.Value != "the culprit's" {
		w.failf("Run", "returned %v, want the panic of the task", err)
	}
	w.expect(deferred.Load() == 2, "Unwind", "%d of 2 deferred functions ran", deferred.Load())
}

func checkSpin(tr *trial) {
	w := tr.world(rtos.Config{})
	w.spawn("a", 1, func(t *rtos.Task) {
		for n := 0; w.p.Port.Spin(t, n); n++ {
			if n == 1<<20 {
				w.failf("Spin", "still true after a million pauses: a wait would never park")
				return
			}
		}
	})
	w.finish()
}
