//go:build explore

package rtos

import (
	"slices"
	"time"
)

// loanBodies is what holders of mutexes have inherited whenever nobody else can go on: at
// least the priority of everyone who waits for what they hold.
func init() { bodies = slices.Concat(bodies, loanBodies) }

// holds waits until nobody else can go on and looks at the priority of t, which holds the
// mutexes. An exact one has nothing that nobody lends.
func (x *bench) holds(t *Task, exact bool, mutexes ...*Mutex) {
	x.until(x.w.Quiet)
	x.looks(t, exact, mutexes...)
}

func (x *bench) looks(t *Task, exact bool, mutexes ...*Mutex) {
	x.w.Look(func() {
		due := t.BasePriority()
		for _, q := range x.tasks {
			for _, m := range mutexes {
				if stateOf(q.w.word.Load()) == stWaiting && q.w.obj.Load() == &m.o {
					due = max(due, int(q.w.rank.Load()>>ticketBits))
				}
			}
		}
		if p := t.Priority(); p < due || exact && p != due {
			x.failf("%s has priority %d, due are %d", t.name, p, due)
		}
	})
}

// user takes the mutex, holds it until the others wait, and gives it.
func (x *bench) user(name string, prio int, exact bool, m *Mutex) *Task {
	return x.task(name, prio, func(t *Task) {
		x.must(m.Lock(t))
		x.holds(t, exact, m)
		x.must(m.Unlock(t))
	})
}

func (x *bench) limitedUser(name string, prio int, m *Mutex) *Task {
	return x.task(name, prio, func(t *Task) {
		if x.must(m.LockFor(t, time.Second), nil, ErrTimeout) {
			x.holds(t, true, m)
			x.must(m.Unlock(t))
		}
	})
}

