// Package sim is the port of package rtos that runs tasks in virtual time on a simulated
// processor, with the scheduling of FreeRTOS: fixed priorities, preemption, time slices,
// ticks and interrupts. A run depends on nothing but the program and the options, so it
// can be repeated exactly.
//
// # Quick start
//
//	s := sim.New(sim.Options{})
//	k, err := rtos.New(rtos.Config{Port: s})
//	if err != nil {
//		return err
//	}
//	k.Spawn("worker", 1, func(t *rtos.Task) {
//		t.Work(3 * time.Millisecond) // uses processor time
//		t.Delay(time.Hour)           // costs nothing
//	})
//	s.At(2, func(isr *rtos.ISR) { ... }) // an interrupt at tick 2
//	err = k.Run(ctx)
//	fmt.Print(s.Summary())
//
// The bodies of tasks are those of the other ports. In tests that look at what happens in
// between, drive the simulation step by step instead of calling Run:
//
//	defer s.Close()
//	err = s.RunUntil(10)                                            // to a time
//	err = s.RunTo(func() bool { return bus.Holder() == high }, 100) // to a condition
//	data.Give()                                                     // from outside
//	err = s.Settle()                                                // to rest
//
// # Time
//
// Tasks are coroutines: one runs at a time, in the goroutine that drives. Virtual time is
// a number of ticks. Everything a task does takes none, but for [rtos.Task.Work], which
// uses processor time, and waiting; a try of a spinning wait takes [Options].SpinCost.
// Time jumps to the next tick at which something happens: a limit, an interrupt, the end
// of work, a time slice. A billion ticks in between cost nothing.
//
// [Sim.Time] counts the ticks from 0. The kernel's tick count starts at
// [Options].StartTick, wraps, and stands still while the scheduler is suspended; the ticks
// that it misses are caught up when the scheduler is resumed, before the next task runs.
//
// With [Options].Pace virtual time keeps step with the wall clock, at any speed.
//
// # Scheduling
//
// The rules are those of the FreeRTOS kernel, exact to the last detail, and recorded
// traces of it are reproduced event by event (see cmd/conform). The most urgent ready task
// runs. Among equals the last made starts first, and they take turns at every tick; who
// becomes ready comes last. A tick ends the limits that are due, then the interrupts of
// that tick run in the order of their calls, then the scheduler chooses if one of them
// has made that due. At the end that was asked for everything still happens that needs no
// further tick.
//
// # Interrupts, and what comes from outside
//
// [Sim.At] raises an interrupt at a tick, [Sim.Within] at a tick of a window that the seed
// chooses. Between runs the goroutine that drives may do what anybody may do to a kernel
// from outside. While the simulation runs other goroutines may call [Sim.Inject], and
// nothing else, neither of the simulation nor of the kernel and its objects: whatever they
// want to do they do in the injected interrupt.
//
// Inside a task, wait for nothing but the kernel's objects: a task that waits for a
// channel, a lock or a device stops everything. The watchdog names it with its stack.
//
// # Seeds
//
// With [Options].Seed 0 a run is FreeRTOS's own. Any other seed makes the choices which
// real systems leave open: which of equal tasks starts first, which of equal waiters is
// woken first, when an interrupt of a window comes. One seed makes one run, with any
// number of processors, on every platform, with or without the race detector. Package
// [github.com/tickwake/rtos/sim/simtest] runs a test under many seeds and tells how to
// repeat one that fails. That holds as long as the program itself does not depend on
// other goroutines, map order, the wall clock or unseeded random numbers.
//
// [Options].Trace receives a run as a timeline. The time comes first, then what happened,
// who it is about, and details:
//
//	       0 > low
//	       0 . low        takes the bus
//	       3 ! uart
//	       3 > high       (low ready)
//	       3 > low        priority 3, base 1 (high waits for mutex "bus", held by low)
//	       5 > idle       (low ended)
//
//	>  gets the processor; in parentheses, what became of the task that had it
//	!  an interrupt begins
//	.  a line of [Sim.Logf]
//	*  a [Board] has been reset: its number of times, and when
//
// # When it does not go on
//
// Nothing hangs silently. If nothing can happen any more, and a task waits for what
// another one holds that will never run again, the drive returns a [*DeadlockError] with
// the tasks, the objects and their holders; if tasks merely wait for events it returns
// nil, and [rtos.Kernel.Run] logs them. If tasks run and time stands still, it returns a
// [*LivelockError] with the names of those that take turns. If a task computes or blocks
// outside the kernel, the watchdog reports it by [rtos.Config].Logger and
// [Options].OnStuck. [Options].MaxTicks bounds the virtual time.
//
// # Ends
//
// A panic of a task or an interrupt ends the run; the drive returns it as a
// [*rtos.PanicError]. A test may use require, or anything else that calls t.FailNow, in
// tasks, interrupts and conditions: all tasks are unwound, and the test ends. Tasks are
// unwound by a panic that the kernel knows; a recover that swallows it meets it again at
// the next call. When Run or [Sim.Close] has returned no goroutine is left.
//
// # Boards
//
// A [Board] is a kernel and a simulation that can be started again from the beginning, by
// its reset button or by itself. A [Group] runs several boards in one virtual time, with
// messages between them that take their time ([Board.Post]).
//
// # What is not simulated
//
// There is one core so far. Code takes no time but what Work says. A critical section is
// a suspended scheduler: interrupts go on. There are no interrupt priorities; an interrupt
// runs to its end. [rtos.Kernel.Adopt] and [rtos.OwnThread] answer
// [errors.ErrUnsupported].
package sim
