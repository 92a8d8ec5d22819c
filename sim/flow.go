package sim

import "runtime"

// A flow is a goroutine of the simulation: a task's, or the driver's. One of them runs;
// each of the others stands in a place.
//
// A place is a coroutine of package iter, whose two ends, next and yield, are called in
// turn. Each lets the goroutine that stands there go on and puts its caller there instead;
// whose goroutines these are is all the same to package iter, as long as they do not call
// at the same time. So a flow lets any other one go on, by a single switch and past the
// driver, and takes over its place. The fields are where the flow stands, or stood last.
type flow struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	turned bool // it came by resume, so that yield is the end to call

	// What else a switch looks at.
	inside  bool   // it has been let go on and has not given way
	dying   bool   // let go on to unwind
	working bool   // it still wants processor time
	number  uint32 // for the watchdog
}

// swap has me take the place of to. Then me must call its resume if the answer is true,
// else its yield.
func (me *flow) swap(to *flow) bool {
	me.resume, me.yield, me.turned = to.resume, to.yield, !to.turned
	return me.turned
}

// pass lets to go on instead of me.
func (me *flow) pass(to *flow) {
	if me.swap(to) {
		me.resume()
	} else {
		me.yield(struct{}{})
	}
}

// flowOf is the flow of the task that is active, or the driver's.
func (s *Sim) flowOf(active *simTask) *flow {
	if active == nil {
		return &s.idle.flow
	}
	return &active.flow
}

// await passes until what runs is active again. When a task has ended, whoever stands
// in its place goes on: by mistake, unless he is the one who is to.
func (s *Sim) await(me *simTask) {
	for s.active != me {
		s.flowOf(me).pass(s.flowOf(s.active))
	}
}

// direct tells whether the task to may go on at once because the driver has nothing to do.
func (s *Sim) direct(to *simTask) bool {
	return !to.working && s.halt == going && s.killing == 0 && !s.goal.stepwise &&
		!s.called.Load() && !s.k.Stopping() && (s.unhook == nil || s.goal.ctx.Err() == nil)
}

// giveWay says who goes on instead of me: the task that has the processor, if me has not
// got it, or who has let me go on. The answer is that of swap.
func (s *Sim) giveWay(me *simTask) bool {
	if s.active == me {
		me.inside = false
		to := s.current
		if to == &s.idle || to == me || !s.direct(to) {
			to = me.outer
		} else {
			to.inside = true
			s.watchdog.watch(to.number)
		}
		s.active = to
	}
	return me.swap(s.flowOf(s.active))
}

// letIn says that st goes on instead of the driver, and is swap for the two.
func (s *Sim) letIn(st *simTask) bool {
	s.active, st.inside = st, true
	s.watchdog.watch(st.number)
	return s.idle.swap(&st.flow)
}

// enter lets st go on until it gives way.
func (s *Sim) enter(st *simTask) {
	outer := s.active
	st.outer = outer
	s.active, st.inside = st, true
	s.watchdog.watch(st.number)
	s.await(outer)
	st.outer = nil
	s.rethrow()
	if outer != nil {
		s.watchdog.watch(outer.number)
	}
}

// thrown is a panic or Goexit that has left a task, and goes on in who let it run.
type thrown struct {
	goexit bool
	value  any
}

// rethrow goes on with it.
func (s *Sim) rethrow() {
	t := s.thrown
	if t == nil {
		return
	}
	s.thrown = nil
	if t.goexit {
		runtime.Goexit()
	}
	panic(t.value)
}

// live is the life of the flow of st.
func (s *Sim) live(st *simTask, body func()) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			s.thrown = &thrown{value: v}
		} else if !returned {
			s.thrown = &thrown{goexit: true}
		}
		if !st.over { // what was thrown came from the kernel's own last acts
			st.over = true
			s.forget(st)
		}
		st.inside = false
		s.active = st.outer
		if s.thrown != nil && s.thrown.goexit {
			s.linger(st)
		}
		st.resume, st.yield = nil, nil
	}()
	body()
	returned = true
}

// linger keeps a flow that a Goexit ends until there are no tasks any more: package iter
// hands the Goexit on to who stands in its place, and that may be any of them.
func (s *Sim) linger(st *simTask) {
	s.lingering = append(s.lingering, st)
	defer func() { s.lingering = without(s.lingering, st) }()
	for !s.ended {
		st.pass(s.flowOf(s.active))
	}
}

// bury lets the flows go that linger.
func (s *Sim) bury() {
	if len(s.lingering) > 0 {
		defer s.bury() // again, also if a Goexit is handed on
		s.idle.pass(&s.lingering[0].flow)
	}
}
