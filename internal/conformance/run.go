package conformance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A Result is what became of a scenario.
type Result struct {
	Trace     []Event
	Assertion *rtos.MisuseError // if the scenario ended in one
}

// Run executes the scenario as the reference does. It fails if the scenario needs what the
// runner does not support, if the kernel or the simulation reports an error, or if the
// trace has no end.
func Run(s *Scenario) (*Result, error) { return run(s, asReference) }

// Options changes how a scenario is run.
type Options struct {
	// Config changes the configuration of the kernel, which is that of the reference.
	Config func(*rtos.Config)
	// Watch is told of every event but the last, and of the effective priorities then.
	Watch func(e *Event, prio []int8)
}

// RunWith is [Run] with options.
func RunWith(s *Scenario, o Options) (*Result, error) {
	how := asReference
	how.config = o.Config
	if o.Watch != nil {
		how.watch = func(r *runner, e *Event) {
			if e.Kind != EndEvent {
				o.Watch(e, r.priorities())
			}
		}
	}
	return run(s, how)
}

func run(s *Scenario, how setup) (*Result, error) {
	if kind := s.Unsupported(); kind != "" {
		return nil, fmt.Errorf("conformance: %s: kind %q is not supported", s.File, kind)
	}
	bare := *s
	bare.Trace, bare.HasTrace = nil, false // what was recorded is out of reach
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &runner{setup: how, scenario: &bare, tasks: make([]scripted, len(s.Tasks)), taskOps: taskOps, isrOps: isrOps, ctx: ctx}
	r.deadline = r.virtualDeadline
	if err := r.kernelFor(s.Config); err != nil {
		return nil, fmt.Errorf("conformance: %s: %w", s.File, err)
	}
	r.populate()
	if !r.halted {
		r.fail(r.sim.RunUntil(s.End))
	}
	if !r.halted {
		r.end()
		r.halted = true
	}
	// Whatever still exists is unwound, so that no coroutine is left.
	r.kernel.Stop()
	if err := r.kernel.Run(context.Background()); err != nil && !errors.Is(err, rtos.ErrStopped) {
		r.fail(err)
	}
	if r.err != nil {
		return nil, r.err
	}
	return &Result{Trace: r.trace, Assertion: r.assertionFailed}, nil
}

// What ends scenarios that would never end by themselves: tasks that create each other do it in
// no time, and ticks that were missed have no limit of their own.
var (
	errEvents = fmt.Errorf("more than %d events", maxEvents)
	errMissed = fmt.Errorf("more than %d missed ticks", maxMissed)
)

// runner is a scenario that runs.
type runner struct {
	setup
	scenario *Scenario
	kernel   *rtos.Kernel
	sim      *sim.Sim
	objects  []object
	tasks    []scripted

	taskOps, isrOps map[string]func(*call)
	ctx             context.Context // of contextForms; never done while tasks run
	deadline        func(d time.Duration) (context.Context, context.CancelFunc)

	trace           []Event
	halted          bool // nothing more is recorded, and tasks leave their scripts
	assertionFailed *rtos.MisuseError
	missed          uint32 // ticks that catchups have added
	err             error
}

// minTasks is the default capacity of a kernel.
const minTasks = 64

// kernelFor makes a kernel with the options of the scenario.
func (r *runner) kernelFor(c Config) error {
	r.sim = sim.New(sim.Options{
		Preemption:  toggle(c.Preemption),
		TimeSlicing: toggle(c.TimeSlicing),
		StartTick:   rtos.Ticks(c.StartTick),
		OnSwitch:    r.onSwitch,
	})
	config := rtos.Config{
		Port:        r.sim,
		Tasks:       max(minTasks, len(r.tasks)+1, r.setup.tasks),
		Priorities:  topPriority + 1,
		NotifySlots: slots,
		Compat:      r.compat,
		Tick:        time.Millisecond,
		Robust:      r.extras,
		RunTime:     r.extras,
		Logger:      slog.New(slog.DiscardHandler),
	}
	if r.config != nil {
		r.config(&config)
	}
	var err error
	r.kernel, err = rtos.New(config)
	return err
}

// populate makes everything that exists when the scheduler starts.
func (r *runner) populate() {
	s := r.scenario
	for i := range s.Objects {
		r.objects = append(r.objects, objectKinds[s.Objects[i].Kind](&s.Objects[i]))
	}
	for i := range s.Tasks {
		if s.Tasks[i].Start {
			r.create(i)
		}
	}
	for i := range s.Interrupts {
		r.schedule(i)
	}
}

func toggle(on bool) sim.Toggle {
	if on {
		return sim.On
	}
	return sim.Off
}

// schedule registers an interrupt. None happens at tick 0, before the first tick interrupt.
func (r *runner) schedule(index int) {
	def := &r.scenario.Interrupts[index]
	if def.At == 0 {
		return
	}
	var options []sim.InterruptOption
	if def.NoYield {
		options = append(options, sim.NoYield())
	}
	r.sim.At(def.At, func(isr *rtos.ISR) {
		for pc := range def.Ops {
			if r.halted {
				return
			}
			c := call{run: r, op: &def.Ops[pc], isr: isr}
			c.event = Event{Actor: InterruptActor, ISR: index, PC: pc, Op: c.op.Name}
			c.perform(r.isrOps)
		}
	}, options...)
}

func (r *runner) onSwitch(to *rtos.Task) {
	e := Event{Kind: SwitchEvent, To: idleName}
	if to != nil {
		e.To = to.Name()
	}
	r.record(e)
}

// record adds an event to the trace.
func (r *runner) record(e Event) {
	if r.halted {
		return
	}
	if len(r.trace) == maxEvents {
		r.fail(errEvents)
		return
	}
	e.T = r.sim.Time()
	if e.Kind == OpEvent || e.Kind == DoneEvent || e.Kind == TimerEvent {
		e.Prio = r.priorities()
	}
	r.trace = append(r.trace, e)
	if r.watch != nil {
		r.watch(r, &e)
	}
}

func (r *runner) priorities() []int8 {
	prio := make([]int8, len(r.tasks))
	for i := range r.tasks {
		prio[i] = NoTask
		if st := &r.tasks[i]; st.exists && st.task != nil {
			prio[i] = int8(st.task.Priority())
		}
	}
	return prio
}

// assert ends the trace with an assertion in the operation that e names.
func (r *runner) assert(e Event, misuse *rtos.MisuseError) {
	e.Kind = AssertEvent
	r.record(e)
	r.record(Event{Kind: EndEvent, Why: whyAssert})
	r.assertionFailed = misuse
	r.halt()
}

// fail notes the first error and ends the run.
func (r *runner) fail(err error) {
	if err == nil {
		return
	}
	if r.err == nil {
		r.err = fmt.Errorf("conformance: %s: %w", r.scenario.File, err)
	}
	r.halt()
}

// halt lets nothing more be recorded and the simulation come to its end.
func (r *runner) halt() {
	if !r.halted {
		r.halted = true
		r.kernel.Stop()
	}
}
