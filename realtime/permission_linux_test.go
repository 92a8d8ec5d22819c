package realtime_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

func unpermitted(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, fs.ErrNotExist)
}

const helperKey = "RTOS_REALTIME_HELPER"

// asked tells whether the test program was started by itself.
func asked() bool { return os.Getenv(helperKey) != "" }

// helper is what it does then: it tries what the environment names, as whoever it is.
func helper() {
	o := realtime.Options{Logger: silent}
	switch os.Getenv(helperKey) {
	case "best effort":
		o.BestEffort = true
	case "memory":
		o.Policy, o.Latency = realtime.FIFO, realtime.Off
	}
	p, err := realtime.New(o)
	if err != nil {
		fmt.Println("error:", err)
		fmt.Println("permission:", errors.Is(err, fs.ErrPermission))
		return
	}
	k, err := rtos.New(rtos.Config{Port: p, Logger: silent})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	var m rtos.Mutex
	var n atomic.Int32
	for i, name := range []string{"a", "b"} {
		_, err := k.Spawn(name, i, func(t *rtos.Task) {
			for range 100 {
				_ = m.Lock(t)
				n.Add(1)
				_ = t.Delay(10 * time.Microsecond)
				_ = m.Unlock(t)
			}
		})
		if err != nil {
			fmt.Println("error:", err)
		}
	}
	_, _ = k.Spawn("timed", 5, func(t *rtos.Task) {
		tm, err := p.Timer(realtime.TimerOptions{Period: time.Millisecond, Count: 5, Task: t})
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		for _, err = tm.Next(t, time.Second); err == nil; _, err = tm.Next(t, time.Second) {
			n.Add(1)
		}
		if !errors.Is(err, realtime.ErrTimerStopped) {
			fmt.Println("error:", err)
		}
	})
	fmt.Println("run:", k.Run(context.Background()), n.Load())
	fmt.Println(p.Mode())
}

// asNobody starts the test program anew, as a user who may do nothing.
func asNobody(t *testing.T, what string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a program as another user")
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = "/"
	cmd.Env = []string{helperKey + "=" + what}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestMissingPermissionIsNamed(t *testing.T) {
	out := asNobody(t, "strict")
	assert.Contains(t, out, "error: realtime: scheduling a thread by SCHED_"+helperPolicy()+" with priority 1: operation not permitted: "+
		"it takes the capability CAP_SYS_NICE, or a limit RLIMIT_RTPRIO of 1 at least (it is 0)")
	assert.Contains(t, out, "permission: true")
}

func TestBestEffortListsWhatIsMissing(t *testing.T) {
	out := asNobody(t, "best effort")
	assert.Contains(t, out, "run: <nil> 205\n")
	assert.NotContains(t, out, "error:")
	for _, line := range []string{
		"OTHER, on core", "no spin", "deep sleep", "not urged",
		"degraded: scheduling a thread by SCHED_" + helperPolicy() + " with priority 1: operation not permitted",
		"degraded: locking the memory: cannot allocate memory: it takes the capability CAP_IPC_LOCK, or a limit RLIMIT_MEMLOCK",
		"degraded: keeping the cores from deep sleep: open /dev/cpu_dma_latency: permission denied",
	} {
		assert.Contains(t, out, line)
	}
	assert.Equal(t, 1, strings.Count(out, "degraded: locking"), "it was found out twice and is said once\n%s", out)
}

func TestAbsentCore(t *testing.T) {
	o := usual()
	o.Cores = []int{lastCore(), 900}
	_, err := realtime.New(o)
	assert.ErrorIs(t, err, unix.EINVAL)
	assert.ErrorContains(t, err, "realtime: running on core 900: invalid argument: core 900 is not there, or not in the set of cores (cpuset)")

	o.BestEffort = true
	k, p := newKernel(t, o)
	spawn(t, k, "a", 1, func(*rtos.Task) {})
	spawn(t, k, "b", 1, func(*rtos.Task) {}, rtos.OwnThread(900)) // elsewhere
	run(t, k)
	assert.Equal(t, []int{lastCore()}, p.Mode().Cores)
	assert.Contains(t, p.Mode().String(), "\ndegraded: running on core 900")
	assert.Contains(t, p.Mode().String(), "\ndegraded: task \"b\": core 900 is not one of the port's")
}

// helperPolicy is what the helper asks for.
func helperPolicy() string {
	if p, err := realtime.New(realtime.Options{BestEffort: true, Logger: silent}); err == nil && !p.Mode().Bare {
		return "RR"
	}
	return "FIFO"
}
