package rtos_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// newKernel makes a kernel that logs nothing unless told.
func newKernel(tb testing.TB, c rtos.Config) *rtos.Kernel {
	tb.Helper()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	k, err := rtos.New(c)
	require.NoError(tb, err)
	return k
}

// newSim makes a kernel in virtual time whose clock starts at 0.
func newSim(tb testing.TB, o sim.Options, c rtos.Config) (*rtos.Kernel, *sim.Sim) {
	tb.Helper()
	s := sim.New(o)
	c.Port = s
	return newKernel(tb, c), s
}

func spawn(tb testing.TB, k *rtos.Kernel, name string, prio int, fn func(*rtos.Task), o ...rtos.SpawnOption) *rtos.Task {
	tb.Helper()
	t, err := k.Spawn(name, prio, fn, o...)
	require.NoError(tb, err)
	return t
}

func adopted(tb testing.TB, k *rtos.Kernel, name string, prio int) *rtos.Task {
	tb.Helper()
	t, err := k.Adopt(name, prio)
	require.NoError(tb, err)
	return t
}

// finish runs k to its end, which must come by itself.
func finish(tb testing.TB, k *rtos.Kernel) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := k.Run(ctx); err != nil {
		tb.Errorf("Run: %v\n%v", err, k)
	}
}

// background runs k beside the test; wait returns what Run did.
func background(tb testing.TB, k *rtos.Kernel) (wait func() error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	result := make(chan error, 1)
	go func() {
		defer cancel()
		result <- k.Run(ctx)
	}()
	return func() error { return <-result }
}

// eventually waits for a condition that other goroutines bring about.
func eventually(tb testing.TB, what string, cond func() bool) {
	tb.Helper()
	for start := time.Now(); !cond(); runtime.Gosched() {
		if time.Since(start) > patience {
			require.FailNow(tb, "never: "+what)
		}
	}
}

func untilState(tb testing.TB, t *rtos.Task, s rtos.State) {
	tb.Helper()
	eventually(tb, t.Name()+" is "+s.String(), func() bool { return t.State() == s })
}

func untilBlocked(tb testing.TB, ts ...*rtos.Task) {
	tb.Helper()
	for _, t := range ts {
		untilState(tb, t, rtos.StateBlocked)
	}
}

// caught returns what f panics with.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// misuses asserts that f is refused with a *MisuseError of these fields; of the
// reason only a part is given.
func misuses(tb testing.TB, want rtos.MisuseError, f func()) {
	tb.Helper()
	v := caught(f)
	got, ok := v.(*rtos.MisuseError)
	if !assert.True(tb, ok, "want a *MisuseError, got %T: %v", v, v) {
		return
	}
	assert.Equal(tb, want.Op, got.Op, "Op")
	assert.Equal(tb, want.Task, got.Task, "Task")
	assert.Equal(tb, want.Object, got.Object, "Object")
	assert.Contains(tb, got.Reason, want.Reason, "Reason")
	assert.Contains(tb, got.Error(), "rtos: "+want.Op)
}

// ofTheRuntime is the goroutine that Go on WebAssembly keeps for events.
var ofTheRuntime = goleak.IgnoreAnyFunction("runtime.handleEvent")

// leakless fails the test if it leaves a goroutine behind.
func leakless(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { assert.NoError(t, leaks(before, ofTheRuntime)) })
}

// leaks waits until no goroutine is left but those of the options; on a loaded machine
// one that is about to end may take its time.
func leaks(opts ...goleak.Option) (err error) {
	for deadline := time.Now().Add(patience); ; {
		if err = goleak.Find(opts...); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// logBook collects what a kernel logs.
type logBook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logBook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// withProcs sets GOMAXPROCS for the rest of the test.
func withProcs(tb testing.TB, n int) {
	tb.Helper()
	old := runtime.GOMAXPROCS(n)
	tb.Cleanup(func() { runtime.GOMAXPROCS(old) })
}
