package sim

import (
	"iter"

	"github.com/tickwake/rtos"
)

// simTask is what the simulation knows of a task. What a switch needs is one cache line,
// and the lines of tasks that are made one after the other lie side by side: with many
// tasks a switch costs what it touches.
type simTask struct {
	next, prev *simTask // among the ready ones of its level
	flow
	t        *rtos.Task
	runs     uint64 // how often it got the processor
	*details        // the rest
}

// details is what a switch does not need.
type details struct {
	ring    *ring    // its level, nil: not ready
	prio    int      // that level
	outer   *simTask // who has let it go on, nil: the driver
	work    uint64   // ticks of processor time that it still wants
	epoch   uint64   // of the wait that alarm limits
	alarm   event
	holds   int    // its suspensions of the scheduler
	ticks   uint64 // processor time used
	over    bool
	waiting bool // with a context

	suspect suspect
}

// A block of simTasks is 512 bytes: the most for which Go's allocator puts no header of its
// own before the first one, so that each is a cache line and not parts of two.
const tasksInBlock = 8

// newSimTask takes one of the block.
func (s *Sim) newSimTask() *simTask {
	if len(s.block) == 0 {
		s.block = make([]simTask, tasksInBlock)
	}
	st := &s.block[0]
	s.block = s.block[1:]
	return st
}

// Start implements [rtos.Port].
func (s *Sim) Start(t *rtos.Task, body func()) error {
	for len(s.slots) <= t.Slot() {
		s.slots = append(s.slots, nil)
	}
	st := s.newSimTask()
	st.t, st.details = t, &details{suspect: suspect{task: t.Name()}}
	st.number = s.watchdog.know(t.Slot(), &st.suspect)
	st.alarm = event{task: st, index: noPlace}
	resume, _ := iter.Pull(func(yield func(struct{}) bool) {
		st.yield = yield
		if s.watchdog.enabled() {
			st.suspect.goroutine.Store(goroutineID())
		}
		yield(struct{}{})
		s.live(st, body)
	})
	resume() // as far as the first yield: now it stands in its place
	st.resume = resume
	s.slots[t.Slot()] = st
	s.Ready(t, rtos.FromTask)
	return nil
}

// back tells whether st may go on: it has the processor, its work is done, and nobody
// wants the driver.
func (s *Sim) back(st *simTask) bool {
	return s.current == st && s.active == st && !st.working && s.halt == going && !st.dying && !s.called.Load()
}

// wait gives the processor away until st may go on, whose coroutine calls it.
func (s *Sim) wait(st *simTask) {
	for !s.back(st) {
		if s.active == st && s.dies(st) {
			return
		}
		if s.giveWay(st) {
			st.resume()
		} else {
			st.yield(struct{}{})
		}
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
