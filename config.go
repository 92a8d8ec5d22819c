package rtos

import (
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Forever is the limit of a wait that never ends by its limit (portMAX_DELAY).
const Forever time.Duration = math.MaxInt64

// Ticks counts kernel ticks and wraps at 2^32, as FreeRTOS's TickType_t.
type Ticks uint32

// Inheritance selects how a mutex lends the priority of its waiters to its holder.
type Inheritance uint8

const (
	// InheritFreeRTOS is FreeRTOS's rule: a waiter raises the holder, not those
	// the holder waits for, and the loan ends when the holder gives the last
	// mutex it holds. A waiter that gives up takes its loan back, but only from
	// a holder of exactly one mutex.
	InheritFreeRTOS Inheritance = iota
	// InheritChained is the textbook's rule: at any moment the effective priority
	// of a task is the highest of its base and of the effective priorities of
	// those that wait for the mutexes it holds. So it follows at once when a mutex
	// is given, a waiter comes, times out, is aborted, suspended or deleted, or
	// changes its priority; loans pass on along chains, to the holder of the mutex
	// for which a holder waits; and a task that waits, for a mutex or a semaphore,
	// is always ranked by its present priority, among equals by when it came. A
	// wait that could never end fails with [ErrDeadlock].
	//
	// Only for ports that schedule, such as the simulation; elsewhere [New]
	// answers [errors.ErrUnsupported]. [CompatOrder] and [CompatBasePriorityQueue]
	// mean nothing with it.
	InheritChained
)

// Compat switches single decisions to what FreeRTOS does where this package
// does better. The zero value is none.
type Compat uint32

const (
	// CompatOrder orders waiters by the priority last assigned to a task, as it
	// is at the moment of insertion. Exact where calls do not overlap, that is
	// in a simulation.
	CompatOrder Compat = 1 << iota
	// CompatBasePriorityQueue: a boosted task that changes its base priority
	// queues by the new base. It matters only under CompatOrder.
	CompatBasePriorityQueue
	// CompatSelfTake: taking one's own mutex waits for its limit.
	CompatSelfTake
	// CompatLostWake: a woken task that is suspended or deleted before it ran
	// keeps the wake, so that nobody else gets it.
	CompatLostWake
	// CompatAbortMark: the mark that an abort leaves may end a later wait.
	CompatAbortMark
	// CompatStreamSlot0 is reserved for stream buffers.
	CompatStreamSlot0
	// CompatISRThroughTimer is reserved for event groups.
	CompatISRThroughTimer
	// CompatLimitUnderSuspend: a limit other than 0 under a suspended scheduler
	// is misuse even where the call would not wait.
	CompatLimitUnderSuspend
	// CompatPollClears: a [Task.NotifyWait] that polls and fails clears its
	// entry bits, as FreeRTOS V10 and ESP-IDF do. In no set.
	CompatPollClears

	// CompatFreeRTOS is every flag that makes the package behave as FreeRTOS's
	// main branch does.
	CompatFreeRTOS = CompatPollClears - 1
)

// Config configures a kernel. Its zero value is useful: goroutines, 64 tasks,
// 32 priorities, 3 notification slots, a tick of one millisecond.
type Config struct {
	_ struct{}

	// Port is the world the tasks run in. Default: goroutines.
	Port Port
	// Tasks is the largest number of tasks that exist at one time, at most
	// 32,767. Default 64; up to that a waiter set is one word.
	Tasks int
	// Priorities is the number of priority levels, 0 (least urgent) to
	// Priorities-1, at most 256. Default 32 (configMAX_PRIORITIES).
	Priorities int
	// NotifySlots is the number of notification slots of each task, at most 255.
	// Default 3 (configTASK_NOTIFICATION_ARRAY_ENTRIES).
	NotifySlots int
	// Tick is the length of a tick. Default 1 ms. Ports that run on a wall clock
	// do not round durations to it; there it only scales [Kernel.TickCount].
	Tick time.Duration
	// Inheritance is the policy of mutexes. Default [InheritFreeRTOS].
	Inheritance Inheritance
	// Compat selects FreeRTOS's behaviour decision by decision. Default none.
	Compat Compat
	// Robust hands a mutex whose owner ended without giving it to the next
	// taker, with [ErrOwnerDied]. Default false: as in FreeRTOS it stays taken.
	Robust bool
	// RunTime measures the processor time of each task for [Task.RunTime]
	// (configGENERATE_RUN_TIME_STATS). Default false: it costs two readings of
	// the clock each time a task parks.
	RunTime bool
	// Logger receives what nobody asked for but should know: orphaned mutexes,
	// tasks that do not stop, what was blocked when the kernel was stopped.
	// Default [slog.Default].
	Logger *slog.Logger
}

const (
	maxTasks      = 1<<15 - 1
	maxPriorities = 256
	maxSlots      = 255
)

// withDefaults fills in the zero values and refuses what makes no sense.
func (c Config) withDefaults() (Config, error) {
	for _, f := range []struct {
		name           string
		value          *int
		preset, lowest int
		highest        int
	}{
		{"Tasks", &c.Tasks, 64, 1, maxTasks},
		{"Priorities", &c.Priorities, 32, 1, maxPriorities},
		{"NotifySlots", &c.NotifySlots, 3, 1, maxSlots},
	} {
		if *f.value == 0 {
			*f.value = f.preset
		}
		if *f.value < f.lowest || *f.value > f.highest {
			return c, fmt.Errorf("rtos: Config.%s is %d, want %d to %d", f.name, *f.value, f.lowest, f.highest)
		}
	}
	if c.Tick == 0 {
		c.Tick = time.Millisecond
	}
	if c.Tick < 0 {
		return c, fmt.Errorf("rtos: Config.Tick is %v, want a positive duration", c.Tick)
	}
	switch c.Inheritance {
	case InheritFreeRTOS:
	case InheritChained:
		c.Compat &^= CompatOrder | CompatBasePriorityQueue
	default:
		return c, fmt.Errorf("rtos: Config.Inheritance is %d, which is no policy", c.Inheritance)
	}
	if c.Compat&^(CompatFreeRTOS|CompatPollClears) != 0 {
		return c, fmt.Errorf("rtos: Config.Compat has unknown flags %#x", uint32(c.Compat&^(CompatFreeRTOS|CompatPollClears)))
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}
