package realtime_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

var silent = slog.New(slog.DiscardHandler)

// usual are options for a short run: tasks on the last core.
func usual() realtime.Options {
	return realtime.Options{Cores: []int{lastCore()}, Memory: realtime.LockUsed, Logger: silent}
}

func lastCore() int { return runtime.NumCPU() - 1 }

// newPort makes a port, or skips the test if the system does not permit it.
func newPort(t *testing.T, o realtime.Options) *realtime.Port {
	t.Helper()
	p, err := realtime.New(o)
	if err != nil && unpermitted(err) {
		t.Skipf("needs permission: %v", err)
	}
	require.NoError(t, err)
	return p
}

func newKernel(t *testing.T, o realtime.Options) (*rtos.Kernel, *realtime.Port) {
	t.Helper()
	p := newPort(t, o)
	k, err := rtos.New(rtos.Config{Port: p, Logger: silent})
	require.NoError(t, err)
	return k, p
}

// needsBare skips a test of what a build with plain waits does not do.
func needsBare(t *testing.T, p *realtime.Port) {
	t.Helper()
	if !p.Mode().Bare {
		t.Skip("with plain waits all tasks have one priority")
	}
}

func needsTwoCores(t *testing.T) {
	t.Helper()
	if runtime.NumCPU() < 2 {
		t.Skip("needs two cores")
	}
}

func spawn(t *testing.T, k *rtos.Kernel, name string, prio int, fn func(*rtos.Task), opts ...rtos.SpawnOption) *rtos.Task {
	t.Helper()
	task, err := k.Spawn(name, prio, fn, opts...)
	require.NoError(t, err)
	return task
}

// run runs the kernel for as long as a test may take.
func run(t *testing.T, k *rtos.Kernel) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, k.Run(ctx), "who waits for what:\n%v", k)
}

// A setting is what the system knows of a thread.
type setting struct {
	policy uint32
	prio   uint32
	nice   int32
	mask   string // the cores
}

func settingOf(tid int) (s setting, err error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return s, err
	}
	s.policy, s.prio, s.nice = attr.Policy, attr.Priority, attr.Nice
	var m unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &m); err != nil {
		return s, err
	}
	var list []int
	for c := range 1024 {
		if m.IsSet(c) {
			list = append(list, c)
		}
	}
	s.mask = cores(list...)
	return s, nil
}

// settings lists the threads of the process.
func settings(t *testing.T) map[int]setting {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	all := map[int]setting{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		require.NoError(t, err)
		if s, err := settingOf(id); err == nil { // it may have ended
			all[id] = s
		}
	}
	return all
}

// A journal notes what took place, without a lock that tasks could hold against each
// other.
type journal struct {
	n     atomic.Int32
	lines [256]atomic.Pointer[string]
}

func (j *journal) note(line string) { j.lines[j.n.Add(1)-1].Store(&line) }

func (j *journal) all() (list []string) {
	for i := range j.n.Load() {
		list = append(list, *j.lines[i].Load())
	}
	return list
}

func realTime(all map[int]setting) (list []setting) {
	for _, s := range all {
		if s.policy == unix.SCHED_FIFO || s.policy == unix.SCHED_RR {
			list = append(list, s)
		}
	}
	return list
}

func cores(list ...int) string { return fmt.Sprint(list) }
