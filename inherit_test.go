package rtos_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// loan is a small world of priority inheritance: the holder L, of priority 1, is the
// task that looks, and commands waiters through notifications.
type loan struct {
	t    *testing.T
	k    *rtos.Kernel
	l    *rtos.Task
	a, b lockable
}

// wait spawns a waiter for m with an endless limit, and waits until it waits. It gives
// the mutex back when it has got it.
func (w loan) wait(name string, prio int, m lockable) *rtos.Task {
	return w.waitBy(name, prio, m, func(h *rtos.Task) error { return m.Lock(h) })
}

func (w loan) waitBy(name string, prio int, m lockable, lock func(*rtos.Task) error) *rtos.Task {
	h := spawn(w.t, w.k, name, prio, func(h *rtos.Task) {
		if lock(h) == nil {
			assert.NoError(w.t, m.Unlock(h))
		}
	})
	await(w.t, w.l, name+" waits", func() bool {
		for _, q := range m.Info().Waiters {
			if q == h {
				return true
			}
		}
		return false
	})
	return h
}

func (w loan) ends(h *rtos.Task) {
	w.t.Helper()
	await(w.t, w.l, h.Name()+" ends", func() bool { return h.State() == rtos.StateDeleted })
}

// has checks L's priorities, when the others have come to rest.
func (w loan) has(eff, base int, why string) {
	w.t.Helper()
	await(w.t, w.l, "rest", func() bool { return true })
	assert.Equal(w.t, eff, w.l.Priority(), "effective priority: "+why)
	assert.Equal(w.t, base, w.l.BasePriority(), "base priority: "+why)
	i := w.l.Info()
	assert.Equal(w.t, [2]int{eff, base}, [2]int{i.Priority, i.BasePriority}, "Info: "+why)
}

func (w loan) give(m lockable) { w.t.Helper(); assert.NoError(w.t, m.Unlock(w.l)) }
func (w loan) take(m lockable) { w.t.Helper(); assert.NoError(w.t, m.Lock(w.l)) }

var loans = map[string]func(w loan){
	"lent while it waits, back at the give": func(w loan) {
		w.take(w.a)
		w.has(1, 1, "alone")
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		w.give(w.a)
		w.has(1, 1, "given")
		w.ends(h)
	},
	"less or equally urgent waiters lend nothing": func(w loan) {
		w.take(w.a)
		w.wait("N", 1, w.a)
		w.has(1, 1, "an equal waits")
		w.l.SetPriority(2)
		w.has(2, 2, "own priority")
		w.wait("M", 1, w.a)
		w.has(2, 2, "a less urgent one waits")
		w.give(w.a)
		w.has(2, 2, "given")
	},
	"a poll lends nothing": func(w loan) {
		w.take(w.a)
		h := spawn(w.t, w.k, "H", 5, func(h *rtos.Task) {
			assert.False(w.t, w.a.TryLock(h))
			assert.Equal(w.t, rtos.ErrWouldBlock, w.a.LockFor(h, 0))
			assert.Equal(w.t, 1, w.l.Priority())
		})
		w.ends(h)
		w.has(1, 1, "polled")
		w.give(w.a)
	},
	"the most urgent waiter counts": func(w loan) {
		w.take(w.a)
		w.wait("M", 3, w.a)
		w.has(3, 1, "M waits")
		w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		w.wait("N", 4, w.a)
		w.has(5, 1, "N waits")
		w.give(w.a)
		w.has(1, 1, "given")
	},
	"back at the limit, to what the others lend": func(w loan) {
		w.take(w.a)
		m := w.wait("M", 3, w.a)
		h := w.waitBy("H", 5, w.a, func(h *rtos.Task) error { return w.a.LockFor(h, w.k.Ticks(30)) })
		w.has(5, 1, "H waits")
		w.ends(h)
		w.has(3, 1, "H has given up")
		m.AbortDelay()
		w.ends(m)
		w.has(1, 1, "M has given up")
		w.give(w.a)
	},
	"back at an abort": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		assert.True(w.t, h.AbortDelay())
		w.ends(h)
		w.has(1, 1, "aborted")
		w.give(w.a)
	},
	"back when a context is done": func(w loan) {
		ctx, cancel := context.WithCancel(context.Background())
		w.take(w.a)
		h := w.waitBy("H", 5, w.a, func(h *rtos.Task) error { return w.a.LockCtx(ctx, h) })
		w.has(5, 1, "H waits")
		cancel()
		w.ends(h)
		w.has(1, 1, "cancelled")
		w.give(w.a)
	},
	"kept when the waiter is suspended": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		h.Suspend()
		w.has(5, 1, "suspended")
		w.give(w.a)
		w.has(1, 1, "given")
		h.Resume()
		w.ends(h)
	},
	"kept when the waiter is deleted": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		h.Delete()
		w.ends(h)
		w.has(5, 1, "deleted")
		w.give(w.a)
		w.has(1, 1, "given")
	},
	"nested: back at the last give, inner one first": func(w loan) {
		w.take(w.a)
		w.take(w.b)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits for A")
		w.give(w.b)
		w.has(5, 1, "B given")
		w.give(w.a)
		w.has(1, 1, "A given")
		w.ends(h)
	},
	"nested: back at the last give, the wanted one first": func(w loan) {
		w.take(w.a)
		w.take(w.b)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits for A")
		w.give(w.a)
		w.has(5, 1, "A given, B still held")
		w.ends(h)
		w.has(5, 1, "H has ended")
		w.give(w.b)
		w.has(1, 1, "B given")
	},
	"nested: a limit takes nothing back": func(w loan) {
		w.take(w.a)
		w.take(w.b)
		h := w.waitBy("H", 5, w.b, func(h *rtos.Task) error { return w.b.LockFor(h, w.k.Ticks(20)) })
		w.has(5, 1, "H waits for B")
		w.ends(h)
		w.has(5, 1, "H has given up")
		w.give(w.b)
		w.has(5, 1, "B given")
		w.give(w.a)
		w.has(1, 1, "A given")
	},
	"no loan passes on": func(w loan) {
		w.take(w.a)
		m := spawn(w.t, w.k, "M", 3, func(m *rtos.Task) {
			assert.NoError(w.t, w.b.Lock(m))
			assert.NoError(w.t, w.a.Lock(m))
			assert.NoError(w.t, w.a.Unlock(m))
			assert.NoError(w.t, w.b.Unlock(m))
			assert.Equal(w.t, 3, m.Priority())
		})
		await(w.t, w.l, "M waits", func() bool { return len(w.a.Info().Waiters) == 1 })
		h := w.wait("H", 5, w.b)
		await(w.t, w.l, "H lends", func() bool { return m.Priority() == 5 })
		w.has(3, 1, "M has lent, H has not")
		assert.Equal(w.t, 3, m.BasePriority())
		w.give(w.a)
		w.has(1, 1, "A given")
		w.ends(m)
		w.ends(h)
	},
	"base set below and above the loan": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		w.l.SetPriority(2)
		w.has(5, 2, "base 2")
		w.l.SetPriority(7)
		w.has(7, 7, "base 7")
		w.l.SetPriority(6)
		w.has(6, 6, "base 6: the loan is gone, as in FreeRTOS")
		w.give(w.a)
		w.has(6, 6, "given")
		w.ends(h)
	},
	"a waiter's new priority is not lent": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		h.SetPriority(7)
		w.has(5, 1, "H is 7 now")
		w.give(w.a)
		w.has(1, 1, "given")
		w.ends(h)
	},
}

