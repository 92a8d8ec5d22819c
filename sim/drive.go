package sim

import (
	"context"
	"fmt"

	"github.com/tickwake/rtos"
)

// Run implements [rtos.Port]: it goes on until nothing can happen any more, ctx is done
// or the kernel is stopped, and then unwinds the tasks that are left.
func (s *Sim) Run(ctx context.Context) error {
	if s.ended {
		return nil // finish tells the kernel
	}
	s.refuse("Kernel.Run")
	defer s.finish() // also if a task has called Goexit, as require does
	_, err := s.drive(goal{op: "Kernel.Run", end: never, settle: true, final: true, ctx: ctx})
	return err
}

// RunUntil lets the simulation go on until virtual time end, and everything happen that
// needs no further tick then. The tasks stay where they are.
//
// The error is a [*rtos.PanicError] if a task or an interrupt has panicked, or a
// [*LivelockError]; it wraps [rtos.ErrTimeout] if [Options].MaxTicks has been reached,
// and [rtos.ErrStopped] if the kernel had been stopped before. To call it after the
// kernel has ended, or from inside the simulation, is misuse. All that holds for RunFor,
// RunTo, Settle and Step as well.
func (s *Sim) RunUntil(end uint64) error {
	_, err := s.drive(goal{op: "Sim.RunUntil", end: end, settle: end == never})
	return err
}

// RunFor is [Sim.RunUntil] a number of ticks from now.
func (s *Sim) RunFor(ticks uint64) error {
	end := later(s.time, ticks)
	_, err := s.drive(goal{op: "Sim.RunFor", end: end, settle: end == never})
	return err
}

// RunTo lets the simulation go on until cond holds. It calls cond at the beginning and
// after each step: see [Sim.Step]. So it sees every switch and every move of time, which
// jumps over ticks at which nothing happens. cond may look at everything and must change
// nothing.
//
// If virtual time would have to pass limit, or nothing can happen any more, the error
// wraps [rtos.ErrTimeout] or is a [*DeadlockError].
func (s *Sim) RunTo(cond func() bool, limit uint64) error {
	if cond == nil {
		misuse("Sim.RunTo", "nil condition")
	}
	why, err := s.drive(goal{op: "Sim.RunTo", end: limit, until: cond, settle: true})
	switch {
	case err != nil || why == met:
		return err
	case why == settled:
		return fmt.Errorf("sim: RunTo: nothing can happen any more after tick %d, and the condition does not hold: %w", s.time, rtos.ErrTimeout)
	case why == stopped:
		return fmt.Errorf("sim: RunTo: the kernel was stopped at tick %d, and the condition does not hold: %w", s.time, rtos.ErrStopped)
	}
	return fmt.Errorf("sim: RunTo: the condition does not hold by tick %d: %w", limit, rtos.ErrTimeout)
}

// Settle lets the simulation go on until nothing more can happen unless something comes
// from outside: no task is ready, no limit and no interrupt is to come. A program with a
// periodic task never settles; [Options].MaxTicks makes that an error. The error may be
// a [*DeadlockError], if tasks wait for each other.
func (s *Sim) Settle() error {
	_, err := s.drive(goal{op: "Sim.Settle", end: never, settle: true})
	return err
}

// Step does one thing: the task that has the processor runs until it gives the processor
// up or wants to work, or time moves on to the next tick at which something happens. The
// first step gives the processor to the first task. It reports false if nothing can
// happen any more.
func (s *Sim) Step() (more bool, err error) {
	why, err := s.drive(goal{op: "Sim.Step", end: never, settle: true, once: true})
	return why == met, err
}

// Close ends the kernel, if it has not ended: all tasks are unwound. It returns the first
// panic of a task, as every drive does. It may be called more than once, also after
// [rtos.Kernel.Run], and if a task has called Goexit.
func (s *Sim) Close() error {
	if s.k == nil {
		return nil
	}
	if !s.ended {
		s.refuse("Sim.Close")
		s.finish()
	}
	return s.k.Err()
}
