package rtos

import (
	"context"
	"time"
)

// Origin tells a [Port] who ended a wait.
type Origin uint8

// The origins.
const (
	FromTask Origin = iota // a task, or a goroutine outside
	FromISR                // an interrupt
	FromTick               // the limit of the wait
)

// Why tells a [Port] what may be preempted at the end of a kernel call.
type Why uint8

// The reasons for a choice of the scheduler.
const (
	// Woke: switch only if somebody readied by this call is more urgent than
	// the caller. A switch that is owed stays owed.
	Woke Why = iota
	// Preempt: choose again, if the port preempts at all: the give that ends a
	// loan of priority, a change of priority.
	Preempt
	// Again: choose again in any case: yield, a delay of 0, a late periodic delay.
	Again
	// Section: the end of an inner pair of suspend and resume: takes a switch
	// that is owed, too.
	Section
)

// Traits says what a [Port] does for its kernel.
type Traits struct {
	_ struct{}

	// Schedules: the port decides who runs, and [Port.Switch], [Port.Retune],
	// [Port.Evict] and [Port.Hold] mean something. Without it they are never
	// called, but for Switch with [Again], and tasks run in parallel.
	Schedules bool
	// Retunes: tasks run in parallel, but a priority means something to whoever
	// runs them, and Retune is called. Schedules includes it.
	Retunes bool
	// Current is the running task, nil if none; set if Schedules is.
	Current func() *Task
	// InInterrupt tells whether an interrupt runs; set if Schedules is.
	InInterrupt func() bool
}

// A Port is the world in which the tasks of one kernel run. The primitives know
// nothing about threads, clocks or scheduling but what is here; whoever has
// another world implements it and leaves the primitives alone.
//
// A wait goes like this: the task publishes its wait word, calls Arm if it has
// a limit, and Park. Whoever moves the wait word out of its waiting state
// (a give, the limit, an abort) has decided the outcome and calls Ready. The
// task calls Disarm and goes on. The last act of a call that may have readied
// somebody is Switch.
type Port interface {
	// Bind tells the port its kernel, once, before any other call.
	Bind(k *Kernel) (Traits, error)
	// Run lets the tasks run, returns when all have ended, and leaves nothing
	// behind. It calls [Kernel.Stop] when ctx is done.
	Run(ctx context.Context) error

	// Start makes t ready, last of its level. The port calls body once, in t's
	// own flow of control; when body returns, t has ended.
	Start(t *Task, body func()) error
	// End is t's last act, inside body: it will not call the port again.
	End(t *Task)
	// Unwind leaves t's body from inside, running deferred functions; called by
	// t, and does not return.
	Unwind(t *Task)
	// Evict takes t, which is not the caller, off the ready tasks until Ready.
	Evict(t *Task)
	// Kill lets t, which is not the caller and has been told to end, unwind
	// before it returns, if the port can do so; else t unwinds when it next runs.
	Kill(t *Task)

	// Park stops t until Ready; called by t while its wait word says waiting. It
	// may return early and for no reason.
	Park(t *Task)
	// Ready makes t runnable because its wait is over, and never switches. For a
	// task that is ready already it moves it to the back of its level. It
	// reports whether t is more urgent than what runs. Any goroutine may call it
	// where tasks run in parallel.
	Ready(t *Task, from Origin) bool
	// Switch is the end of a kernel call by t and the only place where t is
	// preempted inside one. A nil t stands for whoever runs.
	Switch(t *Task, why Why)
	// Arm asks for t.Expire(epoch) when the clock reaches deadline. A late call
	// for an earlier wait does no harm: it carries its epoch.
	Arm(t *Task, epoch uint64, deadline time.Duration)
	// Disarm withdraws Arm; a call that is already under way may still come.
	Disarm(t *Task)
	// Retune tells that t's priority was set: if ready, t joins the back of its
	// level. Where tasks run in parallel anybody may call it, for a task that has
	// not begun or has ended, too; of several calls at one time the last may come
	// first, so the port reads [Task.Priority] itself, again after it has acted.
	Retune(t *Task)
	// Hold suspends the scheduler; calls nest.
	Hold(t *Task)
	// Release undoes one Hold and reports whether it chose again.
	Release(t *Task) bool
	// Now is the time since the kernel was made.
	Now() time.Duration
	// Spin passes the n-th little pause of a wait that hopes to be short, or
	// reports false if the task had better park.
	Spin(t *Task, n int) bool
	// Work uses d of processor time.
	Work(t *Task, d time.Duration)
}
