package sim

import (
	"slices"

	"github.com/tickwake/rtos"
)

// begin picks the first task: the most urgent, the last made of equals. The cursor of
// its level is not advanced.
func (s *Sim) begin() {
	s.started = true
	s.shuffle()
	s.ready.insert(&s.idle)
	s.current = nil // so that a start with idle is told, too
	s.run(s.ready.top().last())
}

// choose advances the cursor of the highest level that has a ready task and gives the
// processor to whom it finds; what was owed is paid.
func (s *Sim) choose() {
	s.owed = false
	if len(s.contexts) > 0 {
		s.lookAtContexts()
	}
	next := s.ready.top().advance()
	if !preempted {
		s.called.Store(true) // so that the driver, and other goroutines, have their turn
	}
	if s.livelock.count(next) {
		s.livelocked()
	}
	s.run(next)
}

// run gives the processor to st.
func (s *Sim) run(st *simTask) {
	if s.current == st {
		return
	}
	from := s.current
	s.current = st
	s.switches++
	st.runs++
	if s.trace.on() {
		s.traceSwitch(from, st)
	}
	if s.opts.OnSwitch != nil {
		s.opts.OnSwitch(st.t)
	}
}

// rechoose chooses again, if the scheduler is not suspended.
func (s *Sim) rechoose() bool {
	switch {
	case s.killing > 0 || s.irq != nil || !s.started:
		s.woke = true
		return false
	case s.held > 0:
		s.owed = true
		return false
	}
	s.choose()
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
	case s.irq != nil: // the end of the interrupt chooses
		s.woke = woke || why == rtos.Preempt
		return
	case why == rtos.Again,
		why == rtos.Preempt && preempts,
		why == rtos.Woke && preempts && woke:
	case why == rtos.Section:
		s.owed = s.owed || woke
		if !s.owed || s.held > 0 || !preempts {
			return
		}
	default:
		return
	}
	// The switch is made right here: of each call that a switch lies in, the processor
	// mispredicts the return.
	if me := s.active; s.rechoose() && me != nil && !s.back(me) {
		switch {
		case me.dying:
		case s.giveWay(me):
			me.resume()
		default:
			me.yield(struct{}{})
		}
		if !s.back(me) {
			s.wait(me)
		}
	}
}

// Ready implements [rtos.Port].
func (s *Sim) Ready(t *rtos.Task, from rtos.Origin) bool {
	st := s.slots[t.Slot()]
	s.alarms.remove(&st.alarm)
	s.noContext(st)
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

// insert makes st ready, last of its level.
func (s *Sim) insert(st *simTask) {
	s.ready.remove(st)
	st.prio = st.t.Priority()
	s.ready.insert(st)
}

// keep remembers to make st ready when the scheduler is resumed.
func (s *Sim) keep(st *simTask) { s.kept = append(without(s.kept, st), st) }

// Park implements [rtos.Port].
func (s *Sim) Park(t *rtos.Task) {
	st := s.slots[t.Slot()]
	if st.dying {
		_ = t.Checkpoint()
		return
	}
	s.ready.remove(st)
	if t.Context() != nil {
		st.waiting = true
		s.contexts = append(s.contexts, st)
	}
	s.woke = false
	s.choose()
	if !s.back(st) {
		if s.giveWay(st) { // see Switch
			st.resume()
		} else {
			st.yield(struct{}{})
		}
		if !s.back(st) {
			s.wait(st)
		}
	}
}

// Retune implements [rtos.Port].
func (s *Sim) Retune(t *rtos.Task) {
	if st := s.slots[t.Slot()]; st.ring != nil {
		s.insert(st)
	}
}

// Hold implements [rtos.Port].
func (s *Sim) Hold(t *rtos.Task) {
	s.held++
	s.slots[t.Slot()].holds++
}

// Release implements [rtos.Port]: the kept tasks become ready in their order, the
// remembered ticks are processed, and a switch that is due is made.
func (s *Sim) Release(t *rtos.Task) bool {
	s.slots[t.Slot()].holds--
	return s.unhold(1) && s.switchOwed()
}

// switchOwed makes the switch that is owed, if there is one.
func (s *Sim) switchOwed() bool {
	if !s.owed || s.opts.Preemption == Off || !s.rechoose() {
		return false
	}
	if s.active != nil {
		s.wait(s.active)
	}
	return true
}

// unhold ends n suspensions of the scheduler and reports whether they were the last.
func (s *Sim) unhold(n int) bool {
	if s.held -= n; s.held > 0 {
		return false
	}
	for _, st := range s.kept {
		s.insert(st)
		if st.t.Priority() > s.currentPriority() {
			s.owed = true
		}
	}
	s.kept = nil
	s.catchUp()
	s.woke = false
	return true
}

// CatchUp adds n ticks at once, as if they had been missed, and reports whether a
// switch took place. Called by a task. Mirrors xTaskCatchUpTicks.
func (s *Sim) CatchUp(n uint32) bool {
	if s.active == nil {
		misuse("Sim.CatchUp", "not called by a task")
	}
	s.held++
	s.pended += uint64(n)
	return s.unhold(1) && s.switchOwed()
}

// lookAtContexts ends the waits whose contexts are done, and reports whether a task that
// is more urgent than the current one became ready.
func (s *Sim) lookAtContexts() (due bool) {
	woke := s.woke
	s.woke = false
	for i := 0; i < len(s.contexts); {
		if !s.contexts[i].t.ExpireContext() { // who does not wait any more has left
			i++
		}
	}
	due = s.woke
	s.woke = woke
	return due
}

// contextDone tells whether a wait could end because its context is done.
func (s *Sim) contextDone() bool {
	for _, st := range s.contexts {
		if ctx := st.t.Context(); ctx != nil && ctx.Err() != nil {
			return true
		}
	}
	return false
}

func (s *Sim) noContext(st *simTask) {
	if st.waiting {
		st.waiting = false
		s.contexts = without(s.contexts, st)
	}
}

// without takes st out of a list, if it is in.
func without(list []*simTask, st *simTask) []*simTask {
	if i := slices.Index(list, st); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
