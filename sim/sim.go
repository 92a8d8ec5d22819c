package sim

import (
	"errors"
	"time"

	"github.com/tickwake/rtos"
)

// A Sim is a simulation, the port of one kernel.
//
// Whoever has made it drives it, from one goroutine: by [rtos.Kernel.Run], or step by
// step by RunUntil, RunFor, RunTo, Settle and Step. In between the tasks stand where they
// are, everything can be looked at, and the driver may do what anybody may do to a kernel
// from outside: give, notify, resume, delete, spawn. The other methods may also be called
// by the tasks and interrupts of the simulation. From other goroutines only Inject may be
// called.
type Sim struct {
	opts Options
	k    *rtos.Kernel
	tick time.Duration

	slots    []*simTask
	block    []simTask // for tasks to come
	idle     simTask   // its flow is the driver's
	ready    levels
	contexts []*simTask // that wait with a context, in the order of their waits

	current *simTask   // who has the processor
	active  *simTask   // whose goroutine runs, nil: the driver's
	irq     *interrupt // the interrupt that runs, nil: none
	started bool
	killing int // nested unwinding of other tasks

	thrown    *thrown
	lingering []*simTask

	time    uint64 // virtual time: tick interrupts so far
	counted uint64 // ticks that the kernel has processed
	alarms  events // limits of waits, by counted ticks
	lines   events // interrupts, by virtual time
	orders  uint64 // of events

	held   int // scheduler suspensions
	pended uint64
	kept   []*simTask // readied by interrupts meanwhile
	owed   bool       // a switch is owed
	woke   bool       // this call readied a more urgent task

	driver
	outside
	trace    tracer
	livelock livelock
	seeds    seeds
	past     past
	pace     pacer
	watchdog watchdog
}

// New makes a simulation for one kernel. Wrong options are an error of [rtos.New].
func New(o Options) *Sim {
	s := &Sim{opts: o, seeds: newSeeds(o.Seed)}
	s.trace = tracer{w: o.Trace, name: o.Name}
	s.bell = make(chan struct{}, 1)
	return s
}

// Bind implements [rtos.Port].
func (s *Sim) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	if s.k != nil {
		return rtos.Traits{}, errors.New("sim: a simulation is the port of one kernel only")
	}
	o, err := s.opts.withDefaults()
	if err != nil {
		return rtos.Traits{}, err
	}
	s.opts, s.k, s.tick = o, k, k.Ticks(1)
	s.ready.init(k.Priorities())
	s.idle.details = new(details)
	s.current = &s.idle
	if o.Pace > 0 {
		s.pace.tick = float64(s.tick) / o.Pace
	}
	s.watchdog = watchdog{limit: o.Watchdog, called: &s.called, report: s.stuck}
	s.livelock = newLivelock(o.Livelock)
	traits := rtos.Traits{
		Schedules:   true,
		Current:     s.Current,
		InInterrupt: func() bool { return s.irq != nil },
		FromOutside: func() bool { return s.active == nil && s.irq == nil },
		SpinCost:    s.k.Ticks(uint64(o.SpinCost)),
		RunTime:     func(t *rtos.Task) time.Duration { return s.k.Ticks(s.slots[t.Slot()].ticks) },
	}
	if o.Seed != 0 {
		traits.Tie = s.seeds.tie.Uint64
	}
	return traits, nil
}

var _ rtos.Port = (*Sim)(nil)
