package porttest

import (
	"context"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/tickwake/rtos"
)

func leakChecks() []check {
	return []check{{
		name:     "ManyKernels",
		methods:  "Bind, Run",
		contract: "any number of kernels run at one time and share nothing",
		body:     checkManyKernels,
	}, {
		name:     "NothingLeft",
		methods:  "Run, Disarm, End",
		contract: "when Run has returned nothing of it is left: no goroutine, no timer, nothing that refers to the kernel",
		body:     checkNothingLeft,
	}}
}

func checkManyKernels(tr *trial) {
	var all sync.WaitGroup
	for i := range 8 {
		w := tr.world(rtos.Config{Tasks: 3})
		all.Go(func() {
			if i%2 == 0 {
				pingNotification(w, 1, 1+i%3)
			} else {
				pingLimited(w, 1, 1+i%3)
			}
		})
	}
	all.Wait()
}

// A timer that has not been stopped keeps its kernel from being collected.
func checkNothingLeft(tr *trial) {
	for _, end := range []struct {
		name string
		act  func(*rtos.Kernel, context.CancelFunc)
	}{
		{"all tasks have ended", nil},
		{"the kernel was stopped", func(k *rtos.Kernel, _ context.CancelFunc) { k.Stop() }},
		{"the context was done", func(_ *rtos.Kernel, cancel context.CancelFunc) { cancel() }},
		{"a task has panicked", func(*rtos.Kernel, context.CancelFunc) { panic("on purpose") }},
	} {
		k := tr.runAndForget(end.act)
		deadline := time.Now().Add(tr.grace)
		for runtime.GC(); k.Value() != nil; runtime.GC() {
			if time.Now().After(deadline) {
				tr.failf("Run, Disarm, End", "something refers to the kernel although Run has returned, because %s: "+
					"a timer, a goroutine, a package's variable (or the function given to porttest.Run keeps its ports)", end.name)
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

//go:noinline
func (tr *trial) runAndForget(end func(*rtos.Kernel, context.CancelFunc)) weak.Pointer[rtos.Kernel] {
	w := tr.world(rtos.Config{})
	tr.mu.Lock()
	tr.worlds = nil
	tr.mu.Unlock()
	ctx, cancel := context.WithCancel(tr.ctx)
	defer cancel()
	s, never := rtos.NewBinary("s"), rtos.NewBinary("never")
	for _, prio := range []int{1, 3} {
		w.doom("waiter", prio, func(t *rtos.Task) {
			_ = t.Delay(1)
			_ = s.TakeFor(t, time.Hour) // is given
			if end != nil {
				_ = never.TakeFor(t, time.Hour)
			}
		})
	}
	w.doom("ender", 2, func(t *rtos.Task) {
		_ = t.Delay(span)
		s.Give()
		s.Give()
		_ = t.Delay(span)
		s.Give()
		if end != nil {
			end(w.k, cancel)
			w.toTheEnd(t)
		}
	})
	_ = w.run(ctx)
	return weak.Make(w.k)
}
