package realtime_test

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

func TestEachTaskHasItsPriorityAndItsCores(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy realtime.Policy
		base   int
		prio   int
		want   setting
	}{
		{"lowest", realtime.FIFO, 0, 0, setting{policy: unix.SCHED_FIFO, prio: 1}},
		{"shifted", realtime.FIFO, 10, 5, setting{policy: unix.SCHED_FIFO, prio: 15}},
		{"clamped", realtime.FIFO, 95, 9, setting{policy: unix.SCHED_FIFO, prio: 98}},
		{"taking turns", realtime.RR, 3, 2, setting{policy: unix.SCHED_RR, prio: 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := usual()
			o.Policy, o.Base = c.policy, c.base
			k, p := newKernel(t, o)
			needsBare(t, p)
			var got setting
			spawn(t, k, "a", c.prio, func(*rtos.Task) { got, _ = settingOf(0) })
			run(t, k)
			c.want.mask = cores(lastCore())
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.policy, p.Mode().Policy)
			clamped := max(c.base, 1)+31 > 98
			assert.Equal(t, clamped, slices.ContainsFunc(p.Mode().Why, func(s string) bool { return strings.Contains(s, "are equal") }), "%v", p.Mode())
		})
	}
}

func TestOwnThreadChoosesTheCore(t *testing.T) {
	needsTwoCores(t)
	o := usual()
	o.Cores = []int{0, lastCore()}
	k, _ := newKernel(t, o)
	got := map[string]*setting{"0": {}, "last": {}, "any": {}}
	look := func(name string) func(*rtos.Task) {
		return func(*rtos.Task) { *got[name], _ = settingOf(0) }
	}
	spawn(t, k, "0", 1, look("0"), rtos.OwnThread(0))
	spawn(t, k, "last", 1, look("last"), rtos.OwnThread(lastCore()))
	spawn(t, k, "any", 1, look("any"), rtos.OwnThread(-1))
	_, err := k.Spawn("absent", 1, look("0"), rtos.OwnThread(900))
	assert.ErrorContains(t, err, `task "absent": core 900 is not one of the port's: cores 0`)
	run(t, k)
	assert.Equal(t, cores(0), got["0"].mask)
	assert.Equal(t, cores(lastCore()), got["last"].mask)
	assert.Equal(t, cores(0, lastCore()), got["any"].mask)
}

func TestSetPriorityReachesTheThread(t *testing.T) {
	k, p := newKernel(t, usual())
	prio := func(tid *atomic.Int64) int {
		s, _ := settingOf(int(tid.Load()))
		return int(s.prio)
	}
	needsBare(t, p)
	var tid atomic.Int64
	waiter := spawn(t, k, "waiter", 3, func(t *rtos.Task) {
		tid.Store(int64(unix.Gettid()))
		_, _ = t.NotifyTake(true, rtos.Forever)
	})
	waiter.SetPriority(5) // before it has a thread
	spawn(t, k, "setter", 1, func(task *rtos.Task) {
		assert.Equal(t, 6, prio(&tid), "set before the run")
		waiter.SetPriority(9)
		assert.Equal(t, 10, prio(&tid), "of a waiting task")
		task.SetPriority(2)
		self, _ := settingOf(0)
		assert.EqualValues(t, 3, self.prio, "its own")
		_ = waiter.NotifyGive()
		for waiter.State() != rtos.StateDeleted {
			_ = task.Delay(time.Millisecond)
		}
		waiter.SetPriority(1) // has ended: does nothing
	})
	run(t, k)
	waiter.SetPriority(4)
}

// Many set the priority of one task at one time. Whoever comes last, the thread has what
// the task has.
func TestTuningsMayOvertakeEachOther(t *testing.T) {
	k, p := newKernel(t, usual())
	needsBare(t, p)
	target := spawn(t, k, "target", 5, func(task *rtos.Task) {
		_, _ = task.NotifyTake(true, rtos.Forever)
		s, _ := settingOf(0)
		assert.Equal(t, task.Priority()+1, int(s.prio))
	})
	spawn(t, k, "chief", 20, func(task *rtos.Task) {
		for range 20 {
			var all sync.WaitGroup
			for i := range 4 { // ordinary goroutines, on another core
				all.Go(func() {
					for n := range 25 {
						target.SetPriority((i + n) % 20)
					}
				})
			}
			all.Wait()
		}
		_ = target.NotifyGive()
	})
	run(t, k)
}

func TestInheritedPriorityReachesTheThread(t *testing.T) {
	k, p := newKernel(t, usual())
	needsBare(t, p)
	var m rtos.Mutex
	prio := func() int {
		s, _ := settingOf(0)
		return int(s.prio)
	}
	var alone, lent, back, after int
	var high *rtos.Task
	until := func(task *rtos.Task, want int) int {
		for n := 0; prio() != want && n < 10_000; n++ {
			_ = task.Delay(50 * time.Microsecond)
		}
		return prio()
	}
	spawn(t, k, "low", 1, func(t *rtos.Task) {
		_ = m.Lock(t)
		alone = prio()
		_ = high.NotifyGive() // then waits for the mutex
		lent = until(t, 8)
		high.AbortDelay() // it is as urgent as high until high takes the loan back
		back = until(t, 2)
		_ = high.NotifyGive()
		_ = m.Unlock(t)
		after = prio()
	})
	high = spawn(t, k, "high", 7, func(t *rtos.Task) {
		_, _ = t.NotifyTake(true, rtos.Forever)
		_ = m.Lock(t) // aborted
		_, _ = t.NotifyTake(true, rtos.Forever)
		_ = m.Lock(t)
		_ = m.Unlock(t)
	})
	run(t, k)
	assert.Equal(t, []int{2, 8, 2, 2}, []int{alone, lent, back, after}, "alone, lent, taken back, after the give")
}

