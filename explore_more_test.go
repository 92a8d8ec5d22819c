//go:build explore

package rtos

import (
	"slices"
	"time"
)

// moreBodies is what the mutants of internal/mutate have asked for.
func init() { bodies = slices.Concat(bodies, moreBodies) }

func (x *bench) interrupt(name string, f func(isr *ISR)) {
	x.outside(name, func() { x.k.Interrupt(f) })
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
		x.task("b", middle, func(t *Task) { x.must(s.TakeFor(t, time.Second), nil, ErrTimeout) })
		x.outside("giver", func() {
			s.Give()
			s.Give()
		})
	}},
}
