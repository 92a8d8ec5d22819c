//go:build explore

package explore

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A Program builds the threads of a run. It must do the same each time.
type Program func(w *World)

// A Search decides schedules.
type Search interface {
	// begin prepares the next run, false: there is none.
	begin() bool
	// choose picks one of several threads. The first is the one that took the last step, if
	// free is false.
	choose(options []*Thread, free bool) *Thread
}

// Limits bounds a search.
type Limits struct {
	Steps int           // of one run; 10,000 if 0
	Runs  int           // 0: any number
	Time  time.Duration // 0: any
}

// A Failure is a run that went wrong.
type Failure struct {
	Err      error
	Schedule string
	Trace    []Access
}

// Result says what a search has done.
type Result struct {
	Runs, Steps int
	Longest     int
	Took        time.Duration
	Complete    bool // the search has come to its end
	Failure     *Failure
}

// Explore runs the program under the schedules of the search until one fails. The run that
// failed is repeated with a trace.
func Explore(p Program, s Search, l Limits) (r Result) {
	start := time.Now()
	defer func() { r.Took = time.Since(start) }()
	for {
		if l.Runs > 0 && r.Runs >= l.Runs || l.Time > 0 && time.Since(start) >= l.Time {
			return r
		}
		if !s.begin() {
			r.Complete = true
			return r
		}
		w := runOnce(p, l, nil, nil, func(w *World, options []*Thread) *Thread {
			if len(options) == 1 {
				return options[0]
			}
			return s.choose(options, options[0] != w.last)
		})
		r.Runs++
		r.Steps += w.steps
		r.Longest = max(r.Longest, w.steps)
		if w.err != nil {
			r.Failure = replay(p, l, w.path, w.err)
			return r
		}
	}
}

// runOnce runs the program once.
func runOnce(p Program, l Limits, record func(Access), freeze *freeze, choose func(*World, []*Thread) *Thread) *World {
	w := &World{max: l.Steps, record: record}
	if w.max == 0 {
		w.max = 10_000
	}
	attach(w)
	defer attach(nil)
	p(w)
	w.run(func(options []*Thread) *Thread {
		if freeze != nil {
			options = freeze.filter(w, options)
			if len(options) == 0 {
				return nil
			}
		}
		return choose(w, options)
	})
	w.end()
	return w
}

// Replay runs the program under one schedule and tells what happened.
func Replay(p Program, l Limits, schedule string) (*Failure, error) {
	path, err := parse(schedule)
	if err != nil {
		return nil, err
	}
	f := replay(p, l, path, nil)
	return f, nil
}

func replay(p Program, l Limits, path []step, want error) *Failure {
	f := &Failure{Schedule: format(path)}
	at, n := 0, 0
	w := runOnce(p, l, func(a Access) { f.Trace = append(f.Trace, a) }, nil, func(w *World, options []*Thread) *Thread {
		for at < len(path) && n == path[at].n {
			at, n = at+1, 0
		}
		if at == len(path) {
			return options[0] // what follows is not part of the schedule
		}
		n++
		for _, t := range options {
			if t.id == path[at].thread {
				return t
			}
		}
		w.Fail(fmt.Errorf("explore: the schedule does not fit the program: thread %d cannot go on", path[at].thread))
		return nil
	})
	f.Err = w.err
	if want != nil && (w.err == nil || w.err.Error() != want.Error()) {
		f.Err = fmt.Errorf("%w (and when repeated: %v)", want, w.err)
	}
	return f
}

// Exhaust tries every schedule with at most so many preemptions: switches away from a
// thread that could go on.
func Exhaust(preemptions int) Search { return &exhaust{bound: preemptions} }

type exhaust struct {
	bound int
	trail []point
	at    int
	used  int
	begun bool
}

// point is a decision between several threads.
type point struct {
	options, pick int
	free          bool
	used          int // preemptions before
}

func (e *exhaust) begin() bool {
	e.at, e.used = 0, 0
	if !e.begun {
		e.begun = true
		return true
	}
	for len(e.trail) > 0 {
		p := &e.trail[len(e.trail)-1]
		if p.pick+1 < p.options && (p.free || p.used < e.bound) {
			p.pick++
			return true
		}
		e.trail = e.trail[:len(e.trail)-1]
	}
	return false
}

func (e *exhaust) choose(options []*Thread, free bool) *Thread {
	if !free && e.used >= e.bound {
		return options[0]
	}
	if e.at == len(e.trail) {
		e.trail = append(e.trail, point{len(options), 0, free, e.used})
	}
	p := &e.trail[e.at]
	if p.options != len(options) || p.free != free {
		panic("explore: the program does not do the same each time")
	}
	e.at++
	if p.pick > 0 && !free {
		e.used++
	}
	return options[p.pick]
}

// Random decides by dice.
func Random(seed uint64) Search { return &random{r: rand.New(rand.NewPCG(seed, 1))} }

type random struct{ r *rand.Rand }

func (*random) begin() bool { return true }

func (s *random) choose(options []*Thread, _ bool) *Thread {
	return options[s.r.IntN(len(options))]
}

// PCT gives every thread a random priority and runs the highest; at depth-1 random steps of
// about so many it falls below all others.
func PCT(seed uint64, depth, steps int) Search {
	return &pct{r: rand.New(rand.NewPCG(seed, 2)), depth: depth, steps: steps}
}

type pct struct {
	r            *rand.Rand
	depth, steps int
	prio         map[int]int
	change       map[int]bool
	taken, low   int
}

func (s *pct) begin() bool {
	s.prio, s.change, s.taken, s.low = map[int]int{}, map[int]bool{}, 0, 0
	for range s.depth - 1 {
		s.change[s.r.IntN(s.steps)] = true
	}
	return true
}

func (s *pct) choose(options []*Thread, _ bool) *Thread {
	var best *Thread
	for _, t := range options {
		if _, known := s.prio[t.id]; !known {
			s.prio[t.id] = 1 + s.r.IntN(1<<30)
		}
		if t.idle { // who spins would keep out whom it waits for
			s.low--
			s.prio[t.id] = s.low
		}
		if best == nil || s.prio[t.id] > s.prio[best.id] {
			best = t
		}
	}
	if s.taken++; s.change[s.taken] {
		s.low--
		s.prio[best.id] = s.low
		return s.choose(options, false)
	}
	return best
}
