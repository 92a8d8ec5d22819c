package realtime

import (
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// A Policy is how the system schedules the threads of tasks.
type Policy uint8

// The policies.
const (
	FIFO  Policy = iota // SCHED_FIFO: a task runs until it waits or a more urgent one comes
	RR                  // SCHED_RR: equal tasks take turns on a core, by the system's time slice
	Other               // an ordinary thread: what is left when real time was refused
)

func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

var policyNames = [...]string{"FIFO", "RR", "OTHER"}

// A Toggle is an option that is on unless switched off.
type Toggle uint8

// The positions.
const (
	On Toggle = iota
	Off
)

// Options configures a port. The zero value asks for all that this package can do for
// timeliness, but for what costs other parts of the program dear: Spin and Collector.
type Options struct {
	_ struct{}

	// Cores are the cores that tasks may run on, by the system's numbers. Default: all
	// that the process may use but the one with the lowest number, which is left to the
	// rest of the program; on a machine with one core that one.
	Cores []int
	// Policy is FIFO or RR. Default FIFO.
	Policy Policy
	// Base is the real-time priority of a task of priority 0; one of priority p gets Base+p,
	// but 98 at most. Default 1, highest 98. Interrupt threads of a kernel with PREEMPT_RT
	// have 50: a Base of 51 puts all tasks above them.
	Base int
	// Spin is for how long a task that has to wait looks out for what it waits for before
	// it gives its core away. It is then woken a hundred times faster by a task or a timer
	// on another core, and no less urgent task runs on its core meanwhile. A task that a
	// timer with a margin calls does so from shortly before that margin on, and gives the
	// core away until then. Default 0: it gives the core away at once. At most 1 ms. See
	// the guards in the package documentation.
	Spin time.Duration
	// BestEffort makes a run without what the system refuses, and lists it in [Mode].Why.
	// Default false: a refusal is an error.
	BestEffort bool

	// Memory keeps the memory of the process from being paged out during the run. The
	// default, LockAll, brings in all that Go has reserved, some 100 MB, which takes some
	// tenths of a second. What Go or a task reserves later is brought in as it is used.
	Memory Memory
	// Latency keeps all cores from sleeping so deep that they wake slowly, during the run.
	// It costs power.
	Latency Toggle
	// KeepOff keeps the other threads of the process off Cores during the run, unless that
	// leaves them none, and lets them run before the threads of other programs, if the
	// system permits it (nice -20). Both keep tasks from waiting for a thread of Go's
	// runtime that does not get to run. A process that is started during the run inherits
	// both: see [Outside].
	KeepOff Toggle
	// Collector says what Go's garbage collector does during the run. Default: what it
	// always does.
	Collector Collector
	// Headroom is how much memory may be allocated during the run before the collector
	// works all the same, with CollectorOff. Default 256 MiB.
	Headroom int64
	// Procs is what GOMAXPROCS is raised to during the run. Default: the number of cores
	// of the machine, of tasks at the start of the run, and 6. More tasks that are spawned
	// later may have to wait for other goroutines after they have been woken.
	Procs int
	// Logger receives what a run lacks and tasks that do not stop. Default [slog.Default].
	Logger *slog.Logger
}

// A Memory says what is done about the memory of the process.
type Memory uint8

// What memory is locked.
const (
	LockAll  Memory = iota // all that is there: only what is mapped later has its fault, once a page
	LockUsed               // what has been used: each page has its fault once
	LockNone
)

// A Collector says what Go's garbage collector does during a run.
type Collector uint8

// What the collector may do.
const (
	CollectorOn  Collector = iota // as the program has set it
	CollectorOff                  // nothing, until Headroom has been allocated
)

const (
	highestTask  = 98 // so that nothing a task does delays a timer
	highest      = 99
	longestSpin  = time.Millisecond
	spareProcs   = 6
	usualHeadway = 256 << 20
)

// withDefaults fills in the zero values and refuses what makes no sense. usable are the
// cores that the process may use.
func (o Options) withDefaults(usable mask) (Options, error) {
	if o.Cores == nil {
		o.Cores = usable.cores()
		if len(o.Cores) > 1 {
			o.Cores = o.Cores[1:]
		}
	}
	o.Cores = slices.Clone(o.Cores)
	slices.Sort(o.Cores)
	o.Cores = slices.Compact(o.Cores)
	if o.Base == 0 {
		o.Base = 1
	}
	if o.Headroom == 0 {
		o.Headroom = usualHeadway
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	switch {
	case len(o.Cores) == 0:
		return o, fmt.Errorf("realtime: Options.Cores is empty, want nil or one core at least")
	case o.Cores[0] < 0 || o.Cores[len(o.Cores)-1] >= mostCores:
		return o, fmt.Errorf("realtime: Options.Cores is %v, want numbers from 0 to %d", o.Cores, mostCores-1)
	case o.Policy > RR:
		return o, fmt.Errorf("realtime: Options.Policy is %v, want FIFO or RR", o.Policy)
	case o.Base < 1 || o.Base > highestTask:
		return o, fmt.Errorf("realtime: Options.Base is %d, want 1 to %d", o.Base, highestTask)
	case o.Spin < 0 || o.Spin > longestSpin:
		return o, fmt.Errorf("realtime: Options.Spin is %v, want 0 to %v", o.Spin, longestSpin)
	case o.Memory > LockNone:
		return o, fmt.Errorf("realtime: Options.Memory is %d, which is no mode", o.Memory)
	case o.Collector > CollectorOff:
		return o, fmt.Errorf("realtime: Options.Collector is %d, which is no mode", o.Collector)
	case o.Headroom < 0:
		return o, fmt.Errorf("realtime: Options.Headroom is %d, want a positive number", o.Headroom)
	case o.Procs < 0:
		return o, fmt.Errorf("realtime: Options.Procs is %d, want a positive number", o.Procs)
	}
	return o, nil
}
