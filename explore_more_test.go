//go:build explore

package rtos

import (
	"context"
	"slices"
	"time"
)

// moreBodies is what the mutants of internal/mutate have asked for.
func init() { bodies = slices.Concat(bodies, moreBodies) }

func (x *bench) interrupt(name string, f func(isr *ISR)) {
	x.outside(name, func() { x.k.Interrupt(f) })
}

// suspended builds a task that waits in f when it is suspended. It is in no wait then, and
// does not go on before it is resumed, whatever is given meanwhile.
func (x *bench) suspended(f func(t *Task), give func(t *Task)) {
	var suspended bool
	w := x.task("suspended", high, func(t *Task) {
		f(t)
		if suspended {
			x.failf("it goes on although it is suspended")
		}
	})
	x.outside("suspender", func() {
		w.Suspend()
		x.until(x.w.Quiet)
		suspended = !x.port.threads[w].Done()
		if w.slot0.Load()&slotState == slotWaiting {
			x.failf("the slot of a suspended task waits")
		}
		if give != nil {
			give(w)
		}
		if w.AbortDelay() {
			x.failf("a suspended task is in a wait")
		}
		x.until(x.w.Quiet)
		suspended = false
		w.Resume()
	})
}

// outlived builds a task whose context is done after the call for which it was.
func (x *bench) outlived(wait func(context.Context, *Task) error, give func(t *Task)) {
	ctx, cancel := context.WithCancel(context.Background())
	w := x.task("waiter", high, func(t *Task) {
		x.must(wait(ctx, t))
		cancel()
		x.must(t.Delay(time.Second))
	})
	if give != nil {
		x.outside("giver", func() {
			x.until(x.w.Quiet)
			give(w)
		})
	}
}

// beforeFirstWait lets the first task that has to wait go on when f holds: it has tried in
// vain and is about to publish its wait.
func (x *bench) beforeFirstWait(f func() bool) {
	first := true
	x.k.traits.Tie = func() uint64 {
		if first {
			first = false
			x.until(func() bool { return f() || x.w.Quiet() })
		}
		return 0
	}
}

