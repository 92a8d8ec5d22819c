package sim

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/atomic"
)

// goal says how far a drive goes.
type goal struct {
	op     string
	end    uint64      // virtual time that is not passed
	until  func() bool // the drive is over when this holds
	once   bool        // or when a step has been done
	settle bool        // and when nothing can happen any more
	final  bool        // nobody will do anything from outside then

	stepwise bool // the driver has to see each step
	ctx      context.Context
}

// halt is why a drive is over.
type halt uint8

const (
	going   halt = iota
	atEnd        // time has come to the end
	met          // the condition holds, the step is done
	settled      // nothing can happen any more
	stopped      // the kernel was stopped, or there is a cause
)

// driver is the state of driving: of letting the simulation go on.
type driver struct {
	driving atomic.Bool
	goal    goal
	halt    halt
	cause   error // why it is stopped
	ended   bool  // the kernel has ended, or a Goexit has gone through

	last Summary // then

	switches   uint64 // so far
	interrupts uint64
	goroutine  uint64 // the driver's, 0: not known
}

// preempted tells whether Go lets other goroutines run although one computes.
const preempted = runtime.GOOS != "js" && runtime.GOOS != "wasip1"

// Where it does not, the driver yields to them after so many steps.
const stepsAlone = 1000

func misuse(op, reason string) { panic(&rtos.MisuseError{Op: op, Reason: reason}) }

// drive lets the simulation go on as far as g says.
func (s *Sim) drive(g goal) (why halt, err error) {
	s.start(g)
	returned := false
	defer func() {
		if !returned { // a Goexit or a panic goes through
			s.finish()
		}
		s.stop()
	}()
	if g.final || !s.k.Stopping() {
		s.loop()
	} else {
		s.halt, s.cause = stopped, fmt.Errorf("sim: %s: %w", g.op, rtos.ErrStopped)
	}
	why, err = s.halt, s.outcome()
	returned = true
	return why, err
}

const reasonDriven = "called from inside the simulation, or while another goroutine drives it"

// refuse reports a drive that cannot be.
func (s *Sim) refuse(op string) {
	switch {
	case s.k == nil:
		misuse(op, "the simulation has no kernel yet: give it to rtos.New")
	case s.driving.Load():
		misuse(op, reasonDriven)
	case s.ended:
		misuse(op, "the kernel has ended")
	}
}

func (s *Sim) start(g goal) {
	s.refuse(g.op)
	if !s.driving.CompareAndSwap(false, true) {
		misuse(g.op, reasonDriven)
	}
	if m := s.opts.MaxTicks; m != 0 {
		g.end = min(g.end, m)
	}
	g.stepwise = g.until != nil || g.once
	s.goal, s.halt, s.cause = g, going, nil
	s.livelock.moved()
	if g.ctx != nil && g.ctx.Done() != nil {
		s.unhook = context.AfterFunc(g.ctx, s.call)
	}
	if s.pace.tick > 0 {
		s.pace.anchor(s.time)
	}
	s.watchdog.start()
}

func (s *Sim) stop() {
	s.watchdog.stop()
	if s.unhook != nil {
		s.unhook()
		s.unhook = nil
	}
	s.goal, s.goroutine = goal{}, 0
	s.driving.Store(false)
}

// loop drives. All of time passes here, and interrupts run here, while every coroutine
// stands still.
func (s *Sim) loop() {
	until := s.goal.until
	if until != nil && until() {
		s.halt = met
	}
	for n := 1; s.halt == going; n++ {
		if !preempted && n%stepsAlone == 0 {
			runtime.Gosched()
		}
		switch {
		case s.unhook != nil && s.goal.ctx.Err() != nil: // at once if a task has ended it
			s.halt, s.cause = stopped, context.Cause(s.goal.ctx)
		case s.called.Load():
			s.answer()
		case s.k.Stopping():
			s.halt = stopped
		default:
			if cur := s.current; s.started && cur != &s.idle && !cur.working {
				if s.letIn(cur) { // see Switch
					s.idle.resume()
				} else {
					s.idle.yield(struct{}{})
				}
				if s.active != nil || s.thrown != nil {
					s.await(nil)
					s.rethrow()
				}
			} else {
				s.step()
			}
			if until != nil && s.halt <= atEnd {
				s.watchdog.watch(nobody)
				if until() {
					s.halt = met
				}
			}
			if s.goal.once && s.halt == going {
				s.halt = met
			}
		}
	}
}

// step chooses, or lets time pass.
func (s *Sim) step() {
	switch {
	case !s.started:
		s.begin()
	case s.current == &s.idle && s.idleGivesWay():
		s.choose()
	case len(s.contexts) == 0 || !s.heedContexts():
		s.advance()
	}
}

// idleGivesWay tells whether idle lets another task run without being preempted.
func (s *Sim) idleGivesWay() bool {
	return s.ready.rings[0].length > 1 || s.opts.Preemption == Off && s.ready.top() != &s.ready.rings[0]
}

// heedContexts lets the tasks go on whose contexts are done, and reports whether that
// comes before time moves on.
func (s *Sim) heedContexts() bool {
	due := s.lookAtContexts()
	switch {
	case !due:
		return s.current == &s.idle && s.idleGivesWay()
	case s.held > 0:
		s.owed = true
		return false
	case s.opts.Preemption == Off:
		return s.current == &s.idle
	}
	s.choose()
	return true
}

// advance lets time go on to the next tick at which something happens.
func (s *Sim) advance() {
	to := s.nextTick()
	if w := s.current.work; s.current.working {
		to = min(to, later(s.time, w))
	}
	switch end := s.goal.end; {
	case to == never && s.goal.final && s.opts.Outside:
		s.standBy()
	case to == never && s.goal.settle:
		s.halt = settled
	case to > end:
		if end <= s.time || s.pace.tick == 0 || s.sleepTo(end) {
			s.skip(max(end, s.time) - s.time)
			s.halt = atEnd
		}
	case s.pace.tick == 0 || s.sleepTo(to):
		s.skip(to - s.time - 1)
		s.tickInterrupt()
	}
}

// outcome is the error of a drive that is over.
func (s *Sim) outcome() error {
	switch err := s.k.Err(); {
	case err != nil:
		return err
	case s.cause != nil:
		return s.cause
	case s.trace.err != nil:
		return fmt.Errorf("sim: trace: %w", s.trace.err)
	case s.halt == atEnd && s.opts.MaxTicks != 0 && s.time == s.opts.MaxTicks:
		return fmt.Errorf("sim: virtual time has reached Options.MaxTicks, %d: %w", s.time, rtos.ErrTimeout)
	case s.halt == settled:
		if d := s.deadlock(s.goal.final); d != nil {
			return d
		}
	}
	return nil
}

// finish ends the kernel: it unwinds the tasks that are left.
func (s *Sim) finish() {
	if s.ended {
		return
	}
	s.last = s.Summary()
	s.ended = true
	s.closeInbox()
	defer s.k.Run(context.Background()) // which ends it, unless it is under way
	defer s.bury()
	s.unwindAll()
}

func (s *Sim) unwindAll() {
	done := false
	defer func() {
		if !done { // a task that is unwound has called Goexit: go on with the others
			s.unwindAll()
		}
	}()
	s.active, s.irq, s.killing, s.current = nil, nil, 0, &s.idle
	s.started = false // nobody gets the processor any more
	s.k.Stop()
	for t := range s.k.Tasks() {
		t.Delete()
		s.Kill(t) // a port around this one may not have passed it on
	}
	done = true
}
