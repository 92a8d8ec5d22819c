//go:build explore

package rtos

import (
	"slices"
	"time"
)

// overdueBodies is hand-overs: a waiter that was overtaken by a less urgent task, with few
// steps to choose from up to there.
func init() { bodies = slices.Concat(bodies, overdueBodies) }

// overtaker builds a task that lets the other one wait for m, takes m before it again, and
// gives it when the other one waits as overdue.
func (x *bench) overtaker(m *Mutex, other **Task, inside func(t *Task)) {
	x.task("overtaker", low, func(t *Task) {
		x.must(m.Lock(t))
		x.until(func() bool { return x.port.parkedOrEnded(*other) })
		x.must(m.Unlock(t))
		x.must(m.Lock(t))
		x.until(func() bool { return m.o.word.Load()&overdueBit != 0 || x.w.Quiet() })
		inside(t)
		x.must(m.Unlock(t))
	})
}

// overtaken builds a task that takes m by wait, is woken, finds it taken again and waits
// for it as overdue, and another one that also wants it.
func (x *bench) overtaken(wait func(t *Task, m *Mutex) bool) *Task {
	m, s := x.mutex(), x.section()
	var w *Task
	x.overtaker(m, &w, s.enter)
	w = x.task("overtaken", high, func(t *Task) {
		if wait(t, m) {
			defer func() { x.must(m.Unlock(t)) }()
			s.enter(t)
		}
	})
	x.task("other", middle, func(t *Task) {
		x.must(m.Lock(t))
		s.enter(t)
		x.must(m.Unlock(t))
	})
	return w
}

var overdueBodies = []body{
	{name: "overdue/handed over", preempt: 2, build: func(x *bench) {
		x.overtaken(func(t *Task, m *Mutex) bool { return x.must(m.Lock(t)) })
	}},
	{name: "overdue/a more urgent one comes", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		var w *Task
		x.overtaker(m, &w, func(*Task) { x.waiter("urgent", high, m) })
		w = x.user("overtaken", middle, false, m)
	}},
	{name: "overdue/limit", preempt: 2, build: func(x *bench) {
		x.overtaken(func(t *Task, m *Mutex) bool { return x.must(m.LockFor(t, time.Second), nil, ErrTimeout) })
	}},
	{name: "overdue/abort", preempt: 2, build: func(x *bench) {
		w := x.overtaken(func(t *Task, m *Mutex) bool { return x.must(m.Lock(t), nil, ErrAborted) })
		x.outside("aborter", func() {
			x.until(func() bool { return w.w.overdue.Load() != 0 || x.w.Quiet() })
			w.AbortDelay()
		})
	}},
	{name: "overdue/suspend", preempt: 2, build: func(x *bench) {
		w := x.overtaken(func(t *Task, m *Mutex) bool { return x.must(m.Lock(t)) })
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "overdue/delete", preempt: 2, build: func(x *bench) {
		w := x.overtaken(func(t *Task, m *Mutex) bool { return m.Lock(t) == nil })
		x.outside("deleter", w.Delete)
	}},
	{name: "overdue/holds another", preempt: 2, build: func(x *bench) {
		own := x.mutex()
		x.overtaken(func(t *Task, m *Mutex) bool {
			x.must(own.Lock(t))
			x.must(m.Lock(t))
			x.must(own.Unlock(t))
			return true
		})
		x.waiter("behind", high, own)
	}},
	// Who is handed a second mutex holds two: a limit on the first takes nothing back.
	{name: "overdue/handed a second one", preempt: 1, build: func(x *bench) {
		own, m := x.mutex(), x.mutex()
		var w *Task
		x.overtaker(m, &w, func(*Task) {})
		w = x.task("overtaken", middle, func(t *Task) {
			x.must(own.Lock(t))
			x.impatient("behind", high, own)
			x.must(m.Lock(t))
			x.waiter("urgent", high, m)
			x.holds(t, false, own, m)
			x.must(m.Unlock(t))
			x.must(own.Unlock(t))
		})
	}},
	// Who hands over one of two holds one: a limit on the other takes back what was lent.
	{name: "overdue/handed over by a holder of two", preempt: 1, build: func(x *bench) {
		own, m := x.mutex(), x.mutex()
		x.task("overtaker", low, func(t *Task) {
			x.must(own.Lock(t))
			x.must(m.Lock(t))
			x.until(x.w.Quiet)
			for range maxOvertaken {
				x.must(m.Unlock(t))
				x.must(m.Lock(t))
				x.until(x.w.Quiet)
			}
			x.must(m.Unlock(t))
			x.impatient("behind", high, own)
			x.holds(t, true, own)
			x.must(own.Unlock(t))
		})
		x.waiter("overtaken", low, m)
	}},
}
