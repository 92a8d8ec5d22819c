package rtos_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A ring has n tasks T1, T2 ..., of priorities 1, 2 ...; each holds the mutex of its number
// and then wants that of the next, the last one that of the first. T1 comes last.
type ring struct {
	t     *testing.T
	k     *rtos.Kernel
	s     *sim.Sim
	locks []lockable
	tasks []*rtos.Task
	log   []string
}

func newRing(t *testing.T, n int, c rtos.Config, lock func(r *ring, me *rtos.Task, i int, m lockable) error, locks ...lockable) *ring {
	c.Inheritance = rtos.InheritChained
	r := &ring{t: t, locks: locks}
	r.k, r.s = newSim(t, sim.Options{}, c)
	for i := len(locks); i < n; i++ {
		r.locks = append(r.locks, rtos.NewMutex(fmt.Sprint("m", i+1)))
	}
	for i := range n {
		r.tasks = append(r.tasks, spawn(t, r.k, fmt.Sprint("T", i+1), i+1, func(me *rtos.Task) {
			mine, next := r.locks[i], r.locks[(i+1)%n]
			assert.NoError(t, mine.Lock(me))
			assert.NoError(t, me.Delay(r.k.Ticks(uint64(n-i))))
			err := lock(r, me, i, next)
			r.log = append(r.log, fmt.Sprintf("%d %s %s: %v", r.s.Time(), me, levels(me), err))
			if err == nil {
				assert.NoError(t, next.Unlock(me))
			}
			assert.NoError(t, mine.Unlock(me))
		}))
	}
	return r
}

func plainly(_ *ring, me *rtos.Task, _ int, m lockable) error { return m.Lock(me) }

func (r *ring) expect(want ...string) {
	r.t.Helper()
	finish(r.t, r.k)
	assert.Equal(r.t, want, r.log)
	for i, m := range r.locks {
		assert.Nil(r.t, m.Holder(), "mutex %d", i+1)
	}
}

// The task that would close the ring is told, by all names; the others go on when it gives.
func TestDeadlockIsReported(t *testing.T) {
	newRing(t, 2, rtos.Config{}, plainly).expect(
		`2 T1 e2/b1: rtos: deadlock: task "T1" waits for mutex "m2" of "T2", which waits for mutex "m1" of "T1"`,
		`2 T2 e2/b2: <nil>`)
	newRing(t, 3, rtos.Config{}, plainly).expect(
		`3 T1 e3/b1: rtos: deadlock: task "T1" waits for mutex "m2" of "T2", which waits for mutex "m3" of "T3", which waits for mutex "m1" of "T1"`,
		`3 T3 e3/b3: <nil>`,
		`3 T2 e2/b2: <nil>`)
	newRing(t, 3, rtos.Config{}, plainly, rtos.NewRecursiveMutex("r"), new(rtos.Mutex), new(rtos.RecursiveMutex)).expect(
		`3 T1 e3/b1: rtos: deadlock: task "T1" waits for a mutex of "T2", which waits for a mutex of "T3", which waits for mutex "r" of "T1"`,
		`3 T3 e3/b3: <nil>`,
		`3 T2 e2/b2: <nil>`)
}

func TestCycleErrorHasTheNames(t *testing.T) {
	r := newRing(t, 2, rtos.Config{}, func(_ *ring, me *rtos.Task, i int, m lockable) error {
		err := m.Lock(me)
		if i == 0 {
			assert.ErrorIs(t, err, rtos.ErrDeadlock)
			var d *rtos.CycleError
			if assert.ErrorAs(t, err, &d) {
				assert.Equal(t, []rtos.CycleWait{{"T1", "m2", "T2"}, {"T2", "m1", "T1"}}, d.Waits)
			}
			assert.PanicsWithError(t, err.Error(), m.Locker(me).Lock)
			assert.False(t, m.TryLock(me))
			assert.Equal(t, rtos.ErrWouldBlock, m.LockFor(me, 0), "a poll closes no ring")
		}
		return err
	})
	finish(t, r.k)
	assert.Len(t, r.log, 2)
}

