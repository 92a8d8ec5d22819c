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

	// Schedules: the port decides who runs, one task at a time. Without it tasks run in
	// parallel, and the kernel never calls Evict, Kill, Hold and Release, Switch only
	// with [Again], and Retune only if Retunes is set.
	Schedules bool
	// Retunes: tasks run in parallel, but a priority means something to whoever
	// runs them, and Retune is called. Schedules includes it.
	Retunes bool
	// Current is the running task, nil if none; set if Schedules is.
	Current func() *Task
	// InInterrupt tells whether an interrupt runs; set if Schedules is.
	InInterrupt func() bool
	// FromOutside tells whether neither a task nor an interrupt calls, but who drives the
	// port between runs: the running task is then a task like any other. May be nil:
	// nobody does.
	FromOutside func() bool
	// SpinCost is the processor time of one try of a wait that tries again and again,
	// used by [Port.Work] where Schedules is set. Default one tick.
	SpinCost time.Duration
	// RunTime is the processor time that a task has used, where the port knows it better
	// than a clock outside waits. May be nil.
	RunTime func(t *Task) time.Duration
	// Tie, if set, ranks waiters of equal priority by random numbers instead of their
	// arrival; not under [CompatOrder].
	Tie func() uint64
}

// A Port is the world in which the tasks of one kernel run. The primitives know
// nothing about threads, clocks or scheduling but what is here; whoever has
// another world implements it and leaves the primitives alone.
//
// # Writing a port
//
// Begin with examples/customport, which is a complete port of 150 lines, and let
// [github.com/tickwake/rtos/porttest] check yours: it runs the contract below as tests, and
// names the method that breaks it.
//
// In the life of a kernel the calls come in this order. [New] calls Bind, before anything
// else. Spawn calls Start, before Run or while it runs. Run calls the bodies; each calls
// End as its last act and returns. Run returns when all have ended.
//
// A wait goes like this. The task publishes its wait word, calls Arm if it has a limit, and
// Park. Whoever moves the wait word out of its waiting state (a give, the limit, an abort)
// has decided the outcome and calls Ready. The task finds that out, parks again if it was
// for nothing, else calls Disarm if it had called Arm, and goes on. The last act of a call
// that may have readied somebody is Switch. A suspended task parks in the same way; its
// Ready is the resumption.
//
// A deletion, and the end of the kernel, goes like this. The request is noted, and what the
// task waits for is over. Where tasks run in parallel that is another Ready: the task sees
// the request and calls Unwind. A port that schedules gets Evict and then Kill, in which
// the task runs to its end, or is made ready again and unwinds when its turn comes. Unwind
// leaves the body from inside: [Task.GoexitUnwind] does that where tasks are goroutines,
// [Task.PanicUnwind] elsewhere. Deferred functions may call all of the kernel, also to
// delete others: within a Kill everything may be called, Kill too, but a task that dies
// never waits any more, so nothing in it may switch.
//
// What may be concurrent. A port that schedules is called by the running task, by what it
// calls itself (a body, [Task.Expire], an interrupt), and by the caller of Spawn, Delete
// and the like before Run: one call at a time. Else End, Unwind, Park, Arm, Disarm, Spin
// and Work of different tasks come at one time, each from the goroutine of its task, while
// anybody calls Start, Ready and Now. Then a Ready may come before the Park that it is
// meant for, which must not wait then; or late, for a task that has ended, even after Run;
// and there are tasks that Start has never seen, see [Kernel.Adopt]. [Task.Slot] may
// belong to another task already when a task calls End: tell tasks apart by their pointers.
//
// A port calls the kernel in few places: [Task.Expire], or [Task.ExpireContext], which call
// Ready in turn; [Kernel.Stop] when the context of Run is done; [Task.Checkpoint] in Work
// and wherever else a task shall obey; and [Kernel.Interrupt] if it has interrupts.
type Port interface {
	// Bind tells the port its kernel, once, before any other call. A port has one kernel
	// and answers a second Bind with an error.
	Bind(k *Kernel) (Traits, error)
	// Run lets the tasks run, returns when all have ended, and leaves nothing
	// behind: no goroutine, no timer. It calls [Kernel.Stop] when ctx is done, and
	// returns the cause then.
	Run(ctx context.Context) error

	// Start makes t ready, last of its level, and does not switch. The port calls body
	// once, in t's own flow of control, also if t has been deleted before; when body
	// returns, or is left by Unwind, t has ended.
	Start(t *Task, body func()) error
	// End is t's last act, inside body: it will not call the port again. A limit may still
	// be armed.
	End(t *Task)
	// Unwind leaves t's body from inside, running deferred functions; called by
	// t. It returns only in a deferred function of t: if t is being unwound already, or a
	// panic is on its way. A recover may have swallowed what it did; then it does it again.
	Unwind(t *Task)
	// Evict takes t, which is not the caller, off the ready tasks until Ready.
	Evict(t *Task)
	// Kill lets t, which is not the caller, has been told to end and was evicted, unwind
	// before it returns, if the port can do so; else it makes t ready, and t unwinds when
	// it next runs.
	Kill(t *Task)

	// Park stops t until Ready, or until the [Task.Context] of t is done; called by t while
	// its wait word says waiting, or while it is suspended. It may return early and for no
	// reason.
	Park(t *Task)
	// Ready makes t runnable because its wait is over, and neither waits nor switches. For
	// a task that is ready already it moves it to the back of its level. From an interrupt
	// while the scheduler is held t is kept until the last Release. It reports whether t
	// is more urgent than what runs, true where tasks run in parallel.
	Ready(t *Task, from Origin) bool
	// Switch is the end of a kernel call by t and the only place where t is
	// preempted inside one. A nil t stands for whoever runs. It does nothing while the
	// scheduler is held, or within Kill.
	Switch(t *Task, why Why)
	// Arm asks for t.Expire(epoch) when the clock reaches deadline, which may have passed.
	// A port that schedules calls it for all deadlines that are reached before it lets a
	// task run. A late call for an earlier wait does no harm: it carries its epoch.
	Arm(t *Task, epoch uint64, deadline time.Duration)
	// Disarm withdraws Arm; a call that is already under way may still come.
	Disarm(t *Task)
	// Retune tells that t's priority was set: if ready, t joins the back of its
	// level. It never switches. Under [InheritChained] it also comes from within
	// [Task.Expire]. Where tasks run in parallel anybody may call it, for a task that has
	// not begun or has ended, too; of several calls at one time the last may come
	// first, so the port reads [Task.Priority] itself, again after it has acted.
	Retune(t *Task)
	// Hold suspends the scheduler; calls nest.
	Hold(t *Task)
	// Release undoes one Hold. The last one lets a more urgent task run, if the port
	// preempts. It reports whether it chose again.
	Release(t *Task) bool
	// Now is the time since the kernel was made; it never goes backwards.
	Now() time.Duration
	// Spin passes the n-th little pause of a wait that hopes to be short, or
	// reports false if the task had better park, after a bounded number of them.
	Spin(t *Task, n int) bool
	// Work uses d of processor time, less only if t is to end. What others use while t is
	// preempted does not count.
	Work(t *Task, d time.Duration)
}
