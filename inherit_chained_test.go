package rtos_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// chainedLoans are what InheritChained does otherwise than the policy in loans, and more.
var chainedLoans = map[string]func(w loan){
	"kept when the waiter is suspended": func(w loan) {
		w.take(w.a)
		w.wait("M", 3, w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		h.Suspend()
		w.has(3, 1, "suspended")
		h.Resume()
		w.has(5, 1, "H waits again")
		w.give(w.a)
		w.has(1, 1, "given")
		w.ends(h)
	},
	"kept when the waiter is deleted": func(w loan) {
		w.take(w.a)
		w.wait("M", 3, w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		h.Delete()
		w.has(3, 1, "deleted")
		w.give(w.a)
		w.has(1, 1, "given")
	},
	"a waiter's new priority is not lent": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		h.SetPriority(7)
		w.has(7, 1, "H is 7 now")
		h.SetPriority(3)
		w.has(3, 1, "H is 3 now")
		w.wait("M", 4, w.a)
		w.has(4, 1, "M waits")
		w.give(w.a)
		w.has(1, 1, "given")
		w.ends(h)
	},
	"nested: back at the last give, the wanted one first": func(w loan) {
		w.take(w.a)
		w.take(w.b)
		h := w.wait("H", 5, w.a)
		m := w.wait("M", 3, w.b)
		w.has(5, 1, "both wait")
		w.give(w.a)
		w.has(3, 1, "A given, M waits for B")
		w.ends(h)
		w.give(w.b)
		w.has(1, 1, "B given")
		w.ends(m)
	},
	"nested: a limit takes nothing back": func(w loan) {
		w.take(w.a)
		w.take(w.b)
		h := w.waitBy("H", 5, w.b, func(h *rtos.Task) error { return w.b.LockFor(h, w.k.Ticks(20)) })
		w.has(5, 1, "H waits for B")
		m := w.wait("M", 3, w.a)
		w.ends(h)
		w.has(3, 1, "H has given up, M waits for A")
		w.give(w.b)
		w.has(3, 1, "B given")
		w.give(w.a)
		w.has(1, 1, "A given")
		w.ends(m)
	},
	"no loan passes on": func(w loan) {
		w.take(w.a)
		m := w.link("M", 3, w.b, w.a)
		w.has(3, 1, "M waits")
		h := w.waitBy("H", 5, w.b, func(h *rtos.Task) error { return w.b.LockFor(h, w.k.Ticks(20)) })
		w.has(5, 1, "H waits for M")
		assert.Equal(w.t, "e5/b3", levels(m))
		w.ends(h)
		w.has(3, 1, "H has given up")
		assert.Equal(w.t, "e3/b3", levels(m))
		m.SetPriority(4)
		w.has(4, 1, "M is 4 now")
		w.give(w.a)
		w.has(1, 1, "A given")
		w.ends(m)
	},
	"raised before the second mutex": func(w loan) {
		w.take(w.a)
		h := w.wait("H", 5, w.a)
		w.has(5, 1, "H waits")
		w.take(w.b)
		w.has(5, 1, "B taken")
		w.give(w.b)
		w.has(5, 1, "B given: H still waits for A")
		w.give(w.a)
		w.has(1, 1, "A given")
		w.ends(h)
	},
	"a taker owes those who wait already": func(w loan) {
		// With the scheduler suspended L gives and takes again before anybody runs.
		w.take(w.a)
		w.wait("H", 5, w.a)
		w.wait("M", 3, w.a)
		w.k.SuspendScheduler(w.l)
		w.give(w.a)
		assert.Equal(w.t, "e1/b1", levels(w.l), "H is woken, M waits, nobody holds it")
		w.take(w.a)
		assert.Equal(w.t, "e3/b1", levels(w.l), "M waits")
		w.k.ResumeScheduler(w.l)
		w.has(5, 1, "H waits again")
		w.give(w.a)
	},
	"a priority set in the middle of a chain": func(w loan) {
		w.take(w.a)
		m := w.link("M", 2, w.b, w.a)
		c := rtos.NewMutex("C")
		n := w.link("N", 3, c, w.b)
		h := w.wait("H", 4, c)
		w.has(4, 1, "L < M < N < H")
		m.SetPriority(6)
		w.has(6, 1, "M is 6")
		assert.Equal(w.t, "e4/b3", levels(n), "N is not behind M")
		m.SetPriority(1)
		w.has(4, 1, "M is 1, H still waits")
		n.SetPriority(5)
		w.has(5, 1, "N is 5")
		assert.Equal(w.t, "e5/b1", levels(m))
		h.SetPriority(1)
		n.SetPriority(1)
		w.has(1, 1, "all are 1")
		w.give(w.a)
		w.ends(h)
	},
	"a holder deleted in the middle of a chain, which gives": func(w loan) {
		w.take(w.a)
		m := spawn(w.t, w.k, "M", 3, func(m *rtos.Task) {
			assert.NoError(w.t, w.b.Lock(m))
			defer func() { assert.NoError(w.t, w.b.Unlock(m)) }()
			_ = w.a.Lock(m)
		})
		h := w.wait("H", 5, w.b)
		w.has(5, 1, "H waits for M")
		m.Delete()
		w.has(1, 1, "M is gone")
		w.ends(h)
		w.give(w.a)
	},
	"a holder deleted in the middle of a chain, which does not give": func(w loan) {
		w.take(w.a)
		m := w.link("M", 3, w.b, w.a)
		h := w.wait("H", 5, w.b)
		w.has(5, 1, "H waits for M")
		m.Delete()
		w.has(1, 1, "M is gone, B is an orphan")
		assert.Equal(w.t, rtos.StateBlocked, h.State())
		// The next task in the slot of M is not the holder of B.
		n := w.wait("N", 2, w.a)
		require.Equal(w.t, m.Slot(), n.Slot())
		m.SetPriority(7)
		h.SetPriority(6)
		w.has(2, 1, "N waits, M and H are nothing to it")
		assert.Equal(w.t, "e2/b2", levels(n))
		assert.Equal(w.t, "e6/b6", levels(h))
		h.Delete()
		w.give(w.a)
		w.ends(n)
	},
	"a holder suspended in the middle of a chain": func(w loan) {
		w.take(w.a)
		m := w.link("M", 3, w.b, w.a)
		h := w.wait("H", 5, w.b)
		m.Suspend()
		w.has(1, 1, "M is suspended")
		assert.Equal(w.t, "e5/b3", levels(m), "H waits for what it holds")
		m.Resume()
		w.has(5, 1, "M waits again")
		w.give(w.a)
		w.ends(h)
	},
	"a waiter is ranked by what it has inherited since": func(w loan) {
		w.take(w.a)
		var got []string
		for _, name := range []string{"M", "N"} {
			spawn(w.t, w.k, name, map[string]int{"M": 3, "N": 4}[name], func(me *rtos.Task) {
				if name == "M" {
					assert.NoError(w.t, w.b.Lock(me))
					defer func() { assert.NoError(w.t, w.b.Unlock(me)) }()
				}
				assert.NoError(w.t, w.a.Lock(me))
				got = append(got, name)
				assert.NoError(w.t, w.a.Unlock(me))
			})
			assert.NoError(w.t, w.l.Delay(w.k.Ticks(1)))
		}
		assert.Equal(w.t, "[N M]", fmt.Sprint(w.a.Info().Waiters))
		h := w.wait("H", 4, w.b)
		assert.Equal(w.t, "[M N]", fmt.Sprint(w.a.Info().Waiters), "equals stand as they came")
		h.SetPriority(2)
		assert.Equal(w.t, "[N M]", fmt.Sprint(w.a.Info().Waiters))
		h.SetPriority(5)
		w.give(w.a)
		w.ends(h)
		w.has(1, 1, "given")
		assert.Equal(w.t, "[M N]", fmt.Sprint(got))
	},
	"ranked at a semaphore, too": func(w loan) {
		s := rtos.NewBinary("s")
		for i, name := range []string{"x", "y", "z"} {
			spawn(w.t, w.k, name, 4-i, func(me *rtos.Task) {
				if name == "z" {
					assert.NoError(w.t, w.b.Lock(me))
					defer func() { assert.NoError(w.t, w.b.Unlock(me)) }()
				}
				_ = s.Take(me)
			})
		}
		assert.NoError(w.t, w.l.Delay(w.k.Ticks(1)))
		assert.Equal(w.t, "[x y z]", fmt.Sprint(s.Info().Waiters))
		w.wait("H", 5, w.b)
		assert.Equal(w.t, "[z x y]", fmt.Sprint(s.Info().Waiters))
		w.k.Task("y").SetPriority(5)
		assert.Equal(w.t, "[y z x]", fmt.Sprint(s.Info().Waiters))
		for range 3 {
			s.Give()
			assert.NoError(w.t, w.l.Delay(w.k.Ticks(1)))
		}
	},
	"a chain of twenty": func(w loan) {
		w.take(w.a)
		var below lockable = w.a
		var links []*rtos.Task
		for i := range 20 {
			m := rtos.NewMutex(fmt.Sprint("m", i))
			links = append(links, w.link(fmt.Sprint("T", i), 1, m, below))
			below = m
		}
		h := w.waitBy("H", 5, below, func(h *rtos.Task) error { return below.LockFor(h, w.k.Ticks(30)) })
		w.has(5, 1, "H is at the end")
		w.ends(h)
		w.has(1, 1, "H has given up")
		h = w.wait("H", 6, below)
		w.has(6, 1, "H is back")
		for _, t := range links {
			assert.Equal(w.t, "e6/b1", levels(t))
		}
		w.give(w.a)
		w.ends(h)
		w.has(1, 1, "given")
	},
}

// link spawns a task that takes what it holds, then waits for what is below.
func (w loan) link(name string, prio int, holds, below lockable) *rtos.Task {
	t := spawn(w.t, w.k, name, prio, func(t *rtos.Task) {
		assert.NoError(w.t, holds.Lock(t))
		assert.NoError(w.t, below.Lock(t))
		assert.NoError(w.t, below.Unlock(t))
		assert.NoError(w.t, holds.Unlock(t))
		assert.Equal(w.t, t.BasePriority(), t.Priority())
	})
	await(w.t, w.l, name+" waits", func() bool { return t.State() == rtos.StateBlocked })
	return t
}

func TestInheritChained(t *testing.T) {
	plays := maps.Clone(loans)
	maps.Copy(plays, chainedLoans)
	for name, play := range plays {
		for kind, make := range lockables {
			for _, slicing := range []sim.Toggle{sim.On, sim.Off} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, kind, slicing), func(t *testing.T) {
					leakless(t)
					k, _ := newSim(t, sim.Options{TimeSlicing: slicing}, rtos.Config{Inheritance: rtos.InheritChained})
					a, b := make(), rtos.NewMutex("B")
					spawn(t, k, "L", 1, func(l *rtos.Task) {
						play(loan{t, k, l, a, b})
						assert.Equal(t, l.BasePriority(), l.Priority(), "no loan is left")
						assert.Zero(t, l.Info().Held)
					})
					finish(t, k)
				})
			}
		}
	}
}