// A wait that ends by itself makes no deadlock, wherever it is in the ring.
func TestRingThatALimitBreaks(t *testing.T) {
	limited := func(who int) func(r *ring, me *rtos.Task, i int, m lockable) error {
		return func(r *ring, me *rtos.Task, i int, m lockable) error {
			if i == 0 {
				r.s.At(r.s.Time()+1, func(*rtos.ISR) {
					for _, q := range r.tasks {
						assert.Equal(t, 3, q.Priority(), "all of a ring have the priority of the highest")
					}
				})
			}
			if i == who {
				return m.LockFor(me, r.k.Ticks(10))
			}
			return m.Lock(me)
		}
	}
	newRing(t, 3, rtos.Config{}, limited(0)).expect(
		"13 T1 e3/b1: rtos: timeout", "13 T3 e3/b3: <nil>", "13 T2 e2/b2: <nil>")
	newRing(t, 3, rtos.Config{}, limited(1)).expect(
		"12 T2 e3/b2: rtos: timeout", "12 T1 e3/b1: <nil>", "12 T3 e3/b3: <nil>")
	newRing(t, 3, rtos.Config{}, limited(2)).expect(
		"11 T3 e3/b3: rtos: timeout", "11 T2 e2/b2: <nil>", "11 T1 e1/b1: <nil>")
}

// A context that may be done is an end; one that cannot is none.
func TestRingThatAContextBreaks(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	newRing(t, 2, rtos.Config{}, func(r *ring, me *rtos.Task, i int, m lockable) error {
		if i == 1 {
			return m.LockCtx(ctx, me)
		}
		r.s.At(9, func(*rtos.ISR) { cancel() })
		return m.Lock(me)
	}).expect("9 T2 e2/b2: context canceled", "9 T1 e1/b1: <nil>")
	newRing(t, 2, rtos.Config{}, func(_ *ring, me *rtos.Task, _ int, m lockable) error {
		return m.LockCtx(context.Background(), me)
	}).expect(
		`2 T1 e2/b1: rtos: deadlock: task "T1" waits for mutex "m2" of "T2", which waits for mutex "m1" of "T1"`,
		`2 T2 e2/b2: <nil>`)
}

// An abort, a suspension and a deletion break a ring, too. Nobody of it is kept up by a
// priority that has gone.
func TestRingThatIsBroken(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(r *ring)
		want []string
	}{
		"abort": {func(r *ring) { r.tasks[1].AbortDelay() }, []string{
			"5 T2 e3/b2: rtos: wait aborted", "5 T1 e3/b1: <nil>", "5 T3 e3/b3: <nil>"}},
		"suspend": {func(r *ring) {
			r.tasks[1].Suspend()
			assert.Equal(t, "e3/b2", levels(r.tasks[1]))
			assert.Equal(t, "e3/b3", levels(r.tasks[2]))
			r.tasks[1].Resume()
		}, []string{"13 T1 e3/b1: rtos: timeout", "13 T3 e3/b3: <nil>", "13 T2 e2/b2: <nil>"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRing(t, 3, rtos.Config{}, func(r *ring, me *rtos.Task, i int, m lockable) error {
				if i == 0 {
					return m.LockFor(me, r.k.Ticks(10))
				}
				return m.Lock(me)
			})
			spawn(t, r.k, "outside", 7, func(o *rtos.Task) {
				assert.NoError(t, o.Delay(r.k.Ticks(4)))
				h := spawn(t, r.k, "H", 6, func(h *rtos.Task) { _ = r.locks[2].LockFor(h, r.k.Ticks(100)) })
				assert.NoError(t, o.Delay(r.k.Ticks(1)))
				for _, q := range r.tasks {
					assert.Equal(t, 6, q.Priority(), "H waits for one of the ring")
				}
				h.Delete()
				for _, q := range r.tasks {
					assert.Equal(t, 3, q.Priority(), "H is gone")
				}
				c.act(r)
			})
			r.expect(c.want...)
		})
	}
}

// With CompatSelfTake a task that wants its own mutex is a ring of one.
func TestRingOfOne(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{Inheritance: rtos.InheritChained, Compat: rtos.CompatSelfTake})
	m := rtos.NewMutex("m")
	spawn(t, k, "T", 2, func(me *rtos.Task) {
		assert.NoError(t, m.Lock(me))
		assert.EqualError(t, m.Lock(me), `rtos: deadlock: task "T" waits for mutex "m" of "T"`)
		assert.Equal(t, rtos.ErrTimeout, m.LockFor(me, k.Ticks(5)))
		assert.EqualValues(t, 5, s.Time())
		assert.Equal(t, "e2/b2", levels(me))
		assert.NoError(t, m.Unlock(me))
	})
	finish(t, k)
}

// InheritFreeRTOS does not look for rings.
func TestFreeRTOSDoesNotLookForDeadlocks(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{})
	a, b := rtos.NewMutex("A"), rtos.NewMutex("B")
	for i, order := range [][2]*rtos.Mutex{{a, b}, {b, a}} {
		spawn(t, k, fmt.Sprint("T", i), 1, func(me *rtos.Task) {
			assert.NoError(t, order[0].Lock(me))
			assert.NoError(t, me.Delay(time.Millisecond))
			t.Error(order[1].Lock(me))
		})
	}
	_ = k.Run(t.Context())
}
