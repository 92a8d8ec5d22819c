package rtos_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// The field cases whose exact ticks belong to the simulation; the lines are those of
// FreeRTOS, and were run there. Cases 1 to 6 have a second set of lines, those of
// InheritChained.

// underBothPolicies runs f with each policy and its lines.
func underBothPolicies(t *testing.T, freertos, chained []string, f func(t *testing.T, policy rtos.Inheritance, want []string)) {
	want := map[rtos.Inheritance][]string{rtos.InheritFreeRTOS: freertos, rtos.InheritChained: chained}
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) { f(t, policy, want[policy]) })
	}
}

var policies = map[string]rtos.Inheritance{"FreeRTOS": rtos.InheritFreeRTOS, "chained": rtos.InheritChained}

// caseRun is one run of a field case: a log of what happened when, and what interrupts
// saw of priorities. An interrupt comes before the tasks that its tick wakes.
type caseRun struct {
	*testing.T
	k   *rtos.Kernel
	s   *sim.Sim
	log []string
}

func newCase(t *testing.T, o sim.Options, c rtos.Config) *caseRun {
	k, s := newSim(t, o, c)
	return &caseRun{T: t, k: k, s: s}
}

func (r *caseRun) note(format string, a ...any) {
	r.log = append(r.log, fmt.Sprintf("%d ", r.s.Time())+fmt.Sprintf(format, a...))
}

// probe notes the priorities of a task at ticks, if they have changed.
func (r *caseRun) probe(t *rtos.Task, until uint64) {
	last := ""
	for at := uint64(1); at <= until; at++ {
		r.s.At(at, func(*rtos.ISR) {
			if now := levels(t); now != last && t.State() != rtos.StateDeleted {
				last = now
				r.note("%s is %s", t.Name(), now)
			}
		})
	}
}

func levels(t *rtos.Task) string { return fmt.Sprintf("e%d/b%d", t.Priority(), t.BasePriority()) }

func (r *caseRun) wake(t *rtos.Task, at uint64) { assert.NoError(r, t.Delay(r.k.Ticks(at))) }

func (r *caseRun) take(t *rtos.Task, m *rtos.Mutex, limit time.Duration) bool {
	err := m.LockFor(t, limit)
	name := m.Info().Name
	if err != nil {
		r.note("%s fails %s", t.Name(), name)
		return false
	}
	r.note("%s has %s", t.Name(), name)
	return true
}

func (r *caseRun) give(t *rtos.Task, m *rtos.Mutex) { assert.NoError(r, m.Unlock(t)) }

func (r *caseRun) expect(want ...string) {
	r.Helper()
	finish(r, r.k)
	assert.Equal(r, want, r.log)
}

// 1: the holder runs at the waiter's priority until it gives the mutex back.
func TestFieldCase1ClassicInversion(t *testing.T) {
	lines := []string{
		"0 L has A", "1 L is e1/b1", "4 L is e3/b1", "20 H has A", "20 M runs", "21 L is e1/b1", "70 M ends", "70 L goes on e1/b1"}
	underBothPolicies(t, lines, lines, func(t *testing.T, policy rtos.Inheritance, want []string) {
		r := newCase(t, sim.Options{}, rtos.Config{Inheritance: policy})
		a := rtos.NewMutex("A")
		l := spawn(t, r.k, "L", 1, func(l *rtos.Task) {
			r.take(l, a, rtos.Forever)
			l.Work(r.k.Ticks(20))
			r.give(l, a)
			r.note("L goes on %s", levels(l))
		})
		spawn(t, r.k, "H", 3, func(h *rtos.Task) {
			r.wake(h, 3)
			r.take(h, a, rtos.Forever)
			r.give(h, a)
		})
		spawn(t, r.k, "M", 2, func(m *rtos.Task) {
			r.wake(m, 5)
			r.note("M runs")
			m.Work(r.k.Ticks(50))
			r.note("M ends")
		})
		r.probe(l, 60)
		r.expect(want...)
	})
}

