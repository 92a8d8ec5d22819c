package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/tickwake/rtos"
)

// A Toggle is an option that is on unless switched off.
type Toggle uint8

// The positions.
const (
	On Toggle = iota
	Off
)

// Options configures a simulation. The zero value is useful: one core that schedules as
// FreeRTOS does by default, as fast as possible.
type Options struct {
	_ struct{}

	// Cores is the number of cores. More than one is not built yet: [rtos.New] answers
	// [errors.ErrUnsupported]. Default 1.
	Cores int
	// Preemption: a readied task of higher priority runs at once
	// (configUSE_PREEMPTION). Off: a switch happens only where a task yields, blocks
	// or ends. Default on.
	Preemption Toggle
	// TimeSlicing: equal tasks take turns at every tick (configUSE_TIME_SLICING).
	// Default on.
	TimeSlicing Toggle
	// StartTick is the tick count at the start. It wraps at 2^32, which nothing but the
	// tick count notices. Default 0.
	StartTick rtos.Ticks
	// Seed makes the choices that FreeRTOS leaves to chance or to the order of creation:
	// which of equal tasks starts first, which of equal waiters is woken first (unless
	// [rtos.CompatOrder] decides), and when an interrupt of [Sim.Within] comes. One seed
	// makes one run. Default 0: FreeRTOS's own order, and the first tick of each window.
	Seed uint64
	// SpinCost is the number of ticks that one try of a call costs which waits by trying
	// again and again. Default 1.
	SpinCost int
	// Pace is how many seconds of virtual time pass in a second of wall-clock time.
	// Default 0: the simulation waits for no clock.
	Pace float64
	// Outside: when nothing can happen any more, [rtos.Kernel.Run] waits for [Sim.Inject]
	// and for the contexts of waiting tasks, until its own context is done. Default
	// false: then it ends.
	Outside bool
	// MaxTicks is a virtual time that must not be passed: whoever lets the simulation go
	// on gets an error for which errors.Is(err, [rtos.ErrTimeout]) holds. Default 0: no
	// limit.
	MaxTicks uint64
	// Livelock is how often the scheduler may choose at one instant of virtual time
	// before that is reported as a [LivelockError]. Default 1,000,000; negative: no
	// limit.
	Livelock int
	// Watchdog is the wall-clock time after which a task or interrupt that does not let
	// the simulation go on, because it computes or waits for something that the kernel
	// knows nothing of, is reported with its stack to [rtos.Config].Logger, and again at
	// doubling intervals. Default 10 s; negative: never.
	Watchdog time.Duration
	// OnStuck also gets what the watchdog reports, in a goroutine of its own. Default
	// none.
	OnStuck func(StuckReport)
	// OnSwitch is told of every choice of another task, nil for idle, at the moment of
	// the choice. It may stop the kernel and must do nothing else to it. Default none.
	OnSwitch func(to *rtos.Task)
	// Trace receives the timeline of the simulation: one line for each switch, each
	// interrupt and each call of [Sim.Logf]. Equal runs write equal bytes. Default none.
	Trace io.Writer
	// Name stands at the beginning of each line of Trace. Default none.
	Name string
}

const (
	defaultLivelock = 1_000_000
	defaultWatchdog = 10 * time.Second
)

// withDefaults fills in the zero values and refuses what makes no sense.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Cores < 0:
		return o, fmt.Errorf("sim: Options.Cores is %d, want 1", o.Cores)
	case o.Cores > 1:
		return o, fmt.Errorf("sim: Options.Cores is %d, more than one: %w", o.Cores, errors.ErrUnsupported)
	case o.Preemption > Off:
		return o, fmt.Errorf("sim: Options.Preemption is %d, want On or Off", o.Preemption)
	case o.TimeSlicing > Off:
		return o, fmt.Errorf("sim: Options.TimeSlicing is %d, want On or Off", o.TimeSlicing)
	case o.SpinCost < 0:
		return o, fmt.Errorf("sim: Options.SpinCost is %d, want at least 1", o.SpinCost)
	case o.Pace < 0, math.IsNaN(o.Pace), math.IsInf(o.Pace, 0):
		return o, fmt.Errorf("sim: Options.Pace is %v, want a positive number, or 0 for no pace", o.Pace)
	}
	for _, f := range []struct {
		value  *int
		preset int
	}{{&o.Cores, 1}, {&o.SpinCost, 1}, {&o.Livelock, defaultLivelock}} {
		if *f.value == 0 {
			*f.value = f.preset
		}
	}
	if o.Watchdog == 0 {
		o.Watchdog = defaultWatchdog
	}
	return o, nil
}
