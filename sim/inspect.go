package sim

import (
	"time"

	"github.com/tickwake/rtos"
)

// Time is the number of tick interrupts since the start: virtual time. It goes on
// while the scheduler is suspended, unlike the tick count.
func (s *Sim) Time() uint64 { return s.time }

// TickCount is the kernel's tick count.
func (s *Sim) TickCount() rtos.Ticks { return s.opts.StartTick + rtos.Ticks(s.counted) }

// Now implements [rtos.Port]: the ticks that the kernel has counted.
func (s *Sim) Now() time.Duration { return s.k.Ticks(s.counted) }

// Current is the task that has the processor, nil for idle and before the start.
func (s *Sim) Current() *rtos.Task {
	if !s.started {
		return nil
	}
	return s.current.t
}

// Running is the task that each core runs, nil for idle and before the start.
func (s *Sim) Running() []*rtos.Task { return []*rtos.Task{s.Current()} }

// NextEvent is the virtual time at which something happens next: Time() if a task is
// about to run, else a tick ahead; false if nothing can happen any more. To be called by
// the driver between runs.
func (s *Sim) NextEvent() (tick uint64, ok bool) {
	if s.k == nil || s.ended || s.k.Stopping() {
		return 0, false
	}
	s.takeIn()
	switch at := s.nextTick(); {
	case !s.started, s.runnable(), s.contextDone():
		return s.time, true
	case s.current.working:
		return min(at, later(s.time, s.current.work)), true
	case at == never:
		return 0, false
	default:
		return at, true
	}
}

// runnable tells whether something happens before time moves on.
func (s *Sim) runnable() bool {
	if s.current == &s.idle {
		return s.idleGivesWay()
	}
	return !s.current.working
}
