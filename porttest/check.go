package porttest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
)

// A check is one clause of the contract.
type check struct {
	name     string
	methods  string // of the port that it is about, the likely culprit first
	contract string // what is promised
	of       kind
	body     func(*trial)
}

// kind is the sort of port that a check concerns.
type kind uint8

const (
	everyPort kind = iota
	parallelPort
	schedulingPort
	preemptingPort
)

type options struct {
	patience time.Duration // until a check is taken to hang
	grace    time.Duration // for what is about to end
	rounds   int           // of what is repeated
	blind    bool          // no report of a kernel that still runs on a port that schedules
}

// checks lists the contract, the simplest things first.
func checks() []check {
	return slices.Concat(bindChecks(), bodyChecks(), clockChecks(), wakeChecks(), readyChecks(), limitChecks(),
		contextChecks(), scheduleChecks(), holdChecks(), suspendChecks(), workChecks(),
		unwindChecks(), deleteChecks(), stopChecks(), leakChecks())
}

const maxFailures = 10 // that are reported

// run performs the check and returns what is wrong, or why there is nothing to check.
func (c check) run(newPort func() rtos.Port, o options) (failures []string, skipped string) {
	before := goleak.IgnoreCurrent()
	tr := newTrial(c, newPort, o)
	defer tr.cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer tr.catch()
		if tr.concerns(c.of) {
			c.body(tr)
		}
	}()
	select {
	case <-done:
		tr.findLeaks(before)
	case <-time.After(o.patience):
		tr.hung(done)
	}
	return tr.result()
}

// concerns tells whether the port is of the kind, and else why the check is skipped.
func (tr *trial) concerns(k kind) bool {
	switch schedules := k != everyPort && tr.world(rtos.Config{}).schedules(); {
	case k == parallelPort && schedules:
		tr.skipped = "the port schedules: one task runs at a time"
	case k >= schedulingPort && !schedules:
		tr.skipped = "the port does not schedule: tasks run in parallel"
	case k == preemptingPort && !tr.preempts():
		tr.skipped = "the port does not preempt"
	default:
		return true
	}
	return false
}

// catch turns a panic of the check itself into a failure.
func (tr *trial) catch() {
	if v := recover(); v != nil {
		tr.failf("panic", "%v\n%s", v, debug.Stack())
	}
}

// findLeaks waits until no goroutine is left that was not there before.
func (tr *trial) findLeaks(before goleak.Option) {
	for deadline := time.Now().Add(tr.grace); ; {
		err := goleak.Find(before, goleak.IgnoreAnyFunction("runtime.handleEvent"))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			tr.failf("Run", "goroutines are left after it has returned: %v", err)
			return
		}
	}
}

// hung reports a check that does not end, and ends what hangs as far as it can be ended.
func (tr *trial) hung(done <-chan struct{}) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	tr.failf(tr.check.methods, "hung: the check has not ended after %v\n%s\n%s", tr.patience, within(tr.grace, tr.report), stacks)
	tr.cancel(errGivenUp)
	within(tr.grace, func() string {
		for _, w := range tr.kernels() {
			if !w.schedules() { // a port that schedules can be stopped from inside only
				w.k.Stop()
			}
		}
		<-done
		return ""
	})
}

// report tells who waits for what.
func (tr *trial) report() string {
	var b strings.Builder
	for _, w := range tr.kernels() {
		if w.k.NumTasks() > 0 && !(tr.blind && w.schedules()) {
			fmt.Fprintf(&b, "\nkernel at %v:\n%v", w.k.Now(), w.k)
		}
	}
	return b.String()
}

// within is what f returns, "" if it has not after d: a port may hang in any call.
func within(d time.Duration, f func() string) string {
	result := make(chan string, 1)
	go func() { result <- f() }()
	select {
	case s := <-result:
		return s
	case <-time.After(d):
		return ""
	}
}

// failureList collects what is wrong, from any goroutine.
type failureList struct {
	mu   sync.Mutex
	list []string
}

func (l *failureList) add(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < maxFailures {
		l.list = append(l.list, s)
	}
}