// 2: FreeRTOS's boost ends with the last held mutex, the chained one with the give of the
// mutex that somebody waits for.
func TestFieldCase2TwoMutexesHeld(t *testing.T) {
	for _, c := range []struct {
		slicing       sim.Toggle
		first, second string
	}{
		{sim.On, "11 H has A", "15 L gives B, was e5/b1"},
		{sim.Off, "15 L gives B, was e5/b1", "15 H has A"},
	} {
		underBothPolicies(t, []string{
			"1 L is e1/b1", "3 L is e5/b1", "10 L gives A, is e5/b1", c.first, c.second, "15 M runs", "16 L is e1/b1",
			"18 M ends", "18 L goes on e1/b1",
		}, []string{
			"1 L is e1/b1", "3 L is e5/b1", "10 H has A", "10 M runs", "11 L is e1/b1", "13 M ends", "13 L gives A, is e1/b1",
			"18 L gives B, was e1/b1", "18 L goes on e1/b1",
		}, func(t *testing.T, policy rtos.Inheritance, want []string) {
			r := newCase(t, sim.Options{TimeSlicing: c.slicing}, rtos.Config{Inheritance: policy})
			a, b := rtos.NewMutex("A"), rtos.NewMutex("B")
			l := spawn(t, r.k, "L", 1, func(l *rtos.Task) {
				assert.NoError(t, a.Lock(l))
				assert.NoError(t, b.Lock(l))
				l.Work(r.k.Ticks(10))
				r.give(l, a)
				r.note("L gives A, is %s", levels(l))
				l.Work(r.k.Ticks(5))
				r.note("L gives B, was %s", levels(l))
				r.give(l, b)
				r.note("L goes on %s", levels(l))
			})
			spawn(t, r.k, "H", 5, func(h *rtos.Task) {
				r.wake(h, 2)
				r.take(h, a, rtos.Forever)
				r.give(h, a)
			})
			spawn(t, r.k, "M", 3, func(m *rtos.Task) {
				r.wake(m, 3)
				r.note("M runs")
				m.Work(r.k.Ticks(3))
				r.note("M ends")
			})
			r.probe(l, 20)
			r.expect(want...)
		})
	}
}

// 3: a waiter that gives up takes its boost away. In FreeRTOS it does so itself, so that
// without time slices, while the holder goes on, the boost stays; chained it ends with
// the limit.
func TestFieldCase3WaiterGivesUp(t *testing.T) {
	yields := []string{"0 L has A", "1 L is e1/b1", "3 L is e5/b1", "12 H fails A", "12 L is e1/b1", "12 M runs", "13 L is e3/b1",
		"32 M fails A", "32 L is e1/b1", "33 L is e1/b1", "40 L gives A"}
	ends := []string{"0 L has A", "1 L is e1/b1", "3 L is e5/b1", "12 L is e1/b1", "12 H fails A", "12 L is e1/b1", "12 M runs",
		"13 L is e3/b1", "32 L is e1/b1", "32 M fails A", "32 L is e1/b1", "40 L gives A"}
	stays := []string{"0 L has A", "1 L is e1/b1", "3 L is e5/b1", "40 H has A", "40 L is e1/b1", "40 M runs", "40 M has A", "40 L is e1/b1", "40 L gives A"}
	for i, slicing := range []sim.Toggle{sim.On, sim.Off} {
		underBothPolicies(t, [][]string{yields, stays}[i], ends, func(t *testing.T, policy rtos.Inheritance, want []string) {
			r := newCase(t, sim.Options{TimeSlicing: slicing}, rtos.Config{Inheritance: policy})
			a := rtos.NewMutex("A")
			l := spawn(t, r.k, "L", 1, func(l *rtos.Task) {
				r.take(l, a, rtos.Forever)
				l.Work(r.k.Ticks(40))
				r.give(l, a)
				r.note("L gives A")
			})
			spawn(t, r.k, "H", 5, func(h *rtos.Task) {
				r.wake(h, 2)
				if r.take(h, a, r.k.Ticks(10)) {
					r.give(h, a)
				}
				r.note("L is %s", levels(l))
			})
			spawn(t, r.k, "M", 3, func(m *rtos.Task) {
				r.wake(m, 4)
				r.note("M runs")
				if r.take(m, a, r.k.Ticks(20)) {
					r.give(m, a)
				}
				r.note("L is %s", levels(l))
			})
			r.probe(l, 39)
			r.expect(want...)
		})
	}
}