var moreBodies = []body{
	{name: "semaphore/interrupts", preempt: 3, build: func(x *bench) {
		s := x.counting(3, 0)
		x.task("taker", low, func(t *Task) { x.must(s.Take(t)) })
		taken := 0
		x.interrupt("a", func(isr *ISR) { s.GiveFromISR(isr) })
		x.interrupt("b", func(isr *ISR) { s.GiveFromISR(isr) })
		x.interrupt("c", func(isr *ISR) {
			if s.GiveFromISR(isr); s.TryTakeFromISR(isr) {
				taken++
			}
		})
		x.w.Check(func() error {
			if s.Count()+taken != 2 {
				x.failf("%d tokens are left, %d were taken", s.Count(), taken)
			}
			return nil
		})
	}},
	// Nothing that was given gets lost, whatever else is done to the slot.
	{name: "notify/values", preempt: 3, build: func(x *bench) {
		given := uint32(0)
		w := x.task("target", low, func(t *Task) { x.must(t.Delay(time.Second)) })
		x.outside("a", func() {
			for range 2 {
				if w.NotifyGive() == nil {
					given++
				}
			}
		})
		x.outside("b", func() { w.NotifyStateClear(0) })
		x.outside("c", func() { w.NotifyValueClear(0, 1<<8) })
		x.w.Check(func() error {
			if v := w.NotifyValueClear(0, 0); v != given {
				x.failf("%d given, the value is %d", given, v)
			}
			return nil
		})
	}},
	{name: "mutex/owner dies", preempt: 3, config: Config{Robust: true}, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("dies", high, func(t *Task) { x.must(m.Lock(t), nil, ErrOwnerDied) }) // nobody lends to it
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) {
				x.must(m.Lock(t), nil, ErrOwnerDied)
				s.enter(t)
				x.must(m.Unlock(t))
			})
		}
		x.w.Check(func() error {
			m.o.word.CompareAndSwap(ownerDied, 0) // if it was the last
			return nil
		})
	}},
	{name: "mutex/owners die in turn", preempt: 1, config: Config{Robust: true}, build: func(x *bench) {
		m := x.mutex()
		x.outside("spawner", func() {
			for range 3 {
				x.task("dies", low, func(t *Task) { x.must(m.Lock(t), nil, ErrOwnerDied) })
				x.until(x.w.Quiet)
			}
		})
		x.w.Check(func() error {
			n := 0
			for o := x.k.orphans.Load(); o != nil; o = o.next {
				n++
			}
			if n != 1 {
				x.failf("%d orphans are kept", n)
			}
			m.o.word.CompareAndSwap(ownerDied, 0)
			return nil
		})
	}},
	{name: "mutex/two owners die", preempt: 3, config: Config{Robust: true}, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		x.task("a", low, func(t *Task) { x.must(m1.Lock(t)) })
		x.task("b", low, func(t *Task) { x.must(m2.Lock(t)) })
		x.w.Check(func() error {
			if list := x.k.Orphans(); len(list) != 2 {
				x.failf("orphans: %v", list)
			}
			m1.o.word.CompareAndSwap(ownerDied, 0)
			m2.o.word.CompareAndSwap(ownerDied, 0)
			return nil
		})
	}},
	// Nobody gives anything before the deleted one has ended.
	{name: "mutex/delete ends a wait", preempt: 3, build: func(x *bench) {
		m := x.mutex()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			w := x.task("deleted", high, func(t *Task) { _ = m.Lock(t) })
			x.outside("deleter", w.Delete)
			x.until(x.w.Quiet)
			if !x.port.threads[w].Done() {
				x.failf("the deleted task still waits")
			}
			x.must(m.Unlock(t))
		})
	}},
	// An abort that has found a wait ends the call, even if the task is about to leave that
	// wait because the mutex was free for a moment.
	{name: "mutex/abort ends a wait", preempt: 2, build: func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		x.beforeFirstWait(m2.isFree)
		a := x.task("aborted", high, func(t *Task) {
			x.must(m1.Lock(t))
			if x.must(m2.Lock(t), nil, ErrAborted) {
				x.must(m2.Unlock(t))
			}
			x.must(m1.Unlock(t))
		})
		ended := false
		x.task("holder", low, func(t *Task) {
			x.must(m2.Lock(t))
			x.until(func() bool { return x.k.ticket.Load() > 0 || x.w.Quiet() })
			x.must(m2.Unlock(t))
			x.until(func() bool { return stateOf(a.w.word.Load()) == stWaiting || x.w.Quiet() })
			x.outside("aborter", func() { ended = a.AbortDelay() })
			x.until(func() bool { return ended || x.w.Quiet() })
			x.must(m2.Lock(t))
			x.until(x.w.Quiet)
			if ended && !x.port.threads[a].Done() {
				x.failf("the aborted task still waits")
			}
			x.must(m2.Unlock(t))
		})
	}},
	{name: "semaphore/delete ends a wait", preempt: 4, build: func(x *bench) {
		s := x.binary()
		w := x.task("deleted", high, func(t *Task) { _ = s.Take(t) })
		x.outside("deleter", w.Delete)
	}},
	{name: "notify/delete ends a wait", preempt: 4, build: func(x *bench) {
		w := x.task("deleted", high, func(t *Task) { _, _ = t.NotifyTake(true, Forever) })
		x.outside("deleter", w.Delete)
	}},
	{name: "semaphore/suspended when woken", preempt: 2, build: func(x *bench) {
		s := x.counting(2, 0)
		w := x.task("stopped", high, func(t *Task) { x.must(s.Take(t)) })
		x.task("other", low, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() {
			x.until(x.w.Quiet)
			s.Give()
			w.Suspend()
			x.until(x.w.Quiet)
			if s.Count() > 0 {
				x.failf("a token is left, and somebody waits for it")
			}
			s.Give()
			w.Resume()
		})
	}},
	{name: "mutex/suspended", preempt: 2, build: func(x *bench) {
		m := x.mutex()
		x.suspended(func(t *Task) { x.must(m.Lock(t)); x.must(m.Unlock(t)) }, nil)
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			x.must(m.Unlock(t))
		})
	}},
	{name: "semaphore/suspended", preempt: 2, build: func(x *bench) {
		s := x.binary()
		x.suspended(func(t *Task) { x.must(s.Take(t)) }, func(*Task) { s.Give() })
	}},
	{name: "notify/suspended", preempt: 2, build: func(x *bench) {
		x.suspended(func(t *Task) {
			if v, err := t.NotifyTake(true, Forever); v != 1 || err != nil {
				x.failf("given while it was suspended, and it takes %d, %v", v, err)
			}
		}, func(t *Task) { x.must(t.NotifyGive()) })
	}},
	{name: "delay/suspended", preempt: 2, build: func(x *bench) {
		x.suspended(func(t *Task) { x.must(t.Delay(time.Second), nil, ErrAborted) }, nil)
	}},
	// Who finds a token at its second try may be woken for the next one, and passes it on.
	{name: "semaphore/wake for another token", preempt: 2, build: func(x *bench) {
		s := x.counting(2, 0)
		x.beforeFirstWait(func() bool { return s.Count() > 0 })
		x.task("urgent", high, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() {
			x.until(func() bool { return x.k.ticket.Load() > 0 || x.w.Quiet() })
			s.Give()
			x.until(func() bool { return s.Count() == 0 })
			patient := x.task("patient", low, func(t *Task) { x.must(s.Take(t)) })
			x.until(func() bool { return x.port.parkedOrEnded(patient) })
			s.Give()
		})
	}},
	// Who spins takes what it finds free, unless another one was faster.
	{name: "native mutex/spinning", preempt: 2, native: true, build: func(x *bench) {
		m := x.mutex()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			x.until(x.w.Quiet)
			x.must(m.Unlock(t))
		})
		for _, name := range []string{"spins", "comes"} {
			x.task(name, low, func(t *Task) {
				x.must(m.Lock(t))
				x.until(x.w.Quiet)
				if h := m.Holder(); h != t {
					x.failf("%s has taken it, and %v holds it", t.name, h)
				}
				x.must(m.Unlock(t))
			})
		}
	}},
	// The ordering value follows the effective priority.
	{name: "waiters/order", preempt: 1, build: func(x *bench) {
		m := x.mutex()
		x.task("a", low, func(t *Task) {
			is := func(want int32) {
				if o := t.order.Load(); o != want {
					x.failf("the ordering value is %d, want %d", o, want)
				}
			}
			x.must(m.Lock(t))
			x.waiter("b", high, m)
			x.until(x.w.Quiet)
			is(high)
			x.must(m.Unlock(t))
			is(low)
			t.SetPriority(middle)
			is(middle)
		})
	}},
	// A context counts for its own call only.
	{name: "semaphore/context of a call before", preempt: 1, build: func(x *bench) {
		s := x.binary()
		x.outlived(s.TakeCtx, func(*Task) { s.Give() })
	}},
	{name: "mutex/context of a call before", preempt: 1, build: func(x *bench) {
		m := x.mutex()
		x.outlived(func(ctx context.Context, t *Task) error {
			defer func() { x.must(m.Unlock(t)) }()
			return m.LockCtx(ctx, t)
		}, nil)
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			x.until(x.w.Quiet)
			x.must(m.Unlock(t))
		})
	}},
	{name: "notify/context of a call before", preempt: 1, build: func(x *bench) {
		x.outlived(func(ctx context.Context, t *Task) error {
			_, err := t.NotifyTakeCtx(ctx, true)
			return err
		}, func(t *Task) { x.must(t.NotifyGive()) })
	}},
	{name: "waiters/ranks", preempt: 3, build: func(x *bench) {
		s := x.binary()
		seen := map[uint64]bool{}
		for _, name := range []string{"a", "b"} {
			x.task(name, low, func(t *Task) {
				for range 2 {
					if r := t.newRank(&s.o, s.o.body.Load()); seen[r] {
						x.failf("rank %d was given twice", r)
					} else {
						seen[r] = true
					}
				}
			})
		}
	}},
	{name: "waiters/more than 64 slots", preempt: 2, config: Config{Tasks: 65}, build: func(x *bench) {
		s := x.counting(2, 0)
		x.task("a", low, func(t *Task) { x.must(s.Take(t)) })
		x.task("b", middle, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() {
			s.Give()
			s.Give()
		})
	}},
	{name: "waiters/wide set", preempt: 3, build: func(x *bench) {
		s := newWideSet(130)
		for i, slot := range []int{3, 5, 70} {
			x.outside(string(rune('a'+i)), func() { s.set(slot) })
		}
		x.w.Check(func() error {
			if s.summary[0].Load() != 1<<0|1<<1 || s.leaves[0].Load() != 1<<3|1<<5 || s.leaves[1].Load() != 1<<6 {
				x.failf("a bit is lost: %#b, %#b, %#b", s.summary[0].Load(), s.leaves[0].Load(), s.leaves[1].Load())
			}
			return nil
		})
	}},
}
