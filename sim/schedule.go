package sim

import "github.com/tickwake/rtos"

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
	s.lookAtContexts()
	next := s.ready.top().advance()
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

// reschedule chooses again, if the scheduler is not suspended; a task that calls it
// goes on when it has the processor again.
func (s *Sim) reschedule() bool {
	switch {
	case s.killing > 0 || s.irq != nil || !s.started:
		s.woke = true
		return false
	case s.held > 0:
		s.owed = true
		return false
	}
	me := s.active
	s.choose()
	if me != nil {
		s.wait(me)
	}
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
	case s.irq != nil:
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

// Park implements [rtos.Port].
func (s *Sim) Park(t *rtos.Task) {
	st := s.slots[t.Slot()]
	if st.dying {
		_ = t.Checkpoint()
		return
	}
	s.ready.remove(st)
	if t.Context() != nil {
		s.contexts.insert(&st.waiting)
	}
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
func (s *Sim) Hold(t *rtos.Task) {
	s.held++
	s.slots[t.Slot()].holds++
}

// Release implements [rtos.Port]: the kept tasks become ready in their order, the
// remembered ticks are processed, and a switch that is due is made.
func (s *Sim) Release(t *rtos.Task) bool {
	s.slots[t.Slot()].holds--
	return s.unhold(1) && s.owed && s.opts.Preemption == On && s.reschedule()
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
	return s.unhold(1) && s.owed && s.opts.Preemption == On && s.reschedule()
}

// lookAtContexts ends the waits whose contexts are done, and reports whether a task that
// is more urgent than the current one became ready.
func (s *Sim) lookAtContexts() (due bool) {
	woke := s.woke
	s.woke = false
	for n := s.contexts.marker.next; n != &s.contexts.marker; {
		st := n.task
		n = n.next // before st leaves
		st.t.ExpireContext()
	}
	due = s.woke
	s.woke = woke
	return due
}

// contextDone tells whether a wait could end because its context is done.
func (s *Sim) contextDone() bool {
	for n := s.contexts.marker.next; n != &s.contexts.marker; n = n.next {
		if ctx := n.task.t.Context(); ctx != nil && ctx.Err() != nil {
			return true
		}
	}
	return false
}

func (s *Sim) noContext(st *simTask) {
	if st.waiting.ring != nil {
		st.waiting.remove()
	}
}
