package stress_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/jitter/stress"
)

var _ jitter.Load = (*stress.Load)(nil)

// killed makes the test program one that starts workers, names them and waits to be killed.
const killed = "RTOS_STRESS_TEST_KILLED"

func TestMain(m *testing.M) {
	if os.Getenv(killed) != "" {
		beKilled()
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

func beKilled() {
	l, err := stress.Start(stress.Options{CPU: 2, Memory: 1, MemoryBytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, pid := range l.Processes() {
		fmt.Println(pid)
	}
	fmt.Println("started")
	select {}
}

func start(t *testing.T, o stress.Options) *stress.Load {
	t.Helper()
	l, err := stress.Start(o)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Stop() })
	return l
}

const soon = 30 * time.Second

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	require.Eventually(t, cond, soon, time.Millisecond, what)
}

// Each kind of worker works by itself, and none is left when Stop has returned.
func TestWorkersWorkUntilStopped(t *testing.T) {
	for _, c := range []struct {
		name string
		opts stress.Options
	}{
		{"stress -c 2", stress.Options{CPU: 2}},
		{"stress -m 2", stress.Options{Memory: 2, MemoryBytes: 1 << 20}},
		{"stress -c 1 -m 1", stress.Options{CPU: 1, Memory: 1, MemoryBytes: 1 << 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := start(t, c.opts)
			assert.Equal(t, c.name, l.Name())
			assert.Len(t, l.Processes(), c.opts.CPU+c.opts.Memory)
			eventually(t, "it works", func() bool { return l.Ops() > uint64(l.Least()) })
			for _, pid := range l.Processes() {
				assert.True(t, alive(pid), "%d", pid)
			}
			require.NoError(t, l.Stop())
			require.NoError(t, l.Err())
			for _, pid := range l.Processes() {
				assert.False(t, alive(pid), "%d", pid)
			}
			assert.NoError(t, l.Stop(), "once more")
		})
	}
}

// Two loads count for themselves.
func TestLoadsAreApart(t *testing.T) {
	a, b := start(t, stress.Options{CPU: 1}), start(t, stress.Options{CPU: 1})
	eventually(t, "both work", func() bool { return a.Ops() > 0 && b.Ops() > 0 })
	require.NoError(t, a.Stop())
	ops, more := a.Ops(), b.Ops()
	eventually(t, "the other one goes on", func() bool { return b.Ops() > more })
	assert.Equal(t, ops, a.Ops())
}

// On Linux a process can be made to die with its parent, but dies with the thread that
// has started it. That must not be the thread of the caller. There are two, because the
// first thread of a program never ends.
func TestWorkersOutliveTheThreadThatStartedThem(t *testing.T) {
	start(t, stress.Options{CPU: 1}) // skips where there are no processes
	loads, both := make(chan *stress.Load), make(chan bool)
	for range 2 {
		go func() {
			runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
			l, err := stress.Start(stress.Options{CPU: 1})
			assert.NoError(t, err)
			loads <- l
			<-both
		}()
	}
	ours := []*stress.Load{<-loads, <-loads}
	close(both)
	for _, l := range ours {
		for range 3 {
			ops := l.Ops()
			eventually(t, "it goes on", func() bool { return l.Ops() > ops })
		}
		assert.NoError(t, l.Stop())
	}
}

// A worker that is gone before its time is an error: the load was not what it says.
func TestEarlyEndIsReported(t *testing.T) {
	l := start(t, stress.Options{CPU: 2})
	eventually(t, "it works", func() bool { return l.Ops() > 0 })
	assert.NoError(t, l.Err())
	pid := l.Processes()[1]
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
	eventually(t, "it is noticed", func() bool { return l.Err() != nil })
	err = l.Stop()
	require.Error(t, err)
	assert.Contains(t, err.Error(), strconv.Itoa(pid))
	assert.NotContains(t, err.Error(), strconv.Itoa(l.Processes()[0]))
}

// A program that is killed has no time to end its workers.
func TestWorkersDoNotOutliveAKilledProgram(t *testing.T) {
	start(t, stress.Options{CPU: 1}) // skips where there are no processes
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), killed+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var pids []int
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "started" {
		pid, err := strconv.Atoi(lines.Text())
		require.NoError(t, err, lines.Text())
		pids = append(pids, pid)
	}
	require.Len(t, pids, 3)
	for _, pid := range pids {
		assert.True(t, alive(pid), "%d", pid)
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	for _, pid := range pids {
		eventually(t, "a worker is gone", func() bool { return !alive(pid) })
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		opts stress.Options
		want string
	}{
		{stress.Options{}, "no workers"},
		{stress.Options{CPU: -1, Memory: 3}, "negative"},
		{stress.Options{CPU: 1, MemoryBytes: -1}, "negative"},
	} {
		_, err := stress.Start(c.opts)
		require.Error(t, err, "%+v", c.opts)
		assert.Contains(t, strings.ToLower(err.Error()), c.want)
	}
}