// What a mutex lends and when it comes back, with every kind of mutex on every port.
func TestInheritance(t *testing.T) {
	for name, play := range loans {
		t.Run(name, func(t *testing.T) {
			exactlyWithLockables(t, func(t *testing.T, k *rtos.Kernel, a lockable) {
				b := rtos.NewMutex("B")
				spawn(t, k, "L", 1, func(l *rtos.Task) {
					play(loan{t, k, l, a, b})
					assert.Equal(t, l.BasePriority(), l.Priority(), "no loan is left")
					assert.Zero(t, l.Info().Held)
				})
				finish(t, k)
				assert.Nil(t, a.Holder())
				assert.Nil(t, b.Holder())
			})
		})
	}
}

// A recursive mutex keeps its loan until the give that frees it.
func TestInheritanceEndsWithTheLastRecursiveGive(t *testing.T) {
	exactly(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		r := rtos.NewRecursiveMutex("r")
		spawn(t, k, "L", 1, func(l *rtos.Task) {
			w := loan{t, k, l, r, nil}
			for range 3 {
				w.take(r)
			}
			h := w.wait("H", 5, r)
			for depth := 3; depth > 0; depth-- {
				w.has(5, 1, fmt.Sprintf("depth %d", depth))
				assert.Equal(t, depth, r.Info().Depth)
				w.give(r)
			}
			w.has(1, 1, "free")
			w.ends(h)
		})
		finish(t, k)
	})
}

// The loan moves the holder among ready tasks: in a simulation it runs before those
// that are less urgent than its waiter, and only as long as it holds.
func TestLentPriorityIsScheduled(t *testing.T) {
	k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{})
	m := rtos.NewMutex("m")
	var log []string
	note := func(name string) { log = append(log, fmt.Sprintf("%s@%d", name, s.Time())) }
	spawn(t, k, "L", 1, func(l *rtos.Task) {
		assert.NoError(t, m.Lock(l))
		l.Work(k.Ticks(10))
		note("L gives")
		assert.NoError(t, m.Unlock(l))
		l.Work(k.Ticks(1))
		note("L ends")
	})
	for i, prio := range []int{2, 3, 4} {
		spawn(t, k, string(rune('x'+i)), prio, func(x *rtos.Task) {
			assert.NoError(t, x.Delay(k.Ticks(2)))
			x.Work(k.Ticks(3))
			note(x.Name())
		})
	}
	spawn(t, k, "H", 3, func(h *rtos.Task) {
		assert.NoError(t, h.Delay(k.Ticks(1)))
		assert.NoError(t, m.Lock(h))
		note("H has it")
		assert.NoError(t, m.Unlock(h))
	})
	finish(t, k)
	assert.Equal(t, "z@5 y@8 L gives@16 H has it@16 x@19 L ends@20", strings.Join(log, " "))
}

// The priority of a task that has ended is nothing to the next one in its slot.
func TestPriorityOfAnEndedTask(t *testing.T) {
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			k, _ := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{Inheritance: policy})
			var log []string
			gone := spawn(t, k, "gone", 2, func(*rtos.Task) {})
			spawn(t, k, "boss", 1, func(me *rtos.Task) {
				k.SuspendScheduler(me)
				for _, name := range []string{"x", "y"} {
					spawn(t, k, name, 2, func(*rtos.Task) { log = append(log, name) })
				}
				require.Equal(t, gone.Slot(), k.Task("x").Slot())
				gone.SetPriority(3)
				assert.Equal(t, "e3/b3", levels(gone))
				k.ResumeScheduler(me)
			})
			finish(t, k)
			assert.Equal(t, []string{"x", "y"}, log)
		})
	}
}
