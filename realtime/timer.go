package realtime

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
	osthread "github.com/tickwake/rtos/internal/thread"
)

// TimerOptions configures a timer.
type TimerOptions struct {
	_ struct{}

	// Period is the time between two activations, 10 µs at least.
	Period time.Duration
	// Margin is how long before each deadline the thread wakes in order to spin up to it,
	// half the period and 1 ms at most. It costs Margin/Period of a core. Default 0: it sleeps to
	// the deadline and is as late as the system wakes it. See [Port.CalibrateMargin].
	Margin time.Duration
	// Count is the number of activations after which the timer stops by itself. Default 0:
	// it does not.
	Count uint64
	// Core is the core that the thread runs on, by the system's number; it need not be one
	// of the port's. Default 0.
	Core int
	// Priority is the thread's real-time priority. Default 99, above all tasks.
	Priority int
	// Task is who the timer calls, by a notification in slot Slot at each activation: a
	// task of the port's kernel that was spawned. Default nil: nobody, the activations
	// are only recorded.
	Task *rtos.Task
	Slot int
}

// A Timer is a thread that stands in for a periodic interrupt with its handler. It is
// more urgent than all tasks. In a build with bare waits it needs no processor of Go's
// scheduler, so that nothing in the program delays it, not even the garbage collector; in
// return no Go code of the program runs in it. It reads the clock, records what it has read
// in memory that it has had from the start, and calls one task.
//
// The call is a notification, which the task gets when it waits the next time, or in the
// wait that it is in; until then [rtos.Task.NotifyPending] does not know of it. When the
// task ends the timer stops. When the timer stops, the task is told by an empty
// notification: a take in the slot that waits then returns 0.
//
// A timer that is late by whole periods leaves them out: see [Activation].
type Timer struct {
	loop timerLoop
	o    TimerOptions
	p    *Port
	th   *thread // of the called task, nil if there is none
	done chan struct{}

	id   atomic.Int64 // the system's number of its thread, while that runs
	used atomic.Int64 // the processor time of the thread, once it has ended

	first int64  // the first deadline
	read  uint64 // the reader's: activations read or lost
	lost  uint64

	delivered uint64 // the called task's: activations it has been notified of
	told      bool   // and that the timer has stopped
}

// Timer makes a timer and starts it; the first deadline is one period from now. Only
// while the kernel runs: when Run returns, its timers have stopped. It allocates, and
// should not be called where time matters.
func (p *Port) Timer(o TimerOptions) (*Timer, error) {
	if o.Priority == 0 {
		o.Priority = highest
	}
	tm := &Timer{o: o, p: p, done: make(chan struct{})}
	if err := tm.check(); err != nil {
		return nil, err
	}
	tm.loop.prepare(o)
	if tm.th != nil {
		tm.loop.calls = &p.slot(o.Task).word
	}
	if err := p.admit(tm); err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	goThread(func() { tm.main(started) })
	if err := <-started; err != nil {
		return nil, err
	}
	return tm, nil
}

func (tm *Timer) check() error {
	o := tm.o
	switch {
	case o.Period < shortestPeriod:
		return fmt.Errorf("realtime: TimerOptions.Period is %v, want %v at least", o.Period, shortestPeriod)
	case o.Margin < 0 || o.Margin > o.Period/2:
		return fmt.Errorf("realtime: TimerOptions.Margin is %v, want 0 to %v, half the period", o.Margin, o.Period/2)
	case o.Margin > longestSpin:
		return fmt.Errorf("realtime: TimerOptions.Margin is %v, want %v at most: nothing else runs on its core meanwhile", o.Margin, longestSpin)
	case o.Margin > 0 && tm.p.machine == 1:
		return fmt.Errorf("realtime: TimerOptions.Margin is %v on a machine with one core, which must not spin", o.Margin)
	case o.Core < 0 || o.Core >= mostCores:
		return fmt.Errorf("realtime: TimerOptions.Core is %d, want 0 to %d", o.Core, mostCores-1)
	case o.Priority < 1 || o.Priority > highest:
		return fmt.Errorf("realtime: TimerOptions.Priority is %d, want 1 to %d", o.Priority, highest)
	case !bare && tm.p.policy != Other && others.left(o.Core).empty():
		err := fmt.Errorf("realtime: TimerOptions.Core is %d, the only core that Go's scheduler has: in a build with plain waits a timer there may wait for it in vain", o.Core)
		if err := tm.p.lack(err); err != nil {
			return err
		}
	}
	switch {
	case o.Task == nil:
		return nil
	case o.Task.Kernel() != tm.p.k:
		return fmt.Errorf("realtime: TimerOptions.Task is task %q, which is another kernel's", o.Task.Name())
	case o.Slot < 0 || o.Slot >= len(o.Task.Info().Notify):
		return fmt.Errorf("realtime: TimerOptions.Slot is %d, want 0 to %d", o.Slot, len(o.Task.Info().Notify)-1)
	}
	if tm.th = tm.p.threadOf(o.Task); tm.th == nil {
		return fmt.Errorf("realtime: TimerOptions.Task is task %q, which has no thread: it was adopted, or has ended", o.Task.Name())
	}
	return nil
}

