package realtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// timerOn are options for a timer that any build permits: on the core of the tasks.
func timerOn(period time.Duration, count uint64) realtime.TimerOptions {
	return realtime.TimerOptions{Period: period, Count: count, Core: lastCore()}
}

// inTask runs f in the one task of a kernel.
func inTask(t *testing.T, o realtime.Options, f func(task *rtos.Task, p *realtime.Port)) {
	t.Helper()
	k, p := newKernel(t, o)
	spawn(t, k, "task", 5, func(task *rtos.Task) { f(task, p) })
	run(t, k)
}

func start(t *testing.T, p *realtime.Port, o realtime.TimerOptions) *realtime.Timer {
	t.Helper()
	tm, err := p.Timer(o)
	if err != nil {
		t.Errorf("Timer: %v", err)
		panic(err)
	}
	return tm
}

func TestTimerRecordsItsActivations(t *testing.T) {
	for _, c := range []struct {
		name   string
		margin time.Duration
	}{{"sleeping", 0}, {"with a margin", 60 * time.Microsecond}} {
		t.Run(c.name, func(t *testing.T) {
			if c.margin > 0 {
				needsTwoCores(t)
			}
			const period, count = 200 * time.Microsecond, 100
			inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
				o := timerOn(period, count)
				o.Margin = c.margin
				before := p.Now()
				tm := start(t, p, o)
				for done := false; !done; {
					select {
					case <-tm.Done():
						done = true
					default:
						_ = task.Delay(time.Millisecond)
					}
				}
				assert.EqualValues(t, count, tm.Fired())
				var last realtime.Activation
				n := 0
				for a, ok := tm.Read(); ok; a, ok = tm.Read() {
					if n++; n > 1 {
						assert.Equal(t, time.Duration(a.N-last.N)*period, a.Deadline-last.Deadline, "deadlines are periods apart")
						assert.Greater(t, a.N, last.N)
					}
					assert.GreaterOrEqual(t, a.Fired, a.Deadline, "never early")
					assert.Zero(t, a.Woken)
					last = a
				}
				assert.Equal(t, count, n)
				assert.GreaterOrEqual(t, last.Deadline, before+count*period)
				assert.Zero(t, tm.Lost())
				tm.Stop() // does no harm
			})
		})
	}
}

func TestTimerCallsItsTask(t *testing.T) {
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		o := timerOn(500*time.Microsecond, 60)
		o.Task, o.Slot = task, 1
		tm := start(t, p, o)
		n, parked := 0, 0
		for {
			a, err := tm.Next(task, time.Second)
			now := p.Now()
			if err != nil {
				assert.ErrorIs(t, err, realtime.ErrTimerStopped)
				break
			}
			if a.Woken != 0 {
				parked++
				assert.GreaterOrEqual(t, a.Woken, a.Fired)
				assert.LessOrEqual(t, a.Woken, now)
			}
			if n++; n == 20 && p.Mode().Bare { // else the task keeps the timer out
				task.Work(3 * time.Millisecond) // several come meanwhile
				late, err := tm.Next(task, 0)
				assert.NoError(t, err)
				if late.Fired > now {
					assert.Zero(t, late.Woken, "it did not wait for that one")
				}
				n++
			}
		}
		assert.Equal(t, 60, n)
		assert.Greater(t, parked, 10)
		_, err := tm.Next(task, rtos.Forever)
		assert.ErrorIs(t, err, realtime.ErrTimerStopped)
	})
}

// Whoever does not care for times waits for notifications, each of which counts.
func TestActivationsAreNotifications(t *testing.T) {
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		o := timerOn(300*time.Microsecond, 50)
		o.Task = task
		tm := start(t, p, o)
		got := uint32(0)
		for i := 0; got < 50; i++ {
			v, err := task.NotifyTake(i%2 == 0, time.Second)
			if !assert.NoError(t, err) {
				return
			}
			if got++; i%2 == 0 {
				got += v - 1
			}
			if i == 10 {
				task.Work(2 * time.Millisecond)
			}
		}
		assert.EqualValues(t, 50, tm.Fired())
		_, err := task.NotifyTake(true, 5*time.Millisecond)
		assert.True(t, err == nil || err == rtos.ErrTimeout, "the end counts for none: %v", err)
	})
}

