package sim

import (
	"fmt"
	"runtime/debug"

	"github.com/tickwake/rtos"
)

type interrupt struct {
	f       func(*rtos.ISR)
	name    string
	noYield bool
	suspect suspect // for the watchdog
}

// An InterruptOption changes what [Sim.At] and [Sim.Within] do.
type InterruptOption func(*interrupt)

// NoYield leaves the switch that the interrupt makes due owed: it is made at the next
// tick, yield, resumption of the scheduler, or block.
func NoYield() InterruptOption { return func(i *interrupt) { i.noYield = true } }

// Named gives the interrupt a name for [Options].Trace and reports.
func Named(name string) InterruptOption { return func(i *interrupt) { i.name = name } }

// At runs f as an interrupt within the tick interrupt of virtual time tick, which must
// lie ahead. Interrupts of one tick run in the order of the calls, after the limits that
// end at that tick. A panic of f ends the run as that of a task does.
func (s *Sim) At(tick uint64, f func(*rtos.ISR), opts ...InterruptOption) {
	s.checkInterrupt("Sim.At", tick, f)
	s.schedule(&s.lines, &event{at: tick, irq: newInterrupt(f, opts)})
}

// Within is At at a tick of the window from one tick to another, both included. Seed 0
// takes the first; any other seed chooses. It returns the tick.
func (s *Sim) Within(from, to uint64, f func(*rtos.ISR), opts ...InterruptOption) uint64 {
	s.checkInterrupt("Sim.Within", from, f)
	if to < from {
		misuse("Sim.Within", fmt.Sprintf("the window from %d to %d is empty", from, to))
	}
	tick := s.seeds.within(from, to)
	s.schedule(&s.lines, &event{at: tick, irq: newInterrupt(f, opts)})
	return tick
}

func (s *Sim) checkInterrupt(op string, tick uint64, f func(*rtos.ISR)) {
	switch {
	case f == nil:
		misuse(op, "nil function")
	case tick <= s.time:
		misuse(op, fmt.Sprintf("tick %d has passed: virtual time is %d", tick, s.time))
	}
}

func newInterrupt(f func(*rtos.ISR), opts []InterruptOption) *interrupt {
	irq := &interrupt{f: f, name: nameInterrupt}
	for _, o := range opts {
		o(irq)
	}
	return irq
}

// raise runs an interrupt and reports whether it has readied a task that is more urgent
// than the current one, also by a call that anybody may make.
func (s *Sim) raise(irq *interrupt) (woken bool) {
	woke := s.woke
	s.woke = false
	s.irq = irq
	s.interrupts++
	if s.trace.on() {
		s.trace.line(s.time, markInterrupt, irq.name, "")
	}
	if s.watchdog.enabled() {
		if s.goroutine == 0 {
			s.goroutine = goroutineID()
		}
		irq.suspect.interrupt = irq.name
		irq.suspect.goroutine.Store(s.goroutine)
		s.watchdog.interrupt.Store(&irq.suspect)
		s.watchdog.watch(anInterrupt)
	}
	defer func() {
		s.irq = nil
		woken = woken || s.woke && s.opts.Preemption == On
		s.woke = woke
		s.watchdog.watch(nobody)
		if v := recover(); v != nil {
			s.k.Fail(&rtos.PanicError{Interrupt: irq.name, Value: v, Stack: debug.Stack()})
		}
	}()
	return s.k.Interrupt(irq.f)
}