// The policy needs a port that schedules.
func TestInheritChainedNeedsAScheduler(t *testing.T) {
	k, err := rtos.New(rtos.Config{Inheritance: rtos.InheritChained})
	assert.Nil(t, k)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "Config.Inheritance InheritChained")
	assert.ErrorContains(t, err, "parallel")
}

// With a robust mutex the next taker owes the others what the dead owner owed.
func TestInheritChainedRobust(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{Inheritance: rtos.InheritChained, Robust: true})
	m := rtos.NewMutex("m")
	log := []string{}
	dies := spawn(t, k, "dies", 1, func(me *rtos.Task) {
		assert.NoError(t, m.Lock(me))
		_ = me.Delay(rtos.Forever)
	})
	for i, name := range []string{"first", "second", "third"} {
		spawn(t, k, name, 5-i, func(me *rtos.Task) {
			_ = me.Delay(k.Ticks(1))
			err := m.Lock(me)
			me.SetPriority(2)
			log = append(log, fmt.Sprintf("%s %s %v", name, levels(me), err))
			assert.NoError(t, m.Unlock(me))
		})
	}
	spawn(t, k, "killer", 1, func(me *rtos.Task) {
		_ = me.Delay(k.Ticks(2))
		assert.Equal(t, "e5/b1", levels(dies))
		dies.Delete()
	})
	finish(t, k)
	assert.Equal(t, "first e4/b2 rtos: last owner died; second e3/b2 <nil>; third e2/b2 <nil>", strings.Join(log, "; "))
	assert.Empty(t, k.Orphans())
}