func TestNextHasTheErrorsOfAWait(t *testing.T) {
	k, p := newKernel(t, usual())
	abort := rtos.NewBinary("abort")
	waiter := spawn(t, k, "waiter", 5, func(task *rtos.Task) {
		o := timerOn(time.Hour, 0)
		o.Task = task
		tm := start(t, p, o)
		_, err := tm.Next(task, 0)
		assert.ErrorIs(t, err, rtos.ErrWouldBlock)
		begin := p.Now()
		_, err = tm.Next(task, 2*time.Millisecond)
		assert.ErrorIs(t, err, rtos.ErrTimeout)
		assert.GreaterOrEqual(t, p.Now()-begin, 2*time.Millisecond)
		abort.Give()
		_, err = tm.Next(task, rtos.Forever)
		assert.ErrorIs(t, err, rtos.ErrAborted)
		_ = task.NotifyGive() // somebody else's: not an activation
		_, err = tm.Next(task, 2*time.Millisecond)
		assert.ErrorIs(t, err, rtos.ErrTimeout)
		begin = p.Now()
		tm.Stop()
		assert.Less(t, p.Now()-begin, time.Minute, "a stop does not wait for the deadline")
		_, err = tm.Next(task, rtos.Forever)
		assert.ErrorIs(t, err, realtime.ErrTimerStopped)
	})
	spawn(t, k, "aborter", 1, func(task *rtos.Task) {
		for _ = abort.Take(task); !waiter.AbortDelay(); {
			_ = task.Delay(time.Millisecond)
		}
	})
	run(t, k)
}

// A task is unwound while its timer runs, and the timer ends with it; the next task in its
// place is not called.
func TestTimerEndsWithItsTask(t *testing.T) {
	k, p := newKernel(t, usual())
	var tm *realtime.Timer
	begun := rtos.NewBinary("begun")
	victim := spawn(t, k, "victim", 5, func(task *rtos.Task) {
		o := timerOn(time.Millisecond, 0)
		o.Task = task
		tm = start(t, p, o)
		for begun.Give(); ; {
			_, _ = tm.Next(task, rtos.Forever)
		}
	})
	spawn(t, k, "chief", 1, func(task *rtos.Task) {
		_ = begun.Take(task)
		_ = task.Delay(5 * time.Millisecond)
		victim.Delete()
		select {
		case <-tm.Done():
		case <-time.After(10 * time.Second):
			t.Error("the timer goes on")
		}
	})
	run(t, k)
	assert.NotZero(t, tm.Fired())
}

func TestTimersEndWithTheRun(t *testing.T) {
	var tm *realtime.Timer
	var p *realtime.Port
	inTask(t, usual(), func(_ *rtos.Task, port *realtime.Port) {
		p = port
		tm = start(t, p, timerOn(time.Hour, 0))
	})
	select {
	case <-tm.Done():
	default:
		t.Error("the timer goes on after the run")
	}
	assert.Empty(t, realTime(settings(t)))
	_, err := p.Timer(timerOn(time.Millisecond, 0))
	assert.ErrorIs(t, err, rtos.ErrStopped)
}

func TestTimerIsTheMostUrgent(t *testing.T) {
	needsBare(t, newPort(t, usual()))
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		tm := start(t, p, timerOn(time.Hour, 0))
		all := realTime(settings(t))
		assert.Contains(t, all, setting{policy: unix.SCHED_FIFO, prio: 99, mask: cores(lastCore())})
		assert.Len(t, all, 2)
		tm.Stop()
	})
}

// A timer whose reader sleeps keeps what is newest, and tells what it has lost.
func TestTimerCountsWhatIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second of 10 µs periods")
	}
	const count = 1<<15 + 1000
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		tm := start(t, p, timerOn(10*time.Microsecond, count))
		<-tm.Done()
		n := 0
		for _, ok := tm.Read(); ok; _, ok = tm.Read() {
			n++
		}
		assert.EqualValues(t, count, uint64(n)+tm.Lost())
		assert.Equal(t, 32000, n)
	})
}