// 4: FreeRTOS's boost does not pass on along a chain, the chained one does.
func TestFieldCase4Chain(t *testing.T) {
	underBothPolicies(t, []string{
		"0 L has A", "1 L is e1/b1", "2 M has B", "3 L is e3/b1", "6 X runs; L is e3/b1, M is e5/b3", "26 X ends; L is e3/b1, M is e5/b3", "50 M has A", "50 H has B",
	}, []string{
		"0 L has A", "1 L is e1/b1", "2 M has B", "3 L is e3/b1", "5 L is e5/b1", "30 M has A", "30 H has B", "30 X runs; L is e1/b1, M is e3/b3",
		"50 X ends; L is e1/b1, M is e3/b3",
	}, func(t *testing.T, policy rtos.Inheritance, want []string) {
		r := newCase(t, sim.Options{}, rtos.Config{Inheritance: policy})
		a, b := rtos.NewMutex("A"), rtos.NewMutex("B")
		l := spawn(t, r.k, "L", 1, func(l *rtos.Task) {
			r.take(l, a, rtos.Forever)
			l.Work(r.k.Ticks(30))
			r.give(l, a)
		})
		m := spawn(t, r.k, "M", 3, func(m *rtos.Task) {
			r.wake(m, 2)
			r.take(m, b, rtos.Forever)
			r.take(m, a, rtos.Forever)
			r.give(m, a)
			r.give(m, b)
		})
		spawn(t, r.k, "H", 5, func(h *rtos.Task) {
			r.wake(h, 4)
			r.take(h, b, rtos.Forever)
			r.give(h, b)
		})
		spawn(t, r.k, "X", 4, func(x *rtos.Task) {
			r.wake(x, 6)
			r.note("X runs; L is %s, M is %s", levels(l), levels(m))
			x.Work(r.k.Ticks(20))
			r.note("X ends; L is %s, M is %s", levels(l), levels(m))
		})
		r.probe(l, 29)
		r.expect(want...)
	})
}

// 5: the effective priority is the higher of the requested base and the borrowed one.
// FreeRTOS forgets the loan when the base is above it for a time, see part 3.
func TestFieldCase5BaseChangedWhileBoosted(t *testing.T) {
	one := []string{"5 L is e5/b1", "5 L is e5/b2", "7 L is e5/b2", "7 H has A", "7 L is e2/b2"}
	two := []string{"5 L is e5/b1", "5 L is e5/b2", "5 L is e7/b7", "7 L is e7/b7", "7 H has A"}
	for _, c := range []struct {
		part              string
		sets              []int
		givesAtOnce       bool
		freertos, chained []string
	}{
		{"part 1", []int{2}, false, one, one},
		{"part 2", []int{2, 7}, true, two, two},
		{"part 3", []int{7, 2}, false,
			[]string{"5 L is e5/b1", "5 L is e7/b7", "5 L is e2/b2", "7 L is e2/b2", "7 H has A", "7 L is e2/b2"},
			[]string{"5 L is e5/b1", "5 L is e7/b7", "5 L is e5/b2", "7 L is e5/b2", "7 H has A", "7 L is e2/b2"}},
	} {
		t.Run(c.part, func(t *testing.T) {
			underBothPolicies(t, c.freertos, c.chained, func(t *testing.T, policy rtos.Inheritance, want []string) {
				r := newCase(t, sim.Options{}, rtos.Config{Inheritance: policy})
				a := rtos.NewMutex("A")
				spawn(t, r.k, "L", 1, func(l *rtos.Task) {
					assert.NoError(t, a.Lock(l))
					l.Work(r.k.Ticks(5))
					r.note("L is %s", levels(l))
					for _, prio := range c.sets {
						l.SetPriority(prio)
						r.note("L is %s", levels(l))
					}
					if c.givesAtOnce {
						r.give(l, a)
					}
					l.Work(r.k.Ticks(2))
					r.note("L is %s", levels(l))
					if !c.givesAtOnce {
						r.give(l, a)
						r.note("L is %s", levels(l))
					}
				})
				spawn(t, r.k, "H", 5, func(h *rtos.Task) {
					r.wake(h, 2)
					r.take(h, a, rtos.Forever)
					r.give(h, a)
				})
				r.expect(want...)
			})
		})
	}
}

