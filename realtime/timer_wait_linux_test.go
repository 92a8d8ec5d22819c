package realtime_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// longBefore runs f in a task that looks out for a timer whose next deadline is far away,
// and checks that f does not wait for that.
func longBefore(t *testing.T, f func(task *rtos.Task, p *realtime.Port, tm *realtime.Timer)) {
	t.Helper()
	needsTwoCores(t)
	o := usual()
	o.Spin = 100 * time.Microsecond
	inTask(t, o, func(task *rtos.Task, p *realtime.Port) {
		const period = 5 * time.Second
		o := timerOn(period, 0)
		o.Margin, o.Task = 50*time.Microsecond, task
		begin := p.Now()
		f(task, p, start(t, p, o))
		assert.Less(t, p.Now()-begin, period/2)
	})
}

// A task that looks out for a timer with a margin rests until shortly before, but no longer
// than it wants to wait.
func TestLimitEndsAWaitBeforeTheTimerComes(t *testing.T) {
	longBefore(t, func(task *rtos.Task, p *realtime.Port, tm *realtime.Timer) {
		_, err := tm.Next(task, 2*time.Millisecond)
		assert.ErrorIs(t, err, rtos.ErrTimeout)
		assert.NoError(t, task.Delay(2*time.Millisecond))
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		defer cancel()
		_, err = task.NotifyTakeCtx(ctx, true)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		tm.Stop()
	})
}

// The end of a timer that a resting task looks out for ends its rest.
func TestEndOfTheTimerEndsTheRest(t *testing.T) {
	longBefore(t, func(task *rtos.Task, p *realtime.Port, tm *realtime.Timer) {
		go func() {
			for task.State() != rtos.StateBlocked {
				time.Sleep(time.Millisecond)
			}
			tm.Stop()
		}()
		_, err := tm.Next(task, rtos.Forever)
		assert.ErrorIs(t, err, realtime.ErrTimerStopped)
	})
}

// A timer that could not be started does not notify its task of its end.
func TestTimerThatIsRefusedTellsItsTaskNothing(t *testing.T) {
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		o := timerOn(time.Millisecond, 0)
		o.Core, o.Task = 900, task
		_, err := p.Timer(o)
		assert.Error(t, err)
		_, err = task.NotifyTake(true, 2*time.Millisecond)
		assert.ErrorIs(t, err, rtos.ErrTimeout)
	})
}

// Nobody would stop it before the end of the run.
func TestTimerForATaskThatHasEndedIsRefused(t *testing.T) {
	k, p := newKernel(t, usual())
	ended := spawn(t, k, "ended", 5, func(*rtos.Task) {})
	spawn(t, k, "task", 4, func(task *rtos.Task) {
		o := timerOn(time.Millisecond, 0)
		for o.Task = ended; ; _ = task.Delay(time.Millisecond) {
			tm, err := p.Timer(o)
			if err != nil {
				assert.ErrorContains(t, err, `task "ended", which has`)
				return
			}
			if p.Now() > 10*time.Second {
				t.Error("it is called for ever")
				return
			}
			tm.Stop() // it was still about to end
		}
	})
	run(t, k)
}

// A program that starts a timer now and then does not keep all that there were.
func TestTimersThatHaveEndedAreForgotten(t *testing.T) {
	inTask(t, usual(), func(task *rtos.Task, p *realtime.Port) {
		tm := start(t, p, timerOn(time.Millisecond, 0))
		tm.Stop()
		first := weak.Make(tm)
		tm = start(t, p, timerOn(time.Millisecond, 0))
		for runtime.GC(); first.Value() != nil && p.Now() < 10*time.Second; runtime.GC() {
			_ = task.Delay(time.Millisecond)
		}
		assert.Nil(t, first.Value())
		tm.Stop()
	})
}

// What others want of a task that rests for a timer comes at once.
func TestRestingTaskObeys(t *testing.T) {
	needsTwoCores(t)
	o := usual()
	o.Spin = 100 * time.Microsecond
	k, p := newKernel(t, o)
	const period = 5 * time.Second
	unwound, aborted := false, 0
	rests := spawn(t, k, "rests", 5, func(task *rtos.Task) {
		defer func() { unwound = true }()
		o := timerOn(period, 0)
		o.Margin, o.Task = 50*time.Microsecond, task
		for tm := start(t, p, o); ; aborted++ {
			_, err := tm.Next(task, rtos.Forever)
			assert.ErrorIs(t, err, rtos.ErrAborted)
		}
	})
	spawn(t, k, "chief", 4, func(task *rtos.Task) {
		blocked := func() {
			for rests.State() != rtos.StateBlocked {
				_ = task.Delay(time.Millisecond)
			}
		}
		blocked()
		assert.True(t, rests.AbortDelay())
		blocked()
		rests.Suspend()
		for rests.State() != rtos.StateSuspended {
			_ = task.Delay(time.Millisecond)
		}
		rests.Resume()
		blocked()
		rests.Delete()
	})
	run(t, k)
	assert.Less(t, p.Now(), period/2)
	assert.True(t, unwound)
	assert.GreaterOrEqual(t, aborted, 1)
}
