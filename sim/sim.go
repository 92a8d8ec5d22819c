// Package sim is the port of package rtos that runs tasks in virtual time on a
// simulated processor, with the scheduling of FreeRTOS: fixed priorities, preemption,
// time slices, ticks and interrupts. A run depends on nothing but the program and the
// options, so it can be repeated exactly.
//
//	s := sim.New(sim.Options{})
//	k, err := rtos.New(rtos.Config{Port: s})
//	... k.Spawn(...) ...
//	err = k.Run(ctx)
//
// Tasks are coroutines: one runs at a time, in the goroutine that called Run. Time is
// a number of ticks. Everything a task does takes none, but for [rtos.Task.Work], which
// uses processor time, and waiting; when nobody can run, time jumps to the next event.
//
// This is the smallest useful simulation: one core, interrupts at ticks. Its rules are
// those of the recorded scenarios in internal/conformance.
package sim

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
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

// Options configures a simulation. The zero value is useful.
type Options struct {
	_ struct{}

	// Preemption: a readied task of higher priority runs at once
	// (configUSE_PREEMPTION). Off: a switch happens only where a task yields, blocks
	// or ends. Default on.
	Preemption Toggle
	// TimeSlicing: equal tasks take turns at every tick (configUSE_TIME_SLICING).
	// Default on.
	TimeSlicing Toggle
	// StartTick is the tick count at the start. Default 0.
	StartTick rtos.Ticks
	// OnSwitch is told of every choice of another task, nil for idle, at the moment
	// of the choice. It must not call the kernel.
	OnSwitch func(to *rtos.Task)
	// Trace receives the timeline of the simulation: one line for each switch, each
	// interrupt and each call of [Sim.Logf]. Equal runs write equal bytes. Default none.
	Trace io.Writer
	// Name stands at the beginning of each line of Trace. Default none.
	Name string
}

// A Sim is a simulation, the port of one kernel. Its methods may be called between
// runs, and by tasks and interrupts of the simulation; not from other goroutines.
type Sim struct {
	opts   Options
	k      *rtos.Kernel
	tick   time.Duration
	slots  []*simTask
	levels []ring
	idle   simTask

	current *simTask // who has the processor
	started bool
	halted  bool // the present drive is over
	killing int  // nested unwinding of other tasks

	time    uint64 // virtual time: tick interrupts so far
	counted uint64 // ticks that the kernel has processed
	end     uint64 // drive until this time
	alarms  alarms
	orders  uint64
	lines   []interrupt

	held        int // scheduler suspensions
	pended      uint64
	kept        []*simTask // readied by interrupts meanwhile
	owed        bool       // a switch is owed
	woke        bool       // this call readied a more urgent task
	inInterrupt bool
	interrupt   string // its name

	trace tracer
}

// simTask is what the simulation knows of a task.
type simTask struct {
	node
	t       *rtos.Task
	body    func()
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	prio    int
	due     uint64 // counted tick at which the wait is over
	epoch   uint64
	order   uint64
	alarm   int
	context bool // waits with a context
	dying   bool // resumed to unwind
	over    bool
}

type interrupt struct {
	at      uint64
	f       func(*rtos.ISR)
	name    string
	noYield bool
}

// New makes a simulation for one kernel.
func New(o Options) *Sim { return &Sim{opts: o, trace: tracer{w: o.Trace, name: o.Name}} }

// Bind implements [rtos.Port].
func (s *Sim) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	if s.k != nil {
		return rtos.Traits{}, errors.New("sim: a simulation is the port of one kernel only")
	}
	s.k = k
	s.tick = k.Ticks(1)
	s.levels = make([]ring, k.Priorities())
	for i := range s.levels {
		s.levels[i].init()
	}
	s.idle.node.task = &s.idle
	s.idle.alarm = noAlarm
	s.current = &s.idle
	return rtos.Traits{
		Schedules:   true,
		Current:     s.Current,
		InInterrupt: func() bool { return s.inInterrupt },
	}, nil
}

// Current is the task that has the processor, nil for idle and before the start.
func (s *Sim) Current() *rtos.Task {
	if !s.started {
		return nil
	}
	return s.current.t
}

// Time is the number of tick interrupts since the start: virtual time. It goes on
// while the scheduler is suspended, unlike the tick count.
func (s *Sim) Time() uint64 { return s.time }