// 6: a boosted task that waits queues by its effective priority. FreeRTOS has it queue
// by the base that it has set, and two tasks wait for each other until a limit ends.
// InheritChained queues by the effective one, whatever the compatibility flags say.
func TestFieldCase6BoostedTaskQueues(t *testing.T) {
	wanted := []string{"0 T0 has B", "0 T1 has A", "6 T1 is e5/b2", "20 T1 has B", "20 T2 has A", "20 T3 has B", "20 T3 has A", "20 T1 ends e2/b2"}
	for _, c := range []struct {
		name     string
		compat   rtos.Compat
		freertos []string
	}{
		{"by effective priority", 0, wanted},
		{"as FreeRTOS", rtos.CompatFreeRTOS, []string{
			"0 T0 has B", "0 T1 has A", "6 T1 is e5/b2", "20 T3 has B", "106 T1 fails B", "106 T2 has A", "106 T3 has A", "106 T1 ends e2/b2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			underBothPolicies(t, c.freertos, wanted, func(t *testing.T, policy rtos.Inheritance, want []string) {
				r := newCase(t, sim.Options{}, rtos.Config{Compat: c.compat, Inheritance: policy})
				a, b := rtos.NewMutex("A"), rtos.NewMutex("B")
				spawn(t, r.k, "T0", 7, func(me *rtos.Task) {
					r.take(me, b, rtos.Forever)
					r.wake(me, 20)
					r.give(me, b)
				})
				t1 := spawn(t, r.k, "T1", 1, func(me *rtos.Task) {
					r.take(me, a, rtos.Forever)
					me.Work(r.k.Ticks(6))
					me.SetPriority(2)
					r.note("T1 is %s", levels(me))
					if r.take(me, b, r.k.Ticks(100)) {
						r.give(me, b)
					}
					r.give(me, a)
					r.note("T1 ends %s", levels(me))
				})
				spawn(t, r.k, "T3", 4, func(me *rtos.Task) {
					r.wake(me, 2)
					assert.Equal(t, "e1/b1", levels(t1))
					r.take(me, b, rtos.Forever)
					r.take(me, a, rtos.Forever)
					r.give(me, a)
					r.give(me, b)
				})
				spawn(t, r.k, "T2", 5, func(me *rtos.Task) {
					r.wake(me, 4)
					r.take(me, a, rtos.Forever)
					r.give(me, a)
				})
				r.expect(want...)
			})
		})
	}
}

// 9: a give is no hand-over: an equal task that goes on takes the mutex again first.
func TestFieldCase9GiveIsNoHandOver(t *testing.T) {
	for _, slicing := range []sim.Toggle{sim.On, sim.Off} {
		r := newCase(t, sim.Options{TimeSlicing: slicing}, rtos.Config{})
		a := rtos.NewMutex("A")
		for _, name := range []string{"T1", "T2"} { // the later of two equals runs first
			spawn(t, r.k, name, 2, func(me *rtos.Task) {
				for range 5 {
					r.take(me, a, rtos.Forever)
					me.Work(r.k.Ticks(3))
					r.give(me, a)
				}
				r.note("%s ends", name)
			})
		}
		r.expect("0 T2 has A", "3 T2 has A", "6 T2 has A", "9 T2 has A", "12 T2 has A", "15 T2 ends",
			"15 T1 has A", "18 T1 has A", "21 T1 has A", "24 T1 has A", "27 T1 has A", "30 T1 ends")
	}
}

