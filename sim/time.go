package sim

import (
	"math"

	"github.com/tickwake/rtos"
)

// nextEvent is the virtual time of the next tick at which something happens: a limit, an
// interrupt, the end of the drive. While the scheduler is suspended limits do not count.
func (s *Sim) nextEvent() (at uint64, ok bool) {
	if s.owed {
		return s.time + 1, true
	}
	at = math.MaxUint64
	if len(s.alarms) > 0 && s.held == 0 {
		at, ok = s.time+max(s.alarms[0].due-s.counted, 1), true
	}
	if len(s.lines) > 0 {
		at, ok = min(at, s.lines[0].at), true
	}
	if s.end != math.MaxUint64 && s.end+1 < at {
		at, ok = s.end+1, true
	}
	return at, ok
}

// quiet is the number of ticks for which nothing but the work of the current task
// happens.
func (s *Sim) quiet() uint64 {
	if s.owed || s.slices() {
		return 0
	}
	at, ok := s.nextEvent()
	if !ok {
		return math.MaxUint64
	}
	return at - s.time - 1
}

// skip lets ticks pass at which nothing happens.
func (s *Sim) skip(to uint64) {
	if to <= s.time {
		return
	}
	n := to - s.time
	s.time = to
	if s.held > 0 {
		s.pended += n
	} else {
		s.counted += n
	}
}

// slices tells whether equals of the current task are ready to take turns with it.
func (s *Sim) slices() bool {
	return s.opts.Preemption == On && s.opts.TimeSlicing == On && s.held == 0 &&
		s.levels[s.currentPriority()].length > 1
}

// tickInterrupt is one tick: the kernel's, then the interrupts of that time, then the
// choice that they made due.
func (s *Sim) tickInterrupt() {
	if s.time >= s.end {
		s.halted = true
		return
	}
	s.time++
	due := false
	if s.held > 0 {
		s.pended++
	} else {
		due = s.countTick()
	}
	for len(s.lines) > 0 && s.lines[0].at <= s.time {
		line := s.lines[0]
		s.lines = s.lines[1:]
		s.inInterrupt, s.interrupt = true, line.name
		if s.trace.on() {
			s.trace.line(s.time, markInterrupt, line.name, "")
		}
		woken := s.k.Interrupt(line.f)
		s.inInterrupt = false
		due = due || woken && !line.noYield
	}
	switch {
	case !due:
	case s.held > 0:
		s.owed = true
	default:
		s.choose()
	}
}

// countTick is the kernel's part of a tick: the limits that end, and whether a switch is
// due.
func (s *Sim) countTick() (due bool) {
	s.counted++
	for len(s.alarms) > 0 && s.alarms[0].due <= s.counted {
		st := s.alarms[0]
		s.alarms.drop(st)
		woke := s.woke
		s.woke = false
		st.t.Expire(st.epoch)
		due = due || s.woke
		s.woke = woke
	}
	due = due || s.owed
	if s.opts.Preemption == Off {
		return false
	}
	return due || s.slices()
}

// lookAtContexts ends the waits whose contexts are done.
func (s *Sim) lookAtContexts() {
	for _, st := range s.slots {
		if st != nil && st.context && st.t.ExpireContext() && st.t.Priority() >= s.currentPriority() {
			s.choose()
		}
	}
}

var _ rtos.Port = (*Sim)(nil)