// TickCount is the kernel's tick count.
func (s *Sim) TickCount() rtos.Ticks { return s.opts.StartTick + rtos.Ticks(s.counted) }

// Now implements [rtos.Port]: the ticks that the kernel has counted.
func (s *Sim) Now() time.Duration { return s.k.Ticks(s.counted) }

// An InterruptOption changes what [Sim.At] does.
type InterruptOption func(*interrupt)

// NoYield leaves the switch that the interrupt makes due owed: it is made at the next
// tick, yield, resumption of the scheduler, or block.
func NoYield() InterruptOption { return func(i *interrupt) { i.noYield = true } }

// Named gives the interrupt a name for [Options].Trace.
func Named(name string) InterruptOption { return func(i *interrupt) { i.name = name } }

// At runs f as an interrupt within the tick interrupt of virtual time tick, which must
// lie ahead. Interrupts of one tick run in the order of the calls.
func (s *Sim) At(tick uint64, f func(*rtos.ISR), opts ...InterruptOption) {
	if f == nil || tick <= s.time {
		panic(&rtos.MisuseError{Op: "Sim.At", Reason: "nil function, or a tick that has passed"})
	}
	line := interrupt{at: tick, f: f, name: nameInterrupt}
	for _, o := range opts {
		o(&line)
	}
	i, _ := slices.BinarySearchFunc(s.lines, tick+1, func(l interrupt, at uint64) int {
		if l.at < at {
			return -1
		}
		return 1
	})
	s.lines = slices.Insert(s.lines, i, line)
}

// CatchUp adds n ticks at once, as if they had been missed, and reports whether a
// switch took place. Called by a task. Mirrors xTaskCatchUpTicks.
func (s *Sim) CatchUp(n uint32) bool {
	s.Hold(nil)
	s.pended += uint64(n)
	return s.Release(nil)
}

// RunUntil lets the simulation go on until virtual time end, and everything happen that
// needs no further tick then. The tasks stay where they are.
func (s *Sim) RunUntil(end uint64) error {
	s.end, s.halted = end, false
	s.drive()
	return nil
}

// Run implements [rtos.Port]: it goes on until nothing can happen any more, ctx is done
// or the kernel is stopped, and then unwinds the tasks that are left.
func (s *Sim) Run(ctx context.Context) error {
	s.end, s.halted = math.MaxUint64, false
	var cause error
	for !s.halted && !s.k.Stopping() {
		if cause = context.Cause(ctx); cause != nil {
			break
		}
		s.step()
	}
	s.current = &s.idle
	s.k.Stop()
	for t := range s.k.Tasks() { // those that a task which called Stop has left
		s.Kill(t)
	}
	return cause
}

func (s *Sim) drive() {
	for !s.halted && !s.k.Stopping() {
		s.step()
	}
}

// step runs the current task until it gives up the processor, or lets a tick pass if
// that is idle.
func (s *Sim) step() {
	if !s.started {
		s.begin()
	}
	cur := s.current
	if cur != &s.idle {
		cur.resume()
		return
	}
	if s.opts.Preemption == Off || s.levels[0].length > 1 {
		s.choose() // idle yields
		if s.current != &s.idle || s.levels[0].length > 1 {
			return
		}
	}
	if s.lookAtContexts(); s.current != &s.idle {
		return
	}
	next, ok := s.nextEvent()
	if !ok && s.end == math.MaxUint64 {
		s.halted = true
		return
	}
	s.skip(next - 1)
	s.tickInterrupt()
}

// begin picks the first task: the most urgent, the last made of equals. The cursor of
// its level is not advanced.
func (s *Sim) begin() {
	s.started = true
	s.levels[0].insert(&s.idle.node)
	first := &s.idle
	for t := range s.k.Tasks() {
		if st := s.slots[t.Slot()]; st.node.ring != nil && (first == &s.idle || st.prio >= first.prio) {
			first = st
		}
	}
	s.current = nil // so that a start with idle is told, too
	s.run(first)
}

// run gives the processor to t.
func (s *Sim) run(t *simTask) {
	if s.current == t {
		return
	}
	from := s.current
	s.current = t
	if s.trace.on() {
		s.traceSwitch(from, t)
	}
	if s.opts.OnSwitch != nil {
		s.opts.OnSwitch(t.t)
	}
}