// admit adds the timer to those that the end of the run has to stop.
func (p *Port) admit(tm *Timer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running || p.closed {
		return fmt.Errorf("realtime: Timer: the kernel does not run: %w", rtos.ErrStopped)
	}
	if tm.th != nil {
		if tm.th.left {
			return fmt.Errorf("realtime: TimerOptions.Task is task %q, which has ended", tm.o.Task.Name())
		}
		if old := tm.th.timer.Load(); old != nil && !old.ended() || !tm.th.timer.CompareAndSwap(old, tm) {
			return fmt.Errorf("realtime: Timer: task %q has a timer already", tm.o.Task.Name())
		}
	}
	p.timers = append(slices.DeleteFunc(p.timers, (*Timer).gone), tm)
	return nil
}

// main is the thread.
func (tm *Timer) main(started chan<- error) {
	if !bare {
		tm.o.Priority = tm.p.opts.Base // see probePriorities
	}
	th := &thread{p: tm.p, prio: tm.o.Priority, cores: maskOf(tm.o.Core), g: tm.p.guarded()}
	defer close(tm.done)
	defer th.leave()
	if err := th.enter(); err != nil {
		err = fmt.Errorf("realtime: timer: %w: %s", err, missing(toSchedule, th.prio, err))
		if err := tm.p.lack(err); err != nil {
			if tm.th != nil {
				tm.th.timer.CompareAndSwap(tm, nil) // it tells the task nothing
			}
			started <- err
			return
		}
	}
	tm.loop.g = th.g
	tm.first = tm.loop.begin()
	tm.id.Store(int64(th.id))
	started <- nil
	tm.loop.run()
	used, _ := osthread.CPUTime(th.id)
	tm.used.Store(int64(used))
	tm.id.Store(0)
	atomic.StoreInt64(&tm.loop.over, 1)
	if tm.th != nil {
		tm.p.slot(tm.o.Task).call()
	}
}

// Stop stops the timer and returns when its thread has ended. More than once does no
// harm. Blocking, but not for long.
func (tm *Timer) Stop() {
	tm.halt()
	<-tm.done
}

// halt asks it to stop.
func (tm *Timer) halt() {
	atomic.StoreUint32(&tm.loop.stop, 1)
	wake(&tm.loop.stop)
}

// Done is closed when the timer's thread has ended.
func (tm *Timer) Done() <-chan struct{} { return tm.done }

// gone tells whether its thread has ended.
func (tm *Timer) gone() bool {
	select {
	case <-tm.done:
		return true
	default:
		return false
	}
}

func (tm *Timer) ended() bool { return atomic.LoadInt64(&tm.loop.over) != 0 }

// Fired is the number of activations so far. Wait-free.
func (tm *Timer) Fired() uint64 { return uint64(atomic.LoadInt64(&tm.loop.head)) }

// Used is the processor time that the timer's thread has used so far, for the share of a
// core that a margin costs. From anywhere. Wait-free, but for the system.
func (tm *Timer) Used() time.Duration {
	if id := tm.id.Load(); id != 0 {
		if used, ok := osthread.CPUTime(int(id)); ok {
			return used
		}
	}
	return time.Duration(tm.used.Load())
}

// deliver notifies the task of what it has been called for since, and if it is in a wait
// also of the end. By the task.
func (tm *Timer) deliver(waits bool) bool {
	over, head := tm.ended() && waits, tm.Fired()
	if head == tm.delivered && (tm.told || !over) {
		return false
	}
	for ; tm.delivered != head; tm.delivered++ {
		_ = tm.o.Task.NotifyGiveAt(tm.o.Slot)
	}
	if over && !tm.told {
		tm.told = true
		_ = tm.o.Task.NotifyAt(tm.o.Slot, 0, rtos.NoAction) // ends a wait, and counts for none
	}
	return true
}