// 12: missed periods are told and caught up one by one.
func TestFieldCase12MissedPeriodInTicks(t *testing.T) {
	r := newCase(t, sim.Options{}, rtos.Config{})
	spawn(t, r.k, "A", 3, func(a *rtos.Task) {
		var ref time.Duration
		for i := range 7 {
			if i == 2 {
				a.Work(r.k.Ticks(25))
			}
			waited, err := a.DelayUntil(&ref, r.k.Ticks(10))
			assert.NoError(t, err)
			r.note("%t ref %d", waited, ref/r.k.Ticks(1))
		}
		ref += r.k.Ticks(1 << 31)
		waited, err := a.DelayUntil(&ref, r.k.Ticks(10))
		assert.NoError(t, err)
		r.note("%t, far ahead", waited)
	})
	r.expect("10 true ref 10", "20 true ref 20", "45 false ref 30", "45 false ref 40", "50 true ref 50", "60 true ref 60",
		"70 true ref 70", "70 false, far ahead")
}

// 17: suspensions nest, the tick stands still meanwhile and is caught up.
func TestFieldCase17NestedSuspension(t *testing.T) {
	r := newCase(t, sim.Options{}, rtos.Config{})
	s := rtos.NewBinary("S")
	h := spawn(t, r.k, "H", 5, func(h *rtos.Task) {
		r.note("H %v", s.TakeFor(h, r.k.Ticks(5)))
		r.note("H %v", s.TakeFor(h, r.k.Ticks(50)))
		r.wake(h, 4)
		r.note("H ends")
	})
	spawn(t, r.k, "L", 1, func(l *rtos.Task) {
		r.k.SuspendScheduler(l)
		r.k.SuspendScheduler(l)
		l.Work(r.k.Ticks(10))
		assert.Equal(t, rtos.Ticks(0), r.k.TickCount())
		assert.True(t, s.Give())
		r.note("L gave")
		assert.Equal(t, rtos.StateReady, h.State())
		assert.False(t, r.k.ResumeScheduler(l))
		assert.Equal(t, rtos.Ticks(0), r.k.TickCount())
		r.note("L resumes")
		assert.True(t, r.k.ResumeScheduler(l), "it switched")
		assert.Equal(t, rtos.Ticks(10), r.k.TickCount())
		r.note("L ends")
	})
	r.expect("10 L gave", "10 L resumes", "10 H <nil>", "10 L ends", "60 H rtos: timeout", "64 H ends")
}

// 23: virtual time goes on while a task waits for a mutex, however long. When nobody is
// left the run ends by itself, with a summary.
func TestFieldCase23TimeGoesOn(t *testing.T) {
	for _, n := range []uint64{1, 1e9} {
		begin := time.Now()
		r := newCase(t, sim.Options{}, rtos.Config{})
		m := rtos.NewMutex("m")
		spawn(t, r.k, "A", 2, func(a *rtos.Task) {
			r.take(a, m, rtos.Forever)
			r.wake(a, 30*n)
			r.give(a, m)
		})
		spawn(t, r.k, "B", 3, func(b *rtos.Task) {
			r.wake(b, 1)
			r.take(b, m, rtos.Forever)
			r.wake(b, 50*n)
			r.give(b, m)
			r.note("B is out")
		})
		r.expect("0 A has m", fmt.Sprintf("%d B has m", 30*n), fmt.Sprintf("%d B is out", 80*n))
		assert.Less(t, time.Since(begin), time.Second)
		assert.Contains(t, r.s.Summary().String(), fmt.Sprintf("virtual time %d, seed 0: 11 switches, 0 interrupts, idle 100.0%%\n", 80*n))
	}
}
