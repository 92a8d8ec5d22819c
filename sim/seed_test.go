package sim_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// orders runs body under many seeds and counts the different logs it leaves.
func orders(t *testing.T, seeds uint64, c rtos.Config, body func(k *rtos.Kernel, s *sim.Sim, note func(string))) map[string]int {
	seen := map[string]int{}
	for seed := range seeds {
		k, s := newSimWith(t, sim.Options{Seed: seed}, c)
		var log []string
		body(k, s, func(what string) { log = append(log, what) })
		require.NoError(t, k.Run(t.Context()))
		text := strings.Join(log, " ")
		if seed == 0 {
			seen["seed 0: "+text]++
		}
		seen[text]++
	}
	return seen
}

// Of equal tasks each may start first, and in any order; more urgent ones come first all
// the same.
func TestSeedsChooseTheStartOrder(t *testing.T) {
	seen := orders(t, 200, rtos.Config{}, func(k *rtos.Kernel, _ *sim.Sim, note func(string)) {
		for _, name := range []string{"a", "b", "c"} {
			spawn(t, k, name, 1, func(*rtos.Task) { note(name) })
		}
		spawn(t, k, "high", 2, func(*rtos.Task) { note("high") })
	})
	assert.Equal(t, 1, seen["seed 0: high a b c"], "FreeRTOS's order")
	for _, order := range []string{"a b c", "a c b", "b a c", "b c a", "c a b", "c b a"} {
		assert.Greater(t, seen["high "+order], 10, order)
	}
	assert.Len(t, seen, 7)
}

// Of equal waiters each may be woken first. Seed 0, and FreeRTOS's order of waiters under
// any seed, is by arrival.
func TestSeedsChooseAmongEqualWaiters(t *testing.T) {
	for _, compat := range []rtos.Compat{0, rtos.CompatOrder} {
		seen := orders(t, 200, rtos.Config{Compat: compat}, func(k *rtos.Kernel, _ *sim.Sim, note func(string)) {
			sem := rtos.NewCounting("s", 9, 0)
			for i, name := range []string{"a", "b", "c", "high"} {
				prio := 1
				if name == "high" {
					prio = 2
				}
				spawn(t, k, name, prio, func(me *rtos.Task) {
					assert.NoError(t, me.Delay(k.Ticks(uint64(1+i)))) // they arrive in this order
					assert.NoError(t, sem.Take(me))
					note(name)
				})
			}
			spawn(t, k, "giver", 3, func(me *rtos.Task) {
				for range 4 {
					assert.NoError(t, me.Delay(k.Ticks(10)))
					sem.Give()
				}
			})
		})
		assert.Equal(t, 1, seen["seed 0: high a b c"])
		if compat != 0 {
			assert.Equal(t, 200, seen["high a b c"])
			continue
		}
		assert.Len(t, seen, 7)
		for _, order := range []string{"a b c", "a c b", "b a c", "b c a", "c a b", "c b a"} {
			assert.Greater(t, seen["high "+order], 10, order)
		}
	}
}

func TestSeedsChooseWithinAWindow(t *testing.T) {
	seen := map[uint64]int{}
	for seed := range uint64(400) {
		_, s := newSim(t, sim.Options{Seed: seed})
		var at uint64
		tick := s.Within(10, 13, func(*rtos.ISR) { at = s.Time() })
		require.NoError(t, s.Settle())
		assert.Equal(t, tick, at)
		if seed == 0 {
			assert.EqualValues(t, 10, at)
		}
		seen[at]++
	}
	for tick := uint64(10); tick <= 13; tick++ {
		assert.Greater(t, seen[tick], 50)
	}
	assert.Len(t, seen, 4)

	_, s := newSim(t, sim.Options{Seed: 1})
	require.NoError(t, s.RunUntil(5))
	for range 100 {
		assert.Greater(t, s.Within(6, 1<<64-1, func(*rtos.ISR) {}), uint64(5))
	}
	assert.EqualValues(t, 9, s.Within(9, 9, func(*rtos.ISR) {}))
	misuses(t, "Sim.Within", "the window from 9 to 8 is empty", func() { s.Within(9, 8, func(*rtos.ISR) {}) })
	misuses(t, "Sim.Within", "tick 5 has passed", func() { s.Within(5, 8, func(*rtos.ISR) {}) })
	misuses(t, "Sim.Within", "nil function", func() { s.Within(9, 10, nil) })
}

