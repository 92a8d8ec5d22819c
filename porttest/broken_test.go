package porttest

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

var ofTheRuntime = goleak.IgnoreAnyFunction("runtime.handleEvent")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, ofTheRuntime) }

// A broken port is a good one that breaks one promise.
type broken struct {
	name   string
	good   func() rtos.Port
	change func(w *wrapper, p rtos.Port, b *breakage)
	hangs  bool
	caught map[string]string // the checks that fail: what they say, among others
}

// breakage is what a broken port needs to know of the test.
type breakage struct {
	mu     sync.Mutex
	over   chan struct{} // closed when the check has failed: from now on the port is good
	clear  []func()      // called then
	shared map[int]*rtos.Task
}

func (b *breakage) isOver() bool {
	select {
	case <-b.over:
		return true
	default:
		return false
	}
}

// atEnd notes what removes what the port leaves behind.
func (b *breakage) atEnd(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear = append(b.clear, f)
}

func (b *breakage) end() {
	close(b.over)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.clear {
		f()
	}
}

func goroutines() rtos.Port { return rtos.NewGoroutinePort() }
func simulation() rtos.Port { return sim.New(sim.Options{}) }

var patient = options{patience: 20 * time.Second, grace: 300 * time.Millisecond, rounds: 100}

func brokenPorts() []broken {
	return slices.Concat(brokenWakes(), brokenLimits(), brokenEnds(), brokenSchedulers())
}

// Each broken port fails the checks of what it breaks, with a message that says so, and
// leaves nothing behind once it has been mended.
func TestBrokenPortsFail(t *testing.T) {
	for _, p := range brokenPorts() {
		t.Run(p.name, func(t *testing.T) {
			for _, name := range slices.Sorted(maps.Keys(p.caught)) {
				before := goleak.IgnoreCurrent()
				b := &breakage{over: make(chan struct{}), shared: map[int]*rtos.Task{}}
				o := patient
				if p.hangs {
					o.patience, o.grace, o.blind = 300*time.Millisecond, 10*time.Millisecond, true
				}
				failures, skipped := named(t, name).run(func() rtos.Port {
					good := p.good()
					return wrap(good, func(w *wrapper) { p.change(w, good, b) })
				}, o)
				b.end()
				assert.Empty(t, skipped, name)
				assert.Contains(t, strings.Join(failures, "\n"), p.caught[name], name)
				eventuallyLeftNothing(t, before)
			}
		})
	}
}

// A check that cannot fail would be worth nothing.
func TestEveryCheckCatchesSomething(t *testing.T) {
	caught := map[string]string{}
	for _, p := range brokenPorts() {
		maps.Copy(caught, p.caught)
	}
	for _, c := range checks() {
		// What AfterEnd wants is kept by the kernel; no port can break it.
		if c.name != "AfterEnd" {
			assert.Contains(t, caught, c.name, "checks that some broken port fails")
		}
	}
}

func TestTheWrapperItselfBreaksNothing(t *testing.T) {
	for _, good := range []func() rtos.Port{goroutines, simulation} {
		for _, c := range checks() {
			failures, _ := c.run(func() rtos.Port { return wrap(good(), func(*wrapper) {}) }, patient)
			assert.Empty(t, failures, c.name)
		}
	}
}

func TestChecksAreNamedOnceAndExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks() {
		assert.False(t, seen[c.name], c.name)
		assert.NotEmpty(t, c.methods, c.name)
		assert.NotEmpty(t, c.contract, c.name)
		seen[c.name] = true
	}
}

func named(t *testing.T, name string) check {
	t.Helper()
	all := checks()
	i := slices.IndexFunc(all, func(c check) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}

func eventuallyLeftNothing(t *testing.T, before goleak.Option) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patient.patience); time.Now().Before(deadline); {
		if err = goleak.Find(before, ofTheRuntime); err == nil {
			return
		}
	}
	t.Error(err)
}
