package sim

import (
	"iter"

	"github.com/tickwake/rtos"
)

// simTask is what the simulation knows of a task: a coroutine, which runs while it is
// the current one.
type simTask struct {
	// What a switch needs comes first, in one cache line.
	next, prev *simTask // among the ready ones of its level
	ring       *ring    // that level, nil: not ready
	resume     func() (struct{}, bool)
	yield      func(struct{}) bool
	work       uint64 // ticks of processor time that it still wants
	runs       uint64 // how often it got the processor
	number     uint32 // for the watchdog
	inside     bool   // its coroutine has been resumed and has not yielded
	dying      bool   // resumed to unwind
	over       bool
	waiting    bool // with a context

	t     *rtos.Task
	prio  int    // its level
	epoch uint64 // of the wait that alarm limits
	alarm event
	holds int    // its suspensions of the scheduler
	ticks uint64 // processor time used

	suspect suspect
}

// Start implements [rtos.Port].
func (s *Sim) Start(t *rtos.Task, body func()) error {
	for len(s.slots) <= t.Slot() {
		s.slots = append(s.slots, nil)
	}
	st := &simTask{t: t, suspect: suspect{task: t.Name()}}
	st.number = s.watchdog.know(t.Slot(), &st.suspect)
	st.alarm = event{task: st, index: noPlace}
	st.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		st.yield = yield
		if s.watchdog.enabled() {
			st.suspect.goroutine.Store(goroutineID())
		}
		body()
	})
	s.slots[t.Slot()] = st
	s.Ready(t, rtos.FromTask)
	return nil
}

// enter lets the coroutine of st run until it yields.
func (s *Sim) enter(st *simTask) {
	outer := s.active
	s.active, st.inside = st, true
	s.watchdog.watch(st.number)
	st.resume()
	s.active, st.inside = outer, false
	if outer != nil {
		s.watchdog.watch(outer.number)
	}
}

// back tells whether st may go on: it has the processor, its work is done, and nobody
// wants the driver.
func (s *Sim) back(st *simTask) bool {
	return s.current == st && st.work == 0 && s.halt == going && !st.dying && !s.called.Load()
}

// wait gives the processor away until st may go on, whose coroutine calls it.
func (s *Sim) wait(st *simTask) {
	for !s.back(st) {
		if s.dies(st) {
			return
		}
		st.yield(struct{}{})
	}
}

// dies lets a task that was resumed in order to end hear it.
func (s *Sim) dies(st *simTask) bool {
	if !st.dying {
		return false
	}
	_ = st.t.Checkpoint()
	return true
}

// End implements [rtos.Port].
func (s *Sim) End(t *rtos.Task) {
	st := s.slots[t.Slot()]
	st.over = true
	s.past.add(st)
	s.forget(st)
	if st.holds > 0 {
		s.unhold(st.holds)
	}
	if s.current == st {
		s.choose()
	}
}

func (s *Sim) forget(st *simTask) {
	s.ready.remove(st)
	s.kept = without(s.kept, st)
	s.alarms.remove(&st.alarm)
	s.noContext(st)
}

// Unwind implements [rtos.Port]: a panic that the kernel knows, because a coroutine
// would hand a Goexit on to the scheduler.
func (s *Sim) Unwind(t *rtos.Task) { t.PanicUnwind() }

// Evict implements [rtos.Port]. If t has the processor and the call comes from outside,
// another one gets it; in an interrupt that is left to the end of the tick.
func (s *Sim) Evict(t *rtos.Task) {
	st := s.slots[t.Slot()]
	s.forget(st)
	if st == s.current && s.started && s.active == nil && s.irq == nil && s.killing == 0 && s.held == 0 {
		s.choose()
	}
}

// Kill implements [rtos.Port]: the task unwinds in its own coroutine, now.
func (s *Sim) Kill(t *rtos.Task) {
	st := s.slots[t.Slot()]
	if st.over || st.dying {
		return
	}
	st.dying = true
	if st.inside {
		return // it unwinds when it goes on
	}
	woke, outer := s.woke, s.active
	s.killing++
	defer func() { // also if it calls Goexit
		s.killing--
		s.active = outer
		s.woke = s.woke || woke
	}()
	for !st.over {
		s.enter(st)
	}
}
