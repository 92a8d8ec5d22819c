package realtime_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// A wait that held a processor of Go's scheduler would keep the collector from ever
// beginning.
func TestCollectorRunsWhileTasksWait(t *testing.T) {
	k, p := newKernel(t, usual())
	s := rtos.NewBinary("s")
	stop := make(chan struct{})
	waiter := spawn(t, k, "waiter", 5, func(task *rtos.Task) {
		_, _ = task.NotifyTake(true, rtos.Forever)
	})
	spawn(t, k, "busy", 3, func(task *rtos.Task) {
		start(t, p, timerOn(100*time.Microsecond, 0))
		for n := 0; ; n++ {
			select {
			case <-stop:
				_ = waiter.NotifyGive()
				return
			default:
				_ = s.TakeFor(task, 50*time.Microsecond)
			}
		}
	})
	collected := make(chan struct{})
	go func() {
		defer close(stop)
		defer close(collected)
		for waiter.State() != rtos.StateBlocked {
			time.Sleep(time.Millisecond)
		}
		for range 20 {
			runtime.GC()
			s.Give()
		}
	}()
	run(t, k)
	<-collected
}

// The two-task counter, field case 19, with tasks on two cores that spin where they may.
func TestCounterIsExact(t *testing.T) {
	needsTwoCores(t)
	for _, spin := range []time.Duration{0, 20 * time.Microsecond} {
		o := usual()
		o.Cores, o.Spin = []int{0, lastCore()}, spin
		k, p := newKernel(t, o)
		const rounds = 2000
		n, refused := 0, atomic.Int32{}
		var a, b *rtos.Task
		body := func(peer **rtos.Task) func(*rtos.Task) {
			return func(t *rtos.Task) {
				for range rounds {
					_, _ = t.NotifyTake(true, rtos.Forever)
					n++
					if (*peer).NotifyGive() != nil {
						refused.Add(1)
					}
				}
			}
		}
		a = spawn(t, k, "a", 3, body(&b), rtos.OwnThread(0))
		b = spawn(t, k, "b", 3, body(&a), rtos.OwnThread(lastCore()))
		require.NoError(t, a.NotifyGive())
		run(t, k)
		assert.Equal(t, 2*rounds, n)
		assert.LessOrEqual(t, refused.Load(), int32(1))
		if spin > 0 {
			assert.Equal(t, runtime.NumCPU() == 2, strings.Contains(p.Mode().String(), "no task spins on core 0: one core of the machine is always left"), "%v", p.Mode())
			assert.Equal(t, []int{lastCore()}, p.Mode().Spinning[max(0, len(p.Mode().Spinning)-1):])
		} else {
			assert.Empty(t, p.Mode().Spinning)
		}
	}
}

// A task that spins is called by a timer on another core, and ends its wait without having
// slept.
func TestSpinningTaskIsCalled(t *testing.T) {
	needsTwoCores(t)
	o := usual()
	o.Spin = time.Millisecond
	inTask(t, o, func(task *rtos.Task, p *realtime.Port) {
		if !p.Mode().Bare {
			return // a timer would need the core of Go's scheduler
		}
		tm := start(t, p, realtime.TimerOptions{Period: 300 * time.Microsecond, Count: 50, Core: 0, Task: task})
		n := 0
		for _, err := tm.Next(task, time.Second); err == nil; _, err = tm.Next(task, time.Second) {
			n++
		}
		assert.Equal(t, 50, n)
	})
}

// With plain waits a timer would have to come to terms with Go's scheduler on the only
// core that the scheduler has, and be in its way.
func TestPlainTimerIsKeptOffTheLastCore(t *testing.T) {
	if runtime.NumCPU() != 2 {
		t.Skip("for two cores")
	}
	inTask(t, usual(), func(_ *rtos.Task, p *realtime.Port) {
		tm, err := p.Timer(realtime.TimerOptions{Period: time.Hour, Core: 0})
		if p.Mode().Bare {
			assert.NoError(t, err)
			tm.Stop()
			return
		}
		assert.ErrorContains(t, err, "TimerOptions.Core is 0, the only core that Go's scheduler has")
	})
}

// Time in which a more urgent task has the core is not used by the one below.
func TestWorkIsProcessorTime(t *testing.T) {
	k, p := newKernel(t, usual())
	needsBare(t, p)
	var took time.Duration
	spawn(t, k, "low", 1, func(t *rtos.Task) {
		begin := k.Now()
		t.Work(10 * time.Millisecond)
		took = k.Now() - begin
	})
	spawn(t, k, "high", 2, func(t *rtos.Task) {
		for range 5 {
			_ = t.Delay(time.Millisecond)
			t.Work(time.Millisecond)
		}
	})
	run(t, k)
	assert.GreaterOrEqual(t, took, 15*time.Millisecond)
}

