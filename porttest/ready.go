package porttest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

func readyChecks() []check {
	return []check{{
		name:     "ReadyBeforePark",
		methods:  "Park, Ready",
		contract: "a Ready that comes between the moment in which a task decides to park and its Park must not be forgotten",
		of:       parallelPort,
		body:     checkReadyBeforePark,
	}, {
		name:     "ReadyFromOutside",
		methods:  "Ready, Park",
		contract: "where tasks run in parallel any goroutine may call Ready, and tasks may be adopted that Start has never seen",
		of:       parallelPort,
		body:     checkReadyFromOutside,
	}, {
		name:     "ReadyNeverWaits",
		methods:  "Ready",
		contract: "Ready does not wait, however often it is called for a task that does not park",
		of:       parallelPort,
		body:     checkReadyNeverWaits,
	}, {
		name:     "ReadyAfterEnd",
		methods:  "Ready",
		contract: "where tasks run in parallel Ready may come late, for a task that has ended, and after Run: it does no harm",
		of:       parallelPort,
		body:     checkReadyAfterEnd,
	}, {
		name:     "ReadyFromInterrupt",
		methods:  "Ready",
		contract: "Ready from an interrupt lets the task run as any other, and does not switch itself",
		body:     checkReadyFromInterrupt,
	}}
}

// The spy stops the task on its way into Park until the wake-up has been given.
func checkReadyBeforePark(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	var sleeper *rtos.Task
	ways := []struct {
		wait func(*rtos.Task)
		wake func()
	}{
		{func(t *rtos.Task) { _ = s.Take(t) }, func() { s.Give() }},
		{func(t *rtos.Task) { _, _ = t.NotifyTake(true, rtos.Forever) }, func() { _ = sleeper.NotifyGive() }},
		{func(t *rtos.Task) { _ = t.SuspendSelf() }, func() { sleeper.Resume() }},
		{func(t *rtos.Task) { _ = t.Delay(rtos.Forever - 1) }, func() { sleeper.AbortDelay() }},
	}
	round, waits := 0, false // the sleeper's
	w.p.onPark = func(t *rtos.Task) {
		if waits {
			waits = false
			ready := make(chan bool)
			go func() {
				ways[round%len(ways)].wake()
				close(ready)
			}()
			receive(w, ready)
		}
	}
	sleeper = w.spawn("sleeper", 1, func(t *rtos.Task) {
		for round = range 20 * len(ways) {
			waits = true
			ways[round%len(ways)].wait(t)
		}
	})
	w.finish()
}

// Two adopted goroutines and one that is no task play with a spawned task.
func checkReadyFromOutside(tr *trial) {
	w := tr.world(rtos.Config{})
	request, reply, never := rtos.NewBinary("request"), rtos.NewBinary("reply"), rtos.NewBinary("never")
	bare := rtos.NewCounting("bare", 1<<20, 0)
	server := w.spawn("server", 2, func(t *rtos.Task) {
		for range 2 * w.rounds {
			_ = request.Take(t)
			reply.Give()
		}
		for range w.rounds {
			_ = bare.Take(t)
		}
		for range w.rounds {
			_, _ = t.NotifyTake(false, rtos.Forever)
		}
		_, _ = t.NotifyTakeAt(1, true, rtos.Forever) // the others have what they need of the kernel
	})
	var m rtos.Mutex
	var outside sync.WaitGroup
	for _, name := range []string{"x", "y"} {
		outside.Go(func() {
			t, err := w.k.Adopt(name, 1)
			if err != nil {
				w.failf("Park", "Adopt: %v", err)
				return
			}
			for range w.rounds {
				_ = m.Lock(t)
				request.Give()
				if err := reply.Take(t); err != nil {
					w.failf("Park, Ready", "Take by an adopted task: %v", err)
				}
				_ = m.Unlock(t)
			}
			if err := never.TakeFor(t, span); !errors.Is(err, rtos.ErrTimeout) {
				w.failf("Arm, Park", "TakeFor by an adopted task: %v, want ErrTimeout", err)
			}
			if err := t.Release(); err != nil {
				w.failf("Park", "Release: %v", err)
			}
		})
	}
	outside.Go(func() {
		for range w.rounds {
			bare.Give()
			runtime.Gosched()
			_ = server.NotifyGive()
		}
	})
	result := make(chan error, 1)
	go func() { result <- w.k.Run(w.ctx) }()
	outside.Wait()
	_ = server.NotifyGiveAt(1)
	if err := <-result; err != nil {
		w.failf("Run", "returned %v, want nil", err)
	}
}

func checkReadyNeverWaits(tr *trial) {
	w := tr.world(rtos.Config{})
	var computes, told atomic.Bool
	busy := w.doom("busy", 1, func(t *rtos.Task) {
		for computes.Store(true); !told.Load() && w.ctx.Err() == nil; {
			runtime.Gosched()
		}
		_ = t.Delay(1)
		w.failf("Unwind", "a task that was deleted went on after a call that waits")
	})
	w.spawn("teller", 1, func(t *rtos.Task) {
		for !computes.Load() && w.ctx.Err() == nil {
			t.Yield()
		}
		for range w.rounds {
			busy.Delete() // lets the task run, each time
		}
		told.Store(true)
	})
	w.finish()
}

func checkReadyAfterEnd(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	gone := w.spawn("gone", 1, func(t *rtos.Task) { _ = t.Delay(1) })
	w.spawn("caller", 1, func(t *rtos.Task) {
		w.is(gone, rtos.StateDeleted, t)
		next := w.doom("next", 1, func(t *rtos.Task) { _ = s.TakeFor(t, span) })
		w.p.Port.Ready(gone, rtos.FromTask)
		w.p.Port.Ready(gone, rtos.FromTick)
		w.is(next, rtos.StateDeleted, t)
	})
	w.finish()
	w.p.Port.Ready(gone, rtos.FromTask)

	adopted, err := tr.world(rtos.Config{}).adoptAndRun()
	if err != nil {
		tr.fatalf("Run", "%v", err)
	}
	if err := s.Take(adopted); !errors.Is(err, rtos.ErrDeleted) {
		tr.failf("Park", "Take by an adopted task after the run: %v, want ErrDeleted", err)
	}
	_ = adopted.Release()
}

// adoptAndRun ends a kernel that has an adopted task.
func (w *world) adoptAndRun() (*rtos.Task, error) {
	t, err := w.k.Adopt("adopted", 1)
	if err != nil {
		return nil, err
	}
	return t, w.k.Run(context.Background())
}

func checkReadyFromInterrupt(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	taken := 0
	w.spawn("high", 5, func(t *rtos.Task) {
		for range 20 {
			_ = s.Take(t)
			w.log("high")
		}
	})
	w.spawn("low", 1, func(t *rtos.Task) {
		for taken < 20 {
			before := len(w.logged())
			w.interrupt(func(isr *rtos.ISR) { s.GiveFromISR(isr) })
			if taken++; w.schedules() {
				w.expect(len(w.logged()) == before, "Ready", "the task ran inside the interrupt that has readied it")
			}
			w.until(t, "Ready", "the task that an interrupt has readied runs", func() bool { return len(w.logged()) > before })
		}
	})
	w.finish()
}