var loanBodies = []body{
	{name: "loan/three", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, true, m)
		x.user("b", middle, true, m)
		x.user("c", high, true, m)
	}},
	{name: "loan/limit", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, true, m)
		x.user("b", middle, true, m)
		x.limitedUser("c", high, m)
	}},
	{name: "loan/limit among three", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.task("a", low, func(t *Task) {
			x.must(m.Lock(t))
			x.until(x.w.Quiet)
			x.must(m.Unlock(t))
		})
		x.waiter("b", middle, m)
		x.waiter("c", middle, m)
		x.impatient("d", high, m)
	}},
	{name: "loan/two limits", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, true, m)
		x.limitedUser("b", middle, m)
		x.limitedUser("c", high, m)
	}},
	{name: "loan/again", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.task("a", low, func(t *Task) {
			for range 3 {
				x.must(m.Lock(t))
				x.must(m.Unlock(t))
			}
			x.must(m.Lock(t))
			x.holds(t, true, m)
			x.must(m.Unlock(t))
		})
		x.user("b", middle, true, m)
		x.user("c", high, true, m)
	}},
	{name: "loan/abort", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, true, m)
		x.user("b", middle, true, m)
		w := x.task("c", high, func(t *Task) {
			if x.must(m.Lock(t), nil, ErrAborted) {
				x.holds(t, true, m)
				x.must(m.Unlock(t))
			}
		})
		x.outside("aborter", func() { w.AbortDelay() })
	}},
	{name: "loan/suspend", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, false, m)
		x.user("b", middle, false, m)
		w := x.user("c", high, false, m)
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "loan/delete", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.user("a", low, false, m)
		x.user("b", middle, false, m)
		w := x.task("c", high, func(t *Task) {
			if m.Lock(t) == nil {
				defer m.Unlock(t)
			}
		})
		x.outside("deleter", w.Delete)
	}},
	// It is given before the waiter is counted, and taken again before the waiter lends.
	{name: "loan/taken again", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.task("a", low, func(t *Task) {
			x.must(m.Lock(t))
			x.until(func() bool { return x.k.ticket.Load() > 0 || x.w.Quiet() })
			x.must(m.Unlock(t))
			x.until(func() bool { return waitersIn(m.o.word.Load()) > 0 || x.w.Quiet() })
			x.must(m.Lock(t))
			x.holds(t, true, m)
			x.must(m.Unlock(t))
		})
		x.waiter("b", high, m)
	}},
	{name: "loan/priority", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		a := x.user("a", low, false, m)
		x.user("b", high, false, m)
		x.outside("setter", func() { a.SetPriority(middle) })
		x.w.Check(func() error {
			if a.BasePriority() != middle {
				x.failf("the base is %d", a.BasePriority())
			}
			return nil
		})
	}},
	// The end of a loan leaves the base as it is, whoever sets it just then.
	{name: "loan/priority when it ends", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		a := x.task("a", low, func(t *Task) {
			x.must(m.Lock(t))
			x.until(x.w.Quiet)
			x.outside("setter", func() { t.SetPriority(middle) })
			x.must(m.Unlock(t))
		})
		x.waiter("b", high, m)
		x.w.Check(func() error {
			if a.BasePriority() != middle {
				x.failf("the base is %d", a.BasePriority())
			}
			return nil
		})
	}},
	{name: "loan/second mutex", preempt: 3, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		x.task("a", low, func(t *Task) {
			x.must(m1.Lock(t))
			x.must(m2.Lock(t))
			x.holds(t, false, m1, m2)
			x.must(m2.Unlock(t))
			x.holds(t, false, m1)
			x.must(m1.Unlock(t))
		})
		x.impatient("b", high, m1)
		x.waiter("c", middle, m2)
	}},
	{name: "loan/waits with one", preempt: 2, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		x.waiter("holder", low, m2)
		x.task("a", low, func(t *Task) {
			x.must(m1.Lock(t))
			both := x.must(m2.LockFor(t, time.Second), nil, ErrTimeout)
			if both {
				x.holds(t, false, m1, m2)
				x.must(m2.Unlock(t))
			}
			x.holds(t, !both, m1) // while it held both a limit took nothing back
			x.must(m1.Unlock(t))
		})
		x.impatient("b", high, m1)
		x.waiter("c", middle, m1)
	}},
	// Whoever leaves its wait for the second mutex has to see what others lend meanwhile.
	{name: "loan/second after a wait", preempt: 2, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		var a *Task
		x.task("holder", low, func(t *Task) {
			x.must(m2.Lock(t))
			x.until(x.w.Quiet)
			if a.holds == m1 && x.port.threads[a].Parked() {
				x.looks(a, true, m1)
			}
			x.must(m2.Unlock(t))
		})
		a = x.task("a", low, func(t *Task) {
			x.must(m1.Lock(t))
			if x.must(m2.LockFor(t, time.Second), nil, ErrTimeout) {
				x.holds(t, false, m1, m2)
				x.must(m2.Unlock(t))
			}
			x.must(m1.Unlock(t))
		})
		x.impatient("b", high, m1)
		x.waiter("c", middle, m2)
	}},
	// Whose wait is over may still find the mutex free, and then holds two as anybody else.
	{name: "loan/second at the last moment", preempt: 2, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		var a *Task
		x.task("holder", low, func(t *Task) {
			x.must(m2.Lock(t))
			x.until(x.w.Quiet)
			a.AbortDelay()
			x.until(func() bool { return nestOf(a.prio.Load()) == nestMany || x.w.Quiet() })
			x.must(m2.Unlock(t))
		})
		a = x.task("a", low, func(t *Task) {
			x.must(m1.Lock(t))
			if x.must(m2.Lock(t), nil, ErrAborted) {
				x.impatient("b", middle, m1)
				x.waiter("c", high, m2)
				x.holds(t, false, m1, m2)
				x.must(m2.Unlock(t))
			}
			x.must(m1.Unlock(t))
		})
	}},
	// The one who is woken is stopped before it runs, and somebody is faster.
	{name: "loan/suspended when woken", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.stoppedWhenWoken(m, (*Task).Suspend, func(t *Task) { x.holds(t, false, m) }, (*Task).Resume)
	}},
	{name: "loan/deleted when woken", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.stoppedWhenWoken(m, (*Task).Delete, func(t *Task) { x.holds(t, false, m) }, func(*Task) {})
	}},
	{name: "loan/second try fails", preempt: 2, build: func(x *bench) {
		x.second(func(t *Task, m *Mutex) bool { return m.TryLock(t) })
	}},
	{name: "loan/second wait ends", preempt: 2, build: func(x *bench) {
		x.second(func(t *Task, m *Mutex) bool { return x.must(m.LockFor(t, time.Second), nil, ErrTimeout) })
	}},
}

// stoppedWhenWoken builds a holder that stops the waiter which it has woken, looks, and
// lets it go on.
func (x *bench) stoppedWhenWoken(m *Mutex, stop func(*Task), look func(*Task), goOn func(*Task)) {
	w := x.task("stopped", high, func(t *Task) {
		if m.Lock(t) == nil {
			defer func() { x.must(m.Unlock(t)) }()
		}
	})
	x.waiter("other", middle, m)
	x.task("holder", low, func(t *Task) {
		x.must(m.Lock(t))
		x.until(x.w.Quiet)
		x.must(m.Unlock(t))
		stop(w)
		if m.TryLock(t) {
			look(t)
			x.must(m.Unlock(t))
		}
		x.until(x.w.Quiet)
		goOn(w)
	})
}

// second builds a task that holds a mutex and tries another one, which is held already,
// while somebody waits for the first for a time.
func (x *bench) second(try func(t *Task, m *Mutex) bool) {
	m1, m2 := x.mutex(), x.mutex()
	holder := x.task("holder", low, func(t *Task) {
		x.must(m2.Lock(t))
		_, err := t.NotifyTake(true, Forever)
		x.must(err)
		x.must(m2.Unlock(t))
	})
	x.task("a", low, func(t *Task) {
		x.must(m1.Lock(t))
		both := try(t, m2)
		if both {
			x.must(m2.Unlock(t))
		}
		x.holds(t, !both, m1)
		x.must(m1.Unlock(t))
		x.must(holder.NotifyGive())
	})
	x.impatient("b", high, m1)
}
