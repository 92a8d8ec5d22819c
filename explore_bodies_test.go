//go:build explore

package rtos

import (
	"context"
	"slices"
	"time"
)

const (
	low    = 1
	middle = 2
	high   = 3
)

var bodies = slices.Concat(nativeBodies(), plainBodies, queueBodies)

// nativeBodies is those where the goroutine port has steps of its own.
func nativeBodies() (list []body) {
	for _, b := range plainBodies {
		switch b.name {
		case "mutex/two", "mutex/limit", "semaphore/hand-off", "semaphore/limit", "semaphore/two takers", "notify/give and take", "notify/count":
			b.name, b.native = "native "+b.name, true
			list = append(list, b)
		}
	}
	return list
}

var plainBodies = []body{
	{name: "mutex/two", preempt: 4, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) {
				for range 2 {
					x.must(m.Lock(t))
					s.enter(t)
					x.must(m.Unlock(t))
				}
			})
		}
	}},
	{name: "mutex/three", preempt: 2, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		for i, name := range []string{"a", "b", "c"} {
			x.task(name, low+i, func(t *Task) {
				x.must(m.Lock(t))
				s.enter(t)
				x.must(m.Unlock(t))
			})
		}
	}},
	{name: "mutex/limit", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		x.task("limited", high, func(t *Task) {
			if x.must(m.LockFor(t, time.Second), nil, ErrTimeout) {
				s.enter(t)
				x.must(m.Unlock(t))
			}
		})
	}},
	{name: "mutex/two limits", preempt: 2, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		for i, name := range []string{"first", "second"} {
			x.task(name, middle+i, func(t *Task) {
				if x.must(m.LockFor(t, time.Second), nil, ErrTimeout) {
					s.enter(t)
					x.must(m.Unlock(t))
				}
			})
		}
	}},
	{name: "mutex/abort", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		w := x.task("aborted", high, func(t *Task) {
			if x.must(m.Lock(t), nil, ErrAborted) {
				s.enter(t)
				x.must(m.Unlock(t))
			}
		})
		x.outside("aborter", func() { w.AbortDelay() })
	}},
	{name: "mutex/context", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		ctx, cancel := context.WithCancel(context.Background())
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		w := x.task("cancelled", high, func(t *Task) {
			if x.must(m.LockCtx(ctx, t), nil, context.Canceled) {
				s.enter(t)
				x.must(m.Unlock(t))
			}
		})
		x.outside("canceller", func() {
			cancel()
			x.port.Ready(w, FromTask)
		})
	}},
	// The less urgent task overtakes the woken one, which then is handed the mutex.
	{name: "mutex/hand-over", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("overtaker", low, func(t *Task) {
			for range 3 {
				x.must(m.Lock(t))
				s.enter(t)
				x.must(m.Unlock(t))
			}
		})
		x.task("overtaken", high, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
	}},
	{name: "mutex/hand-over and limit", preempt: 2, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("overtaker", low, func(t *Task) {
			for range 3 {
				x.must(m.Lock(t))
				s.enter(t)
				x.must(m.Unlock(t))
			}
		})
		for i, name := range []string{"first", "second"} {
			x.task(name, middle+i, func(t *Task) {
				if x.must(m.LockFor(t, time.Second), nil, ErrTimeout) {
					s.enter(t)
					x.must(m.Unlock(t))
				}
			})
		}
	}},
	{name: "mutex/nested", preempt: 2, build: func(x *bench) {
		m1, m2, s1, s2 := x.mutex(), x.mutex(), x.section(), x.section()
		x.task("both", low, func(t *Task) {
			x.must(m1.Lock(t))
			x.must(m2.Lock(t))
			s1.enter(t)
			s2.enter(t)
			x.must(m1.Unlock(t))
			x.must(m2.Unlock(t))
		})
		x.task("one", middle, func(t *Task) {
			x.must(m1.Lock(t))
			s1.enter(t)
			x.must(m1.Unlock(t))
		})
		x.task("two", high, func(t *Task) {
			if x.must(m2.LockFor(t, time.Second), nil, ErrTimeout) {
				s2.enter(t)
				x.must(m2.Unlock(t))
			}
		})
	}},
	{name: "mutex/delete", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		w := x.task("deleted", high, func(t *Task) {
			if m.Lock(t) == nil {
				defer m.Unlock(t)
				s.enter(t)
			}
		})
		x.task("other", middle, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		x.outside("deleter", w.Delete)
	}},
	{name: "mutex/suspend", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		w := x.task("suspended", high, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "mutex/priority", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		h := x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		x.task("waiter", high, func(t *Task) {
			x.must(m.Lock(t))
			s.enter(t)
			x.must(m.Unlock(t))
		})
		x.outside("setter", func() { h.SetPriority(middle) })
	}},
	{name: "mutex/poll", preempt: 3, build: func(x *bench) {
		m, s := x.mutex(), x.section()
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) {
				for range 2 {
					if m.TryLock(t) {
						s.enter(t)
						x.must(m.Unlock(t))
					}
				}
				x.must(m.Lock(t))
				x.must(m.Unlock(t))
			})
		}
	}},
	{name: "recursive/two", preempt: 3, build: func(x *bench) {
		m, s := NewRecursiveMutex("r"), x.section()
		x.objects = append(x.objects, &m.m.o)
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) {
				x.must(m.Lock(t))
				x.must(m.Lock(t))
				s.enter(t)
				x.must(m.Unlock(t))
				s.enter(t)
				x.must(m.Unlock(t))
			})
		}
	}},
	{name: "semaphore/hand-off", preempt: 4, build: func(x *bench) {
		s, cell := x.binary(), x.w.NewCell()
		x.task("taker", low, func(t *Task) {
			x.must(s.Take(t))
			if cell.Get() != 1 {
				x.failf("the take does not see what came before the give")
			}
		})
		x.outside("giver", func() {
			cell.Set(1)
			s.Give()
		})
	}},
	{name: "semaphore/two takers", preempt: 3, build: func(x *bench) {
		s := x.counting(2, 0)
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) { x.must(s.Take(t)) })
		}
		x.outside("giver", func() {
			s.Give()
			s.Give()
		})
	}},
	{name: "semaphore/limit", preempt: 3, build: func(x *bench) {
		s, taken := x.binary(), 0
		for i, name := range []string{"limited", "other"} {
			x.task(name, high-i, func(t *Task) {
				if x.must(s.TakeFor(t, time.Second), nil, ErrTimeout) {
					taken++
				}
			})
		}
		x.outside("giver", func() { s.Give() })
		x.w.Check(func() error {
			if taken+s.Count() != 1 {
				x.failf("one token given, %d taken and %d there", taken, s.Count())
			}
			return nil
		})
	}},
	// A token that an ended wait leaves goes to the one who waits for ever.
	{name: "semaphore/limit passes on", preempt: 3, build: func(x *bench) {
		s := x.counting(2, 0)
		taken := 0
		x.task("limited", high, func(t *Task) {
			if x.must(s.TakeFor(t, time.Second), nil, ErrTimeout) {
				taken++
				s.Give()
			}
		})
		x.task("patient", low, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() { s.Give() })
	}},
	{name: "semaphore/delete passes on", preempt: 3, build: func(x *bench) {
		s := x.binary()
		w := x.task("deleted", high, func(t *Task) {
			if s.Take(t) == nil {
				s.Give()
			}
		})
		x.task("patient", low, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() { s.Give() })
		x.outside("deleter", w.Delete)
	}},
	{name: "semaphore/suspend passes on", preempt: 3, build: func(x *bench) {
		s := x.counting(2, 0)
		w := x.task("suspended", high, func(t *Task) { x.must(s.Take(t)) })
		x.task("patient", low, func(t *Task) { x.must(s.Take(t)) })
		x.outside("giver", func() {
			s.Give()
			s.Give()
		})
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "semaphore/abort", preempt: 3, build: func(x *bench) {
		s, taken := x.binary(), 0
		w := x.task("aborted", high, func(t *Task) {
			if x.must(s.Take(t), nil, ErrAborted) {
				taken++
			}
		})
		x.outside("giver", func() { s.Give() })
		x.outside("aborter", func() {
			for range 2 {
				if w.AbortDelay() {
					return
				}
			}
		})
		x.w.Check(func() error {
			if taken+s.Count() != 1 {
				x.failf("one token given, %d taken and %d there", taken, s.Count())
			}
			return nil
		})
	}},
	// The slot of a task that has ended is used again while a give still looks at it.
	{name: "semaphore/slot reuse", preempt: 2, build: func(x *bench) {
		s := x.counting(3, 0)
		x.task("first", high, func(t *Task) {
			_ = s.TakeFor(t, time.Second)
			x.outside("spawner", func() {
				x.task("second", low, func(t *Task) { _ = s.TakeFor(t, 5*time.Second) })
			})
		})
		x.outside("giver", func() { s.Give() })
	}},
	{name: "semaphore/stop", preempt: 3, build: func(x *bench) {
		s := x.binary()
		x.task("stopped", high, func(t *Task) { _ = s.Take(t) })
		x.outside("giver", func() { s.Give() })
		x.outside("stopper", func() { x.k.Stop() })
	}},
	{name: "notify/give and take", preempt: 4, build: func(x *bench) {
		cell := x.w.NewCell()
		w := x.task("taker", low, func(t *Task) {
			v, err := t.NotifyTake(true, Forever)
			x.must(err)
			if v != 1 || cell.Get() != 1 {
				x.failf("value %d, cell %d", v, cell.Get())
			}
		})
		x.outside("giver", func() {
			cell.Set(1)
			x.must(w.NotifyGive(), nil, ErrDeleted)
		})
	}},
	{name: "notify/count", preempt: 3, build: func(x *bench) {
		sum := uint32(0)
		w := x.task("taker", low, func(t *Task) {
			for range 2 {
				v, err := t.NotifyTake(false, Forever)
				x.must(err)
				if v == 0 {
					x.failf("woken with nothing")
				}
				sum++
			}
		})
		for _, name := range []string{"a", "b"} {
			x.outside(name, func() { x.must(w.NotifyGive()) })
		}
	}},
	{name: "notify/limit", preempt: 3, build: func(x *bench) {
		got, given := uint32(0), uint32(0)
		w := x.task("taker", low, func(t *Task) {
			for range 2 {
				v, err := t.NotifyTake(true, time.Second)
				x.must(err, nil, ErrTimeout)
				got += v
			}
			got += t.NotifyValueClear(0, 0)
		})
		for _, name := range []string{"a", "b"} {
			x.outside(name, func() {
				if w.NotifyGive() == nil {
					given++
				}
			})
		}
		x.w.Check(func() error {
			if late := slotValue(w.slot0.Load()); got > given || got+late < given {
				x.failf("%d given, %d taken, %d left", given, got, late)
			}
			return nil
		})
	}},
	{name: "notify/wait and actions", preempt: 3, build: func(x *bench) {
		w := x.task("waiter", low, func(t *Task) {
			seen := uint32(0)
			for seen != 3 {
				v, err := t.NotifyWait(NotifyWait{ClearOnExit: 3}, Forever)
				x.must(err)
				seen |= v
			}
		})
		for i, name := range []string{"a", "b"} {
			x.outside(name, func() { x.must(w.Notify(1<<i, SetBits)) })
		}
	}},
	{name: "notify/no action wakes", preempt: 3, build: func(x *bench) {
		w := x.task("waiter", low, func(t *Task) {
			v, err := t.NotifyWait(NotifyWait{}, Forever)
			x.must(err)
			if v > 1 {
				x.failf("value %d", v)
			}
		})
		x.outside("a", func() { x.must(w.Notify(0, NoAction), nil, ErrDeleted) })
		x.outside("b", func() { x.must(w.Notify(1, SetIfClear), nil, ErrDeleted, ErrPending) })
	}},
	{name: "notify/abort", preempt: 3, build: func(x *bench) {
		w := x.task("taker", low, func(t *Task) {
			_, err := t.NotifyTake(true, Forever)
			x.must(err, nil, ErrAborted)
		})
		x.outside("giver", func() { x.must(w.NotifyGive(), nil, ErrDeleted) })
		x.outside("aborter", func() { w.AbortDelay() })
	}},
	{name: "notify/suspend", preempt: 3, build: func(x *bench) {
		w := x.task("taker", low, func(t *Task) {
			sum := uint32(0)
			for sum < 1 {
				v, err := t.NotifyTake(true, Forever)
				x.must(err, nil, ErrAborted)
				sum += v
			}
		})
		x.outside("giver", func() { x.must(w.NotifyGive()) })
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
	}},
	{name: "notify/delete", preempt: 4, build: func(x *bench) {
		w := x.task("taker", low, func(t *Task) { _, _ = t.NotifyTake(true, Forever) })
		x.outside("giver", func() { x.must(w.NotifyGive(), nil, ErrDeleted) })
		x.outside("deleter", w.Delete)
	}},
	{name: "notify/ping-pong", preempt: 2, build: func(x *bench) {
		cell := x.w.NewCell()
		var a, b *Task
		a = x.task("a", low, func(t *Task) {
			for range 2 {
				_, err := t.NotifyTake(true, Forever)
				x.must(err)
				cell.Set(cell.Get() + 1)
				x.must(b.NotifyGive())
			}
		})
		b = x.task("b", low, func(t *Task) {
			for range 2 {
				_, err := t.NotifyTake(true, Forever)
				x.must(err)
				cell.Set(cell.Get() + 1)
				x.must(a.NotifyGive(), nil, ErrDeleted)
			}
		})
		x.outside("main", func() { x.must(a.NotifyGive()) })
	}},
	{name: "delay/abort and limit", preempt: 4, build: func(x *bench) {
		w := x.task("sleeper", low, func(t *Task) { x.must(t.Delay(time.Second), nil, ErrAborted) })
		x.outside("aborter", func() { w.AbortDelay() })
	}},
	{name: "delay/suspend and delete", preempt: 3, build: func(x *bench) {
		w := x.task("sleeper", low, func(t *Task) { _ = t.Delay(time.Second) })
		x.outside("suspender", func() {
			w.Suspend()
			w.Resume()
		})
		x.outside("deleter", w.Delete)
	}},
	{name: "spinlock/two", preempt: 3, build: func(x *bench) {
		l, s := &Spinlock{}, x.section()
		for i, name := range []string{"a", "b"} {
			x.task(name, low+i, func(t *Task) {
				l.Lock(t)
				l.Lock(t)
				s.enter(t)
				l.Unlock(t)
				l.Unlock(t)
			})
		}
	}},
}
