//go:build explore

package explore

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A World is one run of a program.
type World struct {
	threads []*Thread
	current *Thread // who runs, nil between steps
	last    *Thread // who has taken the last step
	frozen  *Thread
	now     time.Duration
	steps   int
	spins   int // steps of threads that wait for others
	max     int
	over    bool
	ended   bool // the operation of the thread to be frozen
	err     error
	clocks  map[any]*clock // of the variables, nil if nobody asks
	names   map[any]string
	checks  []func() error
	cleanup []func()

	record func(Access) // told of accesses, if the run is traced
	path   []step
}

// ErrSteps is the failure of a run that goes on for too long.
var ErrSteps = errors.New("explore: too many steps: the threads do not come to an end")

// step is so many steps of one thread, in a schedule.
type step struct{ thread, n int }

// Go adds a thread.
func (w *World) Go(name string, body func()) *Thread {
	t := &Thread{name: name, id: len(w.threads), w: w, body: body, since: w.spins}
	if w.current != nil {
		w.current.tick()
		t.clock = w.current.clock.clone()
	}
	w.threads = append(w.threads, t)
	t.start()
	return t
}

// Timer adds a thread that begins when the clock has reached at, or later.
func (w *World) Timer(at time.Duration, name string, body func()) *Thread {
	t := w.Go(name, body)
	t.timer, t.at = true, at
	return t
}

// Cancel takes a timer back, if it has not begun.
func (w *World) Cancel(t *Thread) {
	if t.timer && t.steps == 0 && t.state == ready {
		t.state = done
		t.stop()
	}
}

// Now is the virtual time.
func (w *World) Now() time.Duration { return w.now }

// Steps is how many steps have been taken.
func (w *World) Steps() int { return w.steps }

// Current is the thread that runs, nil if none.
func (w *World) Current() *Thread { return w.current }

// Park stops the calling thread until Unpark, which may come before.
func (w *World) Park() {
	t := w.current
	if t == nil || w.over {
		panic(stopped{})
	}
	t.state = parked
	for !t.token {
		t.pause()
	}
	t.state, t.token = ready, false
	t.clock.join(t.handed)
}

// Unpark lets t go on, now or when it parks.
func (w *World) Unpark(t *Thread) {
	if t.state == done {
		return
	}
	if c := w.current; c != nil {
		c.tick()
		t.handed.join(c.clock)
	}
	if !t.token {
		t.token, t.since = true, w.spins
	}
}

// Step lets others come first; a thread calls it before whatever they can notice.
func (w *World) Step() {
	if t := w.current; t != nil {
		t.pause()
	}
}

// Spin is a step of a thread that waits for others: it takes no other before they have, and
// not for ever if there is another one that could go on.
func (w *World) Spin() {
	if t := w.current; t != nil {
		t.spun, t.idle = true, true
		w.spins++
		t.pause()
	}
}

// Quiet tells whether no thread but the calling one can go on, unless time passes or
// those go on that spin.
func (w *World) Quiet() bool {
	for _, t := range w.threads {
		if t != w.current && t != w.frozen && !t.pending() && !t.idle && t.state != done && (t.state == ready || t.token) {
			return false
		}
	}
	return true
}

// Look runs f, in which nobody else takes a step.
func (w *World) Look(f func()) {
	attach(nil)
	defer attach(w)
	f()
}

// Halted tells whether the operation has been frozen, or has ended.
func (w *World) Halted() bool { return w.frozen != nil || w.ended }

// Operation runs f as the operation of the calling thread that [Freeze] is about.
func (w *World) Operation(f func()) {
	t := w.current
	t.marked = true
	f()
	t.marked, w.ended = false, true
}

// Fail ends the run; the first error counts.
func (w *World) Fail(err error) {
	if w.err == nil && err != nil {
		w.err = err
	}
}

// Check adds what must hold when no thread can go on.
func (w *World) Check(f func() error) { w.checks = append(w.checks, f) }

// Cleanup adds what is done after the run, also after one that has failed.
func (w *World) Cleanup(f func()) { w.cleanup = append(w.cleanup, f) }

// run takes steps until nobody can or the run has failed.
func (w *World) run(choose func(options []*Thread) *Thread) {
	var options []*Thread
	for w.err == nil {
		options = w.options(options[:0])
		if len(options) == 0 {
			break
		}
		t := choose(options)
		if t == nil || w.err != nil {
			break
		}
		w.take(t)
		if w.steps > w.max {
			w.Fail(ErrSteps)
		}
	}
	for _, check := range w.checks {
		if w.err == nil {
			w.Fail(check())
		}
	}
}

// options lists who can take a step: who took the last one first, those that spin late, and
// timers last and in their order. If all spin they go on. Those that spin have to let others
// go first who could have gone on for long.
func (w *World) options(list []*Thread) []*Thread {
	unfair := slices.ContainsFunc(w.threads, (*Thread).passedOver)
	add := func(timers, idle bool) {
		for _, t := range w.threads {
			if idle && unfair && !t.passedOver() {
				continue
			}
			if (t != w.last || t.idle) && t.pending() == timers && t.idle == idle && t.enabled() {
				list = append(list, t)
			}
		}
	}
	for range 2 {
		if w.last != nil && !w.last.idle && w.last.enabled() {
			list = append(list, w.last)
		}
		add(false, false)
		add(false, true)
		if len(list) > 0 || !w.unspin() {
			break
		}
	}
	first := len(list)
	add(true, false)
	for i := first + 1; i < len(list); i++ {
		for j := i; j > first && list[j].at < list[j-1].at; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

// passedOver tells whether the threads have spun several times each since t could have gone on.
func (t *Thread) passedOver() bool {
	return !t.pending() && t.enabled() && t.w.spins-t.since > 4*len(t.w.threads)
}

// pending tells whether t is a timer that has not begun.
func (t *Thread) pending() bool { return t.timer && t.steps == 0 }

func (w *World) unspin() (some bool) {
	for _, t := range w.threads {
		some = some || t.spun
		t.spun = false
	}
	return some
}

// take lets t take a step.
func (w *World) take(t *Thread) {
	if t.pending() {
		w.now = max(w.now, t.at)
	}
	if n := len(w.path); n > 0 && w.path[n-1].thread == t.id {
		w.path[n-1].n++
	} else {
		w.path = append(w.path, step{t.id, 1})
	}
	w.steps++
	t.steps++
	w.current, w.last = t, t
	t.idle, t.since = false, w.spins
	t.resume()
	if t.marked {
		t.inOp++
	}
	w.current = nil
	for _, o := range w.threads {
		if o != t {
			o.spun = false
		}
	}
}

// end unwinds who is left.
func (w *World) end() {
	w.over = true
	for _, t := range w.threads {
		if t.state != done {
			t.stop()
		}
	}
	for _, f := range w.cleanup {
		f()
	}
}

// Stuck names the threads that have not ended, for checks.
func (w *World) Stuck() error {
	var names []string
	for _, t := range w.threads {
		if t.state != done && t != w.frozen && !t.pending() {
			names = append(names, t.name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("never ends: %v", names)
	}
	return nil
}