func TestRunTimeIsTheThreads(t *testing.T) {
	p := newPort(t, usual())
	k, err := rtos.New(rtos.Config{Port: p, RunTime: true, Logger: silent})
	require.NoError(t, err)
	var used time.Duration
	spawn(t, k, "a", 1, func(t *rtos.Task) {
		t.Work(5 * time.Millisecond)
		_ = t.Delay(20 * time.Millisecond)
		used = t.RunTime()
	})
	run(t, k)
	assert.GreaterOrEqual(t, used, 5*time.Millisecond)
	assert.Less(t, used, 20*time.Millisecond)
}

// The goroutine of an adopted task keeps the thread that it has, as it is.
func TestAdoptedTaskStaysAnOrdinaryThread(t *testing.T) {
	k, _ := newKernel(t, usual())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := settingOf(0)
	require.NoError(t, err)
	me, err := k.Adopt("me", 9)
	require.NoError(t, err)
	var m rtos.Mutex
	s := rtos.NewBinary("s")
	spawn(t, k, "peer", 20, func(task *rtos.Task) {
		_ = s.Take(task)
		_ = m.Lock(task) // lends its priority to me
		_ = m.Unlock(task)
	})
	result := make(chan error, 1)
	go func() { result <- k.Run(context.Background()) }()
	require.NoError(t, m.Lock(me))
	s.Give()
	for me.Priority() != 20 {
		require.NoError(t, me.Delay(time.Millisecond))
	}
	me.SetPriority(30)
	during, err := settingOf(0)
	require.NoError(t, err)
	assert.EqualValues(t, unix.SCHED_NORMAL, during.policy)
	require.NoError(t, m.Unlock(me))
	require.NoError(t, <-result)
	require.NoError(t, me.Release())
	after, err := settingOf(0)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// A yield lets an equal task run, and no other. While both wait for Go's runtime, as for a
// collection, a less urgent one may run; so it is tried a few times.
func TestYieldIsAmongEquals(t *testing.T) {
	needsBare(t, newPort(t, usual()))
	for range 10 {
		if yieldAmongEquals(t) == 0 {
			return
		}
	}
	t.Error("a less urgent task ran meanwhile, every time")
}

// yieldAmongEquals is how often a less urgent task ran while two equal ones took turns.
func yieldAmongEquals(t *testing.T) (meanwhile int32) {
	k, _ := newKernel(t, usual())
	var turns, low, most atomic.Int32
	var begun atomic.Int32
	for _, name := range []string{"a", "b"} {
		mine := int32(0)
		if name == "b" {
			mine = 1
		}
		spawn(t, k, name, 3, func(task *rtos.Task) {
			for begun.Add(1); begun.Load() < 2; task.Yield() {
			}
			for range 50 { // whoever finds that it is the other one's turn yields
				for turns.Load()%2 != mine {
					task.Yield()
				}
				turns.Add(1)
				task.Yield()
			}
			most.Store(max(most.Load(), low.Load()))
		})
	}
	spawn(t, k, "low", 1, func(task *rtos.Task) {
		for begun.Load() < 2 {
			_ = task.Delay(100 * time.Microsecond)
		}
		low.Add(1)
	})
	run(t, k)
	assert.EqualValues(t, 100, turns.Load())
	return most.Load()
}

// Ports of several kernels in one process share what is the process's own.
func TestPortsShareTheProcess(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	o := usual()
	o.Procs = procs + 5
	inTask(t, o, func(_ *rtos.Task, p *realtime.Port) {
		assert.Equal(t, procs+5, runtime.GOMAXPROCS(0))
		done := make(chan struct{})
		go func() {
			defer close(done)
			o.Procs = procs + 9
			inTask(t, o, func(*rtos.Task, *realtime.Port) {
				assert.Equal(t, procs+9, runtime.GOMAXPROCS(0))
			})
		}()
		<-done
		assert.Equal(t, procs+9, runtime.GOMAXPROCS(0), "the first one still runs")
		assert.NotEqual(t, "0 kB", status(t, "VmLck"))
		assert.Len(t, latencyFiles(t), 1)
		for _, s := range settings(t) {
			assert.True(t, s.policy != unix.SCHED_NORMAL || s.nice == -20)
		}
	})
	assert.Equal(t, procs, runtime.GOMAXPROCS(0))
	assert.Equal(t, "0 kB", status(t, "VmLck"))
}

// What the program has set itself stays.
func TestLockedMemoryStaysLocked(t *testing.T) {
	newPort(t, usual()) // or skip
	require.NoError(t, unix.Mlockall(unix.MCL_CURRENT|unix.MCL_ONFAULT))
	defer unix.Munlockall()
	inTask(t, usual(), func(_ *rtos.Task, p *realtime.Port) { assert.True(t, p.Mode().Memory) })
	assert.NotEqual(t, "0 kB", status(t, "VmLck"))
}

func TestPortIsThePortOfOneKernel(t *testing.T) {
	p := newPort(t, usual())
	_, err := rtos.New(rtos.Config{Port: p})
	require.NoError(t, err)
	_, err = rtos.New(rtos.Config{Port: p})
	assert.ErrorContains(t, err, "a port is the port of one kernel only")
}
