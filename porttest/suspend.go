package porttest

import (
	"sync/atomic"

	"github.com/tickwake/rtos"
)

func suspendChecks() []check {
	return []check{{
		name:     "Evict",
		methods:  "Evict",
		contract: "a task that Evict has taken off the ready tasks does not run until Ready",
		of:       schedulingPort,
		body:     checkEvict,
	}, {
		name:     "EvictBeforeStart",
		methods:  "Evict, Ready",
		contract: "Evict and Ready may come before Run, and before the first run of a task",
		body:     checkEvictBeforeStart,
	}, {
		name:     "SuspendWaiting",
		methods:  "Park, Evict, Ready",
		contract: "a task that is suspended in its wait does not run until it is resumed, whatever comes meanwhile, and then waits on",
		body:     checkSuspendWaiting,
	}}
}

// Tasks that are in the middle of something, having yielded or been preempted, are
// suspended, and must not go on.
func checkEvict(tr *trial) {
	w := tr.world(rtos.Config{})
	count := 0
	var over bool
	busy := w.spawn("busy", 2, func(t *rtos.Task) {
		for !over {
			count++
			t.Work(span / 5)
			count++
			t.Yield()
		}
	})
	w.spawn("chief", 5, func(t *rtos.Task) {
		for i := range 10 {
			_ = t.Delay(span)
			busy.Suspend()
			before := count
			if i%2 == 1 {
				busy.SetPriority(2 + i%3) // does not let it run
			}
			_ = t.Delay(span)
			w.expect(count == before, "Evict", "a task ran after it had been suspended")
			w.expect(busy.State() == rtos.StateSuspended, "Evict", "a suspended task is %v", busy.State())
			busy.Resume()
			_ = t.Delay(span)
			w.expect(count > before, "Ready", "a task did not run after it had been resumed")
		}
		over = true
	})
	w.finish()
}

func checkEvictBeforeStart(tr *trial) {
	w := tr.world(rtos.Config{})
	var ran atomic.Bool
	suspended := w.spawn("suspended", 3, func(*rtos.Task) { ran.Store(true) })
	again := w.spawn("resumed before the run", 3, func(*rtos.Task) {})
	suspended.Suspend()
	again.Suspend()
	again.SetPriority(2)
	again.Resume()
	w.spawn("chief", 1, func(t *rtos.Task) {
		_ = t.Delay(span)
		w.expect(!ran.Load(), "Evict", "a task ran that had been suspended before the run")
		suspended.Resume()
		young := w.spawn("young", 1, func(*rtos.Task) { w.log("young") })
		young.Suspend()
		_ = t.Delay(span)
		young.Resume()
	})
	w.finish()
}

func checkSuspendWaiting(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	waiter := w.spawn("waiter", 3, func(t *rtos.Task) {
		start := w.k.Now()
		if err := s.TakeFor(t, 1000*span); err != nil {
			w.failf("Park, Arm", "a wait with a limit of %v: %v after %v", 1000*span, err, w.k.Now()-start)
		}
		w.log("taken")
	})
	w.spawn("chief", 1, func(t *rtos.Task) {
		w.is(waiter, rtos.StateBlocked, t)
		waiter.Suspend()
		_ = t.Delay(span)
		waiter.Resume()
		w.is(waiter, rtos.StateBlocked, t)
		waiter.Suspend()
		s.Give()
		_ = t.Delay(2 * span)
		w.expect(len(w.logged()) == 0, "Park, Evict", "a suspended task ran")
		waiter.Resume()
	})
	w.finish()
}
