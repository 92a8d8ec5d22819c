package porttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tickwake/rtos"
)

var errGivenUp = errors.New("porttest: the check has been given up")

// A trial is one execution of a check.
type trial struct {
	check   check
	newPort func() rtos.Port
	options
	ctx     context.Context // done when the check is given up
	cancel  context.CancelCauseFunc
	failed  failureList
	skipped string

	mu     sync.Mutex
	worlds []*world
}

func newTrial(c check, newPort func() rtos.Port, o options) *trial {
	tr := &trial{check: c, newPort: newPort, options: o}
	tr.ctx, tr.cancel = context.WithCancelCause(context.Background())
	return tr
}

// failf records what a method of the port did wrong. From any goroutine.
func (tr *trial) failf(method, format string, args ...any) {
	tr.failed.add(method + ": " + fmt.Sprintf(format, args...))
}

// expect fails unless ok.
func (tr *trial) expect(ok bool, method, format string, args ...any) bool {
	if !ok {
		tr.failf(method, format, args...)
	}
	return ok
}

// fatalf ends the check. In the goroutine of the check only, not in a task.
func (tr *trial) fatalf(method, format string, args ...any) {
	tr.failf(method, format, args...)
	runtime.Goexit()
}

func (tr *trial) result() (failures []string, skipped string) {
	tr.failed.mu.Lock()
	defer tr.failed.mu.Unlock()
	return slices.Clone(tr.failed.list), tr.skipped
}

func (tr *trial) kernels() []*world {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.worlds)
}

// preempts finds out whether a give to a more urgent task switches.
func (tr *trial) preempts() bool {
	w := tr.world(rtos.Config{})
	if !w.schedules() {
		return false
	}
	s := rtos.NewBinary("s")
	at := ""
	w.spawn("high", 5, func(t *rtos.Task) {
		_ = s.Take(t)
		at += "high "
	})
	w.spawn("low", 1, func(t *rtos.Task) {
		s.Give()
		at += "low "
	})
	w.finish()
	return at == "high low "
}

// A span is a time in which little can go wrong on a machine that is busy, and which is
// a whole number of ticks.
const span = 5 * time.Millisecond
