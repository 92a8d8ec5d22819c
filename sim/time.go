package sim

import (
	"math"
	"time"

	"github.com/tickwake/rtos"
)

// never is later than any event.
const never = math.MaxUint64

// later is n ticks after a time; it saturates.
func later(at, n uint64) uint64 {
	if n > never-at {
		return never
	}
	return at + n
}

// nextTick is the virtual time of the next tick at which something happens: a limit, an
// interrupt, a switch that is due; never if there is none. While the scheduler is
// suspended limits do not count.
func (s *Sim) nextTick() uint64 {
	at := uint64(never)
	if s.held == 0 {
		if s.owed && s.opts.Preemption == On || s.slices() {
			return s.time + 1
		}
		if len(s.alarms) > 0 {
			at = s.time + 1
			if due := s.alarms[0].at; due > s.counted {
				at = later(s.time, due-s.counted)
			}
		}
	}
	if len(s.lines) > 0 {
		at = min(at, s.lines[0].at)
	}
	return at
}

// slices tells whether equals of the current task are ready to take turns with it.
func (s *Sim) slices() bool {
	return s.opts.Preemption == On && s.opts.TimeSlicing == On && s.held == 0 &&
		s.ready.rings[s.currentPriority()].length > 1
}

// skip lets n ticks pass at which nothing happens.
func (s *Sim) skip(n uint64) {
	s.charge(n)
	s.time += n
	if s.held > 0 {
		s.pended += n
	} else {
		s.counted += n
	}
}

// charge accounts for n ticks of the processor.
func (s *Sim) charge(n uint64) {
	cur := s.current
	cur.ticks += n
	if cur.working {
		cur.work -= n
		cur.working = cur.work > 0
	}
	s.livelock.moved()
}

// tickInterrupt is one tick: the kernel's, then the interrupts of that time, then the
// choice that they made due.
func (s *Sim) tickInterrupt() {
	s.charge(1)
	s.time++
	due := false
	if s.held > 0 {
		s.pended++
	} else {
		due = s.countTick()
	}
	for len(s.lines) > 0 && s.lines[0].at <= s.time && s.halt == going {
		irq := s.lines[0].irq
		s.lines.remove(s.lines[0])
		woken := s.raise(irq)
		due = due || woken && !irq.noYield
	}
	switch {
	case !due && s.current.ring != nil:
	case s.held > 0:
		s.owed = true
	default:
		s.choose() // also if an interrupt has suspended the current task
	}
}

// countTick is the kernel's part of a tick: the limits that end, and whether a switch is
// due.
func (s *Sim) countTick() (due bool) {
	s.counted++
	for len(s.alarms) > 0 && s.alarms[0].at <= s.counted {
		st := s.alarms[0].task
		s.alarms.remove(&st.alarm)
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

// catchUp processes the ticks that passed while the scheduler was suspended, all at once:
// the limits that ended meanwhile end in the order in which they would have, and the last
// tick tells as well as the others whether equals take turns.
func (s *Sim) catchUp() {
	if s.pended == 0 {
		return
	}
	s.counted += s.pended - 1
	s.pended = 0
	if s.countTick() {
		s.owed = true
	}
}

// Arm implements [rtos.Port]; deadlines are rounded up to ticks.
func (s *Sim) Arm(t *rtos.Task, epoch uint64, deadline time.Duration) {
	st := s.slots[t.Slot()]
	st.epoch = epoch
	s.alarms.remove(&st.alarm)
	st.alarm.at = uint64((deadline-1)/s.tick) + 1
	s.schedule(&s.alarms, &st.alarm)
}

// schedule puts e in, after those of its time that are in already.
func (s *Sim) schedule(h *events, e *event) {
	e.order = s.orders
	s.orders++
	h.push(e)
}

// Disarm implements [rtos.Port].
func (s *Sim) Disarm(t *rtos.Task) { s.alarms.remove(&s.slots[t.Slot()].alarm) }

// Spin implements [rtos.Port]: nothing in virtual time is gained by spinning.
func (s *Sim) Spin(*rtos.Task, int) bool { return false }

// Work implements [rtos.Port]: the driver lets ticks happen while t has the processor.
func (s *Sim) Work(t *rtos.Task, d time.Duration) {
	st := s.slots[t.Slot()]
	switch {
	case s.active != st:
		panic(&rtos.MisuseError{Op: "Task.Work", Task: t.Name(), Reason: "not called by the task itself"})
	case d <= 0:
		return
	case st.dying:
		_ = t.Checkpoint()
		return
	}
	n := uint64((d-1)/s.tick) + 1
	if s.undisturbed(n) {
		s.skip(n)
		return
	}
	st.work, st.working = n, true
	s.wait(st)
	st.work, st.working = 0, false // should it be cut short
}

// undisturbed tells whether nothing happens in the next n ticks and nobody looks, so that
// they may pass without the driver.
func (s *Sim) undisturbed(n uint64) bool {
	end := later(s.time, n)
	return end < s.nextTick() && end <= s.goal.end && s.goal.until == nil && !s.goal.once &&
		s.pace.tick == 0 && len(s.contexts) == 0 && s.halt == going && s.killing == 0 &&
		!s.called.Load() && !s.k.Stopping() && preempted
}