// One seed makes one trace; what a kind of choice decides does not hang on how many
// choices of another kind there were before.
func TestOneSeedOneTrace(t *testing.T) {
	traces := map[string]uint64{}
	for seed := range uint64(50) {
		first := mixedTrace(t, seed)
		assert.Equal(t, first, mixedTrace(t, seed))
		traces[first] = seed
	}
	assert.Greater(t, len(traces), 45)
}

// mixedTrace is the trace of a mix of everything.
func mixedTrace(t *testing.T, seed uint64) string {
	var out bytes.Buffer
	k, s := newSim(t, sim.Options{Seed: seed, Trace: &out})
	mixed(k, s)
	require.NoError(t, k.Run(t.Context()))
	return out.String()
}

// mixed makes ten tasks that use all there is, with limits that end and limits that do
// not, and interrupts.
func mixed(k *rtos.Kernel, s *sim.Sim) {
	m, r := rtos.NewMutex("m"), rtos.NewRecursiveMutex("r")
	items, slots := rtos.NewCounting("items", 3, 0), rtos.NewCounting("slots", 3, 3)
	ready := rtos.NewBinary("ready")
	queue := rtos.NewQueue[int]("queue", 2)
	tasks := make([]*rtos.Task, 10)
	tick := k.Ticks(1)
	bodies := []func(me *rtos.Task, i int){
		func(me *rtos.Task, i int) { // waits its turn for a mutex
			if m.LockFor(me, 7*tick) != nil {
				s.Logf("no m")
				return
			}
			me.Work(2 * tick)
			_ = m.Unlock(me)
		},
		func(me *rtos.Task, i int) { // one inside the other
			_ = r.Lock(me)
			if r.TryLock(me) {
				me.Yield()
				_ = r.Unlock(me)
			}
			if m.LockFor(me, 3*tick) == nil {
				_ = m.Unlock(me)
			}
			_ = r.Unlock(me)
		},
		func(me *rtos.Task, i int) { // makes items
			if slots.TakeFor(me, 5*tick) == nil {
				items.Give()
			}
			_ = tasks[(i+1)%len(tasks)].NotifyGive()
		},
		func(me *rtos.Task, i int) { // uses them
			if items.TakeFor(me, 4*tick) == nil {
				slots.Give()
			}
			if v, err := me.NotifyTake(true, 6*tick); err == nil {
				s.Logf("notified %d", v)
			}
		},
		func(me *rtos.Task, i int) { // sends, urgent ones first
			if queue.SendFor(me, i, 2*tick) != nil || queue.SendFrontFor(me, -i, tick) != nil {
				s.Logf("full")
			}
		},
		func(me *rtos.Task, i int) { // receives
			if v, err := queue.PeekFor(me, 3*tick); err == nil {
				s.Logf("sees %d", v)
			}
			if v, ok := queue.TryRecv(me); ok {
				s.Logf("has %d", v)
			}
		},
		func(me *rtos.Task, i int) { // meddles
			if ready.TakeFor(me, 9*tick) != nil {
				s.Logf("not ready")
			}
			other := tasks[(i+3)%len(tasks)]
			other.SetPriority(1 + (other.BasePriority()+i)%4)
			other.AbortDelay()
			other.Suspend()
			_ = me.Delay(2 * tick)
			other.Resume()
		},
	}
	for i := range tasks {
		tasks[i], _ = k.Spawn(fmt.Sprint("t", i), 1+i%3, func(me *rtos.Task) {
			for round := range 12 {
				s.Logf("round %d", round)
				bodies[i%len(bodies)](me, i)
				me.Work(k.Ticks(uint64(i % 2)))
			}
		})
	}
	for at := uint64(2); at < 120; at += 7 {
		s.Within(at, at+6, func(isr *rtos.ISR) {
			ready.GiveFromISR(isr)
			if v, ok := queue.TryRecvFromISR(isr); ok {
				s.Logf("took %d", v)
			}
		}, sim.Named("device"))
	}
}