// Field case 1, on one core. When the low task gives the mutex, it falls back only once it
// has woken the high one; the middle task, ready all the time, must not come between. Go's
// scheduler may hold a task up now and then, so not every round counts.
func TestMiddleTaskDoesNotComeBetween(t *testing.T) {
	k, p := newKernel(t, usual())
	needsBare(t, p)
	const rounds = 20
	var m rtos.Mutex
	var j journal
	var middle, high *rtos.Task
	spawn(t, k, "low", 1, func(t *rtos.Task) {
		for range rounds {
			_ = m.Lock(t)
			_ = high.NotifyGive()
			for t.Priority() < 3 { // high waits for the mutex
				_ = t.Delay(50 * time.Microsecond)
			}
			_ = middle.NotifyGive()
			_ = m.Unlock(t)
			j.note("low")
			_ = t.Delay(time.Millisecond)
		}
	})
	middle = spawn(t, k, "middle", 2, func(t *rtos.Task) {
		for range rounds {
			_, _ = t.NotifyTake(false, rtos.Forever)
			j.note("middle")
		}
	})
	high = spawn(t, k, "high", 3, func(t *rtos.Task) {
		for range rounds {
			_, _ = t.NotifyTake(false, rtos.Forever)
			_ = m.Lock(t)
			j.note("high")
			_ = m.Unlock(t)
		}
	})
	run(t, k)
	got := j.all()
	require.Len(t, got, 3*rounds)
	good := 0
	for ; len(got) > 0; got = got[3:] {
		if slices.Equal(got[:3], []string{"high", "middle", "low"}) {
			good++
		}
	}
	assert.Greater(t, good, rounds/2, "%v", j.all())
}

// Field case 22.
func TestSettingsDoNotLeak(t *testing.T) {
	needsTwoCores(t)
	before, procs := settings(t), runtime.GOMAXPROCS(0)
	require.Empty(t, realTime(before))
	o := usual()
	o.Cores = []int{0, 1}
	o.Collector = realtime.CollectorOff
	percent := debug.SetGCPercent(77)
	defer debug.SetGCPercent(percent)
	k, p := newKernel(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	for range 30 { // ordinary goroutines that make blocking system calls
		calls.Go(func() {
			for ctx.Err() == nil {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
			}
		})
	}
	var during map[int]setting
	seen := rtos.NewBinary("seen")
	spawn(t, k, "a", 9, func(t *rtos.Task) { _ = seen.Take(t) }, rtos.OwnThread(0))
	spawn(t, k, "b", 19, func(task *rtos.Task) {
		for range 50 {
			_ = task.Delay(2 * time.Millisecond)
		}
		during = settings(t)
		seen.Give()
	}, rtos.OwnThread(1))
	run(t, k)
	atEnd := settings(t)
	cancel()
	calls.Wait()

	want := []setting{
		{policy: unix.SCHED_FIFO, prio: 10, mask: cores(0)},
		{policy: unix.SCHED_FIFO, prio: 20, mask: cores(1)},
	}
	if !p.Mode().Bare {
		for i := range want {
			want[i].policy, want[i].prio = unix.SCHED_RR, 1
		}
	}
	assert.ElementsMatch(t, want, realTime(during))
	assert.Greater(t, len(during), 10, "threads of goroutines in system calls")
	usual := before[os.Getpid()]
	for _, all := range []map[int]setting{atEnd, settingsAfter(t, time.Second)} {
		for id, s := range all {
			assert.Equal(t, usual, s, "thread %d", id)
		}
	}
	assert.Equal(t, procs, runtime.GOMAXPROCS(0))
	assert.Equal(t, 77, debug.SetGCPercent(percent))
	assert.Equal(t, int64(math.MaxInt64), debug.SetMemoryLimit(-1))
	assert.Equal(t, "0 kB", status(t, "VmLck"))
	assert.Empty(t, latencyFiles(t))
	m := p.Mode()
	assert.True(t, m.Memory && m.Latency && m.GCOff && m.Procs > procs, "%v", m)
	assert.Contains(t, m.String(), "degraded: the other threads of the process share the cores of tasks")
}

func settingsAfter(t *testing.T, d time.Duration) map[int]setting {
	time.Sleep(d)
	return settings(t)
}

// status is a line of the system's account of the process.
func status(t *testing.T, key string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(b), "\n"+key+":")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

func latencyFiles(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, e := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(to, "latency") {
			list = append(list, to)
		}
	}
	return list
}

func TestOtherThreadsAreKeptOff(t *testing.T) {
	needsTwoCores(t)
	before := settings(t)[os.Getpid()]
	k, p := newKernel(t, usual())
	var during map[int]setting
	var mode realtime.Mode
	spawn(t, k, "a", 1, func(*rtos.Task) {
		during, mode = settings(t), p.Mode()
	})
	run(t, k)
	var all []int
	for c := range lastCore() {
		all = append(all, c)
	}
	rest := cores(all...)
	ordinary := 0
	for id, s := range during {
		if s.policy == unix.SCHED_NORMAL {
			ordinary++
			assert.Equal(t, rest, s.mask, "thread %d", id)
			assert.EqualValues(t, -20, s.nice, "thread %d", id)
		}
	}
	assert.Greater(t, ordinary, 3)
	assert.True(t, mode.KeptOff && mode.Urged)
	for id, s := range settings(t) {
		assert.Equal(t, before, s, "thread %d", id)
	}
}
