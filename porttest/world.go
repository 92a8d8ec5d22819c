package porttest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

// A world is a kernel on the port under test, with the spy in between.
type world struct {
	*trial
	k *rtos.Kernel
	p *spy

	mu     sync.Mutex
	bodies []*bodyRecord
	lines  []string
}

type bodyRecord struct {
	name string
	done atomic.Bool // the function has returned
}

// world makes a kernel that logs nothing; its port does what the modes say.
func (tr *trial) world(c rtos.Config, modes ...mode) *world {
	w := &world{trial: tr}
	w.p = &spy{Port: tr.newPort(), w: w}
	if w.p.Port == nil {
		tr.fatalf("Bind", "there is no port: the function given to porttest.Run returned nil")
	}
	for _, m := range modes {
		w.p.mode |= m
	}
	c.Port = w.p
	c.Logger = slog.New(slog.DiscardHandler)
	var err error
	if w.k, err = rtos.New(c); err != nil {
		tr.fatalf("Bind", "a new port does not take its kernel: %v", err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.worlds = append(tr.worlds, w)
	return w
}

func (w *world) schedules() bool { return w.p.traits.Schedules }

// spawn makes a task that must come to its end by itself.
func (w *world) spawn(name string, prio int, fn func(*rtos.Task)) *rtos.Task {
	r := &bodyRecord{name: name}
	w.mu.Lock()
	w.bodies = append(w.bodies, r)
	w.mu.Unlock()
	return w.doom(name, prio, func(t *rtos.Task) {
		fn(t)
		r.done.Store(true)
	})
}

// doom makes a task that may be unwound.
func (w *world) doom(name string, prio int, fn func(*rtos.Task)) *rtos.Task {
	t, err := w.k.Spawn(name, prio, fn)
	if err != nil {
		w.failf("Start", "Spawn of %q: %v", name, err)
	}
	return t
}

// finish runs the kernel; its tasks must all come to their end.
func (w *world) finish() {
	if err := w.run(w.ctx); err != nil && !errors.Is(err, errGivenUp) {
		w.failf("Run", "returned %v, want nil", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.bodies {
		if !r.done.Load() {
			w.failf(w.check.methods, "task %q did not come to its end: it was not let run although its wait was over", r.name)
		}
	}
}

// run runs the kernel and looks at what is left.
func (w *world) run(ctx context.Context) error {
	err := w.k.Run(ctx)
	if n := w.k.NumTasks(); n > 0 {
		w.failf("Run", "returned with %d tasks that have not ended: it has to wait for all", n)
	}
	w.p.ended()
	return err
}

// log notes what took place, from anywhere.
func (w *world) log(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line)
}

// logged is what has been noted so far.
func (w *world) logged() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.lines...)
}

// interrupt runs f as an interrupt. Of a port that schedules it interrupts the calling
// task, between two calls, and owes the switch that it makes due.
func (w *world) interrupt(f func(*rtos.ISR)) (woken bool) {
	if w.schedules() {
		w.p.interrupt.Store(true)
		defer w.p.interrupt.Store(false)
	}
	return w.k.Interrupt(f)
}

// until polls, called by t, until cond holds. In between less urgent tasks may run.
func (w *world) until(t *rtos.Task, method, what string, cond func() bool) bool {
	for start := w.k.Now(); !cond(); _ = t.Delay(span / 50) {
		if w.k.Now()-start > 1000*span || w.ctx.Err() != nil {
			w.failf(method, "%s: not within %v", what, 1000*span)
			return false
		}
	}
	return true
}

// is waits, called by t, until another task is in a state.
func (w *world) is(other *rtos.Task, s rtos.State, t *rtos.Task) bool {
	return w.until(t, w.check.methods, fmt.Sprintf("task %v is %v", other, s), func() bool { return other.State() == s })
}

// receive receives from c, unless the check is given up.
func receive[T any](w *world, c chan T) {
	select {
	case <-c:
	case <-w.ctx.Done():
	}
}
