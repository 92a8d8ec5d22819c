package sim

import (
	"iter"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/tickwake/rtos"
)

// choose advances the cursor of the highest level that has a ready task and gives the
// processor to whom it finds; what was owed is paid.
func (s *Sim) choose() {
	s.owed = false
	for p := len(s.levels) - 1; p >= 0; p-- {
		if s.levels[p].length > 0 {
			s.run(s.levels[p].advance())
			return
		}
	}
}

// reschedule chooses again, if the scheduler is not suspended; the calling task goes on
// when it has the processor again.
func (s *Sim) reschedule() bool {
	switch {
	case s.killing > 0 || s.inInterrupt || !s.started:
		s.woke = true
		return false
	case s.held > 0:
		s.owed = true
		return false
	}
	me := s.current
	s.choose()
	s.wait(me)
	return true
}

// wait gives the processor away until it is back at t, whose coroutine calls it.
func (s *Sim) wait(t *simTask) {
	for s.current != t || s.halted {
		if s.dying(t) {
			return
		}
		t.yield(struct{}{})
	}
	_ = s.dying(t)
}

// dying lets a task that was resumed in order to end hear it.
func (s *Sim) dying(t *simTask) bool {
	if !t.dying {
		return false
	}
	_ = t.t.Checkpoint()
	return true
}

// Switch implements [rtos.Port].
func (s *Sim) Switch(_ *rtos.Task, why rtos.Why) {
	woke := s.woke
	if s.killing > 0 {
		return
	}
	s.woke = false
	preempts := s.opts.Preemption == On
	switch {
	case s.current == &s.idle || s.inInterrupt:
		return
	case why == rtos.Again,
		why == rtos.Preempt && preempts,
		why == rtos.Woke && preempts && woke:
		s.reschedule()
	case why == rtos.Section:
		s.owed = s.owed || woke
		if s.owed && s.held == 0 && preempts {
			s.reschedule()
		}
	}
}

// Ready implements [rtos.Port].
func (s *Sim) Ready(t *rtos.Task, from rtos.Origin) bool {
	st := s.slots[t.Slot()]
	s.alarms.drop(st)
	st.context = false
	if from == rtos.FromISR && s.held > 0 {
		s.keep(st)
	} else {
		s.insert(st)
	}
	outranks := s.started && t.Priority() > s.currentPriority()
	if outranks {
		switch from {
		case rtos.FromISR:
			s.owed = true
		default:
			s.woke = true
		}
	}
	return outranks
}

func (s *Sim) currentPriority() int {
	if s.current.t == nil {
		return 0
	}
	return s.current.t.Priority()
}

func (s *Sim) insert(st *simTask) {
	st.node.remove()
	st.prio = st.t.Priority()
	s.levels[st.prio].insert(&st.node)
}

func (s *Sim) keep(st *simTask) {
	s.unkeep(st)
	s.kept = append(s.kept, st)
}

func (s *Sim) unkeep(st *simTask) {
	for i, k := range s.kept {
		if k == st {
			s.kept = append(s.kept[:i], s.kept[i+1:]...)
			return
		}
	}
}

// Start implements [rtos.Port].
func (s *Sim) Start(t *rtos.Task, body func()) error {
	for len(s.slots) <= t.Slot() {
		s.slots = append(s.slots, nil)
	}
	st := &simTask{t: t, body: body, alarm: noAlarm}
	st.node.task = st
	st.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		st.yield = yield
		body()
	})
	s.slots[t.Slot()] = st
	s.Ready(t, rtos.FromTask)
	return nil
}

// End implements [rtos.Port].
func (s *Sim) End(t *rtos.Task) {
	st := s.slots[t.Slot()]
	st.over = true
	s.forget(st)
	if s.current == st {
		s.choose()
	}
}

func (s *Sim) forget(st *simTask) {
	st.node.remove()
	s.unkeep(st)
	s.alarms.drop(st)
	st.context = false
}

// Unwind implements [rtos.Port]: a panic that the kernel knows, because a coroutine
// would hand a Goexit on to the scheduler. Deferred functions that call the kernel
// come here again, with the panic still on the stack; a recover that swallowed it
// has taken it off, and meets it again.
func (s *Sim) Unwind(t *rtos.Task) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.gopanic") || strings.HasPrefix(f.Function, "runtime.Goexit") {
			return
		}
		if !more {
			break
		}
	}
	t.PanicUnwind()
}

// Evict implements [rtos.Port].
func (s *Sim) Evict(t *rtos.Task) { s.forget(s.slots[t.Slot()]) }

// Kill implements [rtos.Port]: the task unwinds in its own coroutine, now.
func (s *Sim) Kill(t *rtos.Task) {
	st := s.slots[t.Slot()]
	if st.over || st.dying {
		return
	}
	woke := s.woke
	st.dying = true
	s.killing++
	for !st.over {
		st.resume()
	}
	s.killing--
	s.woke = s.woke || woke
}

// Park implements [rtos.Port].
func (s *Sim) Park(t *rtos.Task) {
	st := s.slots[t.Slot()]
	if st.dying {
		_ = t.Checkpoint()
		return
	}
	st.node.remove()
	st.context = t.Context() != nil
	s.woke = false
	s.choose()
	s.wait(st)
}

// Retune implements [rtos.Port].
func (s *Sim) Retune(t *rtos.Task) {
	if st := s.slots[t.Slot()]; st.node.ring != nil {
		s.insert(st)
	}
}

// Hold implements [rtos.Port].
func (s *Sim) Hold(*rtos.Task) { s.held++ }

// Release implements [rtos.Port]: the kept tasks become ready in their order, the
// remembered ticks are processed one by one, and a switch that is due is made.
func (s *Sim) Release(*rtos.Task) bool {
	if s.held--; s.held > 0 {
		return false
	}
	for _, st := range s.kept {
		s.insert(st)
		if st.t.Priority() > s.currentPriority() {
			s.owed = true
		}
	}
	s.kept = nil
	for ; s.pended > 0; s.pended-- {
		if s.countTick() {
			s.owed = true
		}
	}
	s.woke = false
	return s.owed && s.opts.Preemption == On && s.reschedule()
}

// Arm implements [rtos.Port]; deadlines are rounded up to ticks.
func (s *Sim) Arm(t *rtos.Task, epoch uint64, deadline time.Duration) {
	st := s.slots[t.Slot()]
	st.epoch = epoch
	st.due = uint64((deadline-1)/s.tick) + 1
	st.order = s.orders
	s.orders++
	s.alarms.set(st)
}

// Disarm implements [rtos.Port].
func (s *Sim) Disarm(t *rtos.Task) { s.alarms.drop(s.slots[t.Slot()]) }

// Spin implements [rtos.Port]: nothing in virtual time is gained by spinning.
func (s *Sim) Spin(*rtos.Task, int) bool { return false }

// Work implements [rtos.Port]: it lets ticks happen while t has the processor.
func (s *Sim) Work(t *rtos.Task, d time.Duration) {
	st := s.slots[t.Slot()]
	if d > 0 && d > math.MaxInt64-s.tick {
		d = math.MaxInt64 - s.tick
	}
	for n := uint64((d + s.tick - 1) / s.tick); n > 0; {
		if st.dying {
			_ = t.Checkpoint()
			return
		}
		if jump := s.quiet(); jump > 0 {
			jump = min(jump, n-1)
			s.skip(s.time + jump)
			n -= jump
		}
		s.tickInterrupt()
		if !s.halted {
			n--
		}
		s.wait(st)
	}
}
