package sim_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// newSim makes a kernel in virtual time that logs nothing and ends with the test.
func newSim(t *testing.T, o sim.Options) (*rtos.Kernel, *sim.Sim) {
	t.Helper()
	return newSimWith(t, o, rtos.Config{})
}

func newSimWith(t *testing.T, o sim.Options, c rtos.Config) (*rtos.Kernel, *sim.Sim) {
	t.Helper()
	s := sim.New(o)
	c.Port = s
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	k, err := rtos.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return k, s
}

func spawn(t *testing.T, k *rtos.Kernel, name string, prio int, f func(*rtos.Task)) *rtos.Task {
	t.Helper()
	task, err := k.Spawn(name, prio, f)
	require.NoError(t, err)
	return task
}

// lines are the lines of a text; an empty line around it makes literals readable.
func lines(text string) []string { return strings.Split(strings.Trim(text, "\n"), "\n") }

// misuses asserts that f is refused as misuse of op, with this in the reason.
func misuses(t *testing.T, op, reason string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		e, ok := v.(*rtos.MisuseError)
		if assert.True(t, ok, "want a *MisuseError, got %v", v) {
			assert.Equal(t, op, e.Op)
			assert.Contains(t, e.Reason, reason)
		}
	}()
	f()
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
