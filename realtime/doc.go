// Package realtime is the port of package rtos that gives each task a real-time thread of
// Linux. On other systems [New] answers [errors.ErrUnsupported].
//
//	p, err := realtime.New(realtime.Options{})
//	if err != nil {
//		return err // says which permission is missing
//	}
//	k, err := rtos.New(rtos.Config{Port: p})
//	... k.Spawn(...) ...
//	err = k.Run(ctx)
//	fmt.Println(p.Mode()) // what has been reached
//
// # Tasks and threads
//
// A task is a goroutine that is locked to a thread of its own for life; the thread ends
// with it. A task of priority p has the real-time priority Base+p, at most 98, by
// SCHED_FIFO or SCHED_RR. The system then does what a FreeRTOS scheduler does: of the
// tasks on a core the most urgent one runs, and takes the core at once when it is woken.
// What a mutex lends, and [rtos.Task.SetPriority], is set on the thread and taken back. When
// a task gives a mutex its thread falls back only after the heir has been woken, so that no
// task in between can keep both waiting.
//
// [rtos.OwnThread] pins a task to one of the port's cores, by the system's number. A task
// without it runs on any of them. Tasks that are spawned before the run begin together,
// the most urgent first; one that is spawned later begins when Go has a thread for it.
//
// A wait with a limit is one call of the system, to the nanosecond, with no timer of Go.
// Waiting allocates nothing, but with a context. [rtos.Task.Yield] lets equal tasks on the
// same core run. [rtos.Task.Work] counts the thread's own processor time. An adopted task
// keeps the thread that it has; its priority decides only who is woken first.
//
// # Timers
//
// A [Timer] stands in for a periodic interrupt and its handler: a thread above all tasks
// that stamps each activation and calls one task:
//
//	timer, err := p.Timer(realtime.TimerOptions{Period: time.Millisecond, Task: t})
//	for err == nil {
//		var a realtime.Activation
//		a, err = timer.Next(t, rtos.Forever) // the task is late by k.Now()-a.Deadline
//	}
//
// [Port.CalibrateMargin] finds how long it should spin before each deadline. [Activation] has the stamps of the timer, and of the
// task's thread before any Go code of it ran. [MeasureFloor] tells what no thread of this
// machine can get below.
//
// # What it takes
//
//   - Real-time priorities: the capability CAP_SYS_NICE, or a limit RLIMIT_RTPRIO
//     (ulimit -r; LimitRTPRIO= in systemd; rtprio in limits.conf). A timer wants 99.
//   - Locked memory: CAP_IPC_LOCK, or RLIMIT_MEMLOCK (ulimit -l, LimitMEMLOCK=infinity).
//   - No deep sleep of cores: write access to /dev/cpu_dma_latency.
//   - In a container: --cap-add=SYS_NICE --cap-add=IPC_LOCK --device=/dev/cpu_dma_latency,
//     and a set of cores (--cpuset-cpus) with those that are asked for. Under version 1
//     of control groups the group needs a budget (cpu.rt_runtime_us).
//
// What is refused is an error that says which of these is missing. Options.Memory and
// Options.Latency do without one of them, and Options.BestEffort makes a run without
// whatever is refused, as [Mode].Why lists.
//
// # What a run changes
//
// While the kernel runs, and set back when Run returns: memory is locked; cores do not
// sleep deeply; GOMAXPROCS is raised, since a task that was woken needs a processor of
// Go's scheduler; the other threads of the process are kept off the tasks' cores and have
// a nice value of -20; on request the collector is off. GOMAXPROCS no longer follows the
// control group once it has been set. Several ports share all this. Go gets some threads
// more, so that a task seldom waits for one to be made, and keeps them.
//
// Processes inherit cores and nice value from the thread that starts them: start them
// before the run, or by [Outside].
//
// # Guards
//
//   - A wait never holds a processor of Go's scheduler, or the collector could not begin.
//   - No task has a priority above 98.
//   - Spinning is bounded (Options.Spin, TimerOptions.Margin), and never granted on all
//     cores of the machine: [Mode].Spinning.
//   - Go's runtime knows nothing of priorities: its threads spin until another has finished
//     a few steps, which never happens if that one is a less urgent task on the same core.
//     So a task that has computed for 20 ms without a wait becomes an ordinary thread for
//     200 µs in every 10 ms, up to 1.6 ms if others do the same. It costs a task that has
//     to compute for long 2 % of its core.
//
// # What is left to know
//
//   - The tasks of one core obey priorities as long as they are in their own code. A task
//     that wakes, allocates or calls the system passes through Go's scheduler, whose locks
//     inherit nothing: now and then it is held up, by microseconds on a quiet machine and
//     by milliseconds on a crowded one. The guard ends the worst after some 30 ms.
//   - If the system groups processes by session (kernel.sched_autogroup_enabled is 1), a
//     nice value counts within the session only. Programs of other sessions, even those
//     with the policy SCHED_IDLE, then keep Go's threads, and a task that needs one of them,
//     waiting for milliseconds. Set it to 0, or keep other programs off the cores that are
//     left to Go.
//   - Go's scheduler preempts who it finds in ordinary code twice, 10 ms apart, however
//     often it has waited in between; who is preempted needs one of those threads to go on.
//     A task that is called in every period and has soon done its work is hardly ever found.
//   - Do not allocate in tasks, or set Collector to CollectorOff: an allocation may have to
//     help the collector.
//   - A channel between tasks wakes by way of Go's scheduler. Use the objects of package
//     rtos.
//   - If Cores are all cores of the machine, Go's other threads share them, and a task that
//     waits for one of those waits up to a second. One core should be left.
//   - A delay of less than some microseconds has passed before the system can sleep: a loop
//     of such delays keeps less urgent tasks out.
//   - A [rtos.Spinlock] between tasks of different priorities on one core is slow.
//   - The kernel decides what is possible: without PREEMPT_RT, or on a virtual machine,
//     single wakes take milliseconds. Compare with [MeasureFloor].
//
// # Builds
//
// Waits and timers run in the state of a system call, by functions that the Go runtime
// keeps for other modules: [Mode].Bare. The build tag rtos_purego and other compilers do
// without. Then all tasks and timers have one real-time priority and take turns, because
// nothing could guard different ones against each other; a timer must not be on the only
// core that is left to Go's scheduler.
package realtime