func TestTimerRefusesWhatMakesNoSense(t *testing.T) {
	foreign := func() *rtos.Task {
		k, _ := newKernel(t, usual())
		return spawn(t, k, "foreign", 1, func(*rtos.Task) {})
	}()
	k, p := newKernel(t, usual())
	adopted, err := k.Adopt("adopted", 1)
	require.NoError(t, err)
	_, err = p.Timer(timerOn(time.Millisecond, 0))
	assert.ErrorIs(t, err, rtos.ErrStopped, "before the run")
	spawn(t, k, "task", 5, func(task *rtos.Task) {
		for _, c := range []struct {
			change func(o *realtime.TimerOptions)
			want   string
		}{
			{func(o *realtime.TimerOptions) { o.Period = 0 }, "TimerOptions.Period is 0s, want 10µs at least"},
			{func(o *realtime.TimerOptions) { o.Margin = -1 }, "TimerOptions.Margin is -1ns, want 0 to 500µs"},
			{func(o *realtime.TimerOptions) { o.Margin = 600 * time.Microsecond }, "TimerOptions.Margin is 600µs, want 0 to 500µs"},
			{func(o *realtime.TimerOptions) { o.Period, o.Margin = time.Hour, 2*time.Millisecond }, "TimerOptions.Margin is 2ms, want 1ms at most"},
			{func(o *realtime.TimerOptions) { o.Core = -1 }, "TimerOptions.Core is -1"},
			{func(o *realtime.TimerOptions) { o.Core = 900 }, "realtime: timer: pinning to core 900: invalid argument"},
			{func(o *realtime.TimerOptions) { o.Priority = 100 }, "TimerOptions.Priority is 100, want 1 to 99"},
			{func(o *realtime.TimerOptions) { o.Task = foreign }, `task "foreign", which is another kernel's`},
			{func(o *realtime.TimerOptions) { o.Task = adopted }, `task "adopted", which has no thread`},
			{func(o *realtime.TimerOptions) { o.Task, o.Slot = task, 3 }, "TimerOptions.Slot is 3, want 0 to 2"},
		} {
			o := timerOn(time.Millisecond, 0)
			c.change(&o)
			_, err := p.Timer(o)
			assert.ErrorContains(t, err, c.want)
		}
		o := timerOn(time.Millisecond, 0)
		o.Task = task
		tm := start(t, p, o)
		_, err := p.Timer(o)
		assert.ErrorContains(t, err, `task "task" has a timer already`)
		assert.Panics(t, func() { _, _ = tm.Next(adopted, 0) })
		tm.Stop()
		start(t, p, o).Stop()
	})
	require.NoError(t, k.Run(context.Background()))
	require.NoError(t, adopted.Release())
}

func TestFloor(t *testing.T) {
	needsTwoCores(t)
	o := realtime.FloorOptions{Core: lastCore(), Spin: 30 * time.Millisecond, Burst: 10 * time.Millisecond}
	f, err := realtime.MeasureFloor(context.Background(), o)
	if err != nil && unpermitted(err) {
		t.Skipf("needs permission: %v", err)
	}
	require.NoError(t, err)
	assert.Equal(t, realtime.FIFO, f.Policy)
	assert.GreaterOrEqual(t, f.Spun, o.Spin)
	for i, g := range f.Gaps[1:] {
		assert.LessOrEqual(t, g.N, f.Gaps[i].N)
		assert.Greater(t, g.Over, f.Gaps[i].Over)
	}
	assert.LessOrEqual(t, f.Max, f.Lost)
	assert.Equal(t, f.Gaps[0].N > 0, f.Max > time.Microsecond)
	assert.True(t, 0 <= f.LostShare() && f.LostShare() < 1)
	assert.Contains(t, f.String(), "gaps per second >1µs ")
	assert.Empty(t, realTime(settings(t)))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = realtime.MeasureFloor(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
	for _, c := range []struct {
		o    realtime.FloorOptions
		want string
	}{
		{realtime.FloorOptions{Core: -1}, "Core is -1"},
		{realtime.FloorOptions{Core: 900}, "pinning to core 900"},
		{realtime.FloorOptions{Spin: time.Hour}, "Spin is 1h0m0s"},
		{realtime.FloorOptions{Burst: time.Second}, "Burst is 1s"},
	} {
		_, err := realtime.MeasureFloor(context.Background(), c.o)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestMarginIsCalibrated(t *testing.T) {
	inTask(t, usual(), func(_ *rtos.Task, p *realtime.Port) {
		for _, c := range []struct{ period, most time.Duration }{
			{200 * time.Microsecond, 60 * time.Microsecond}, {60 * time.Microsecond, 30 * time.Microsecond},
		} {
			margin, err := p.CalibrateMargin(lastCore(), c.period)
			assert.NoError(t, err)
			assert.True(t, 20*time.Microsecond <= margin && margin <= c.most, "%v of %v", margin, c.period)
		}
		_, err := p.CalibrateMargin(lastCore(), 0)
		assert.ErrorContains(t, err, "Period is 0s")
	})
}

// A margin costs its part of the period in processor time, and Used tells it during the
// run and afterwards.
func TestTimerTellsWhatItCosts(t *testing.T) {
	needsTwoCores(t)
	const period, margin = 400 * time.Microsecond, 200 * time.Microsecond
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		o := timerOn(period, 0)
		o.Margin = margin
		begin := p.Now()
		tm := start(t, p, o)
		for tm.Fired() < 250 {
			_ = task.Delay(time.Millisecond)
		}
		during := tm.Used()
		tm.Stop()
		wall, after := p.Now()-begin, tm.Used()
		assert.Positive(t, during)
		assert.GreaterOrEqual(t, after, during)
		assert.Less(t, after, wall)
		assert.Greater(t, after, wall/8, "half of the time it spins, unless others had the core")
	})
}
