package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestInterruptsRunInTheOrderOfTheirCalls(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var order []string
	for _, i := range []struct {
		at   uint64
		name string
	}{{7, "c"}, {3, "a"}, {7, "d"}, {3, "b"}} {
		s.At(i.at, func(*rtos.ISR) { order = append(order, i.name) })
	}
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"a", "b", "c", "d"}, order)
	assert.Panics(t, func() { s.At(7, func(*rtos.ISR) {}) }, "that tick has passed")
	assert.Panics(t, func() { s.At(9, nil) })
}

// An interrupt that does not yield leaves its switch owed to the next tick.
func TestOwedSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		opts []sim.InterruptOption
		at   uint64
	}{"yields": {nil, 3}, "does not": {[]sim.InterruptOption{sim.NoYield()}, 4}} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			var at uint64
			high := spawn(t, k, "high", 2, func(me *rtos.Task) {
				_, _ = me.NotifyTake(true, rtos.Forever)
				at = s.Time()
			})
			spawn(t, k, "low", 1, func(me *rtos.Task) { me.Work(k.Ticks(9)) })
			s.At(3, func(isr *rtos.ISR) { assert.NoError(t, high.NotifyGiveFromISR(isr)) }, c.opts...)
			require.NoError(t, k.Run(t.Context()))
			assert.Equal(t, c.at, at)
		})
	}
}

// Interrupts of one tick run in the order of their calls even if there are many, in any
// order of ticks.
func TestManyInterrupts(t *testing.T) {
	_, s := newSim(t, sim.Options{})
	const n = 5000
	type call struct{ at, number uint64 }
	var want, got []call
	for i := range uint64(n) {
		c := call{1 + i*i*31%977, i}
		want = append(want, c)
		s.At(c.at, func(*rtos.ISR) {
			assert.Equal(t, c.at, s.Time())
			got = append(got, c)
		})
	}
	slices.SortStableFunc(want, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	require.NoError(t, s.Settle())
	assert.Equal(t, want, got)
}

// An interrupt may raise the next one, and is the only place where its ISR is worth
// anything.
func TestInterruptsRaiseInterrupts(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	worker := spawn(t, k, "worker", 1, func(me *rtos.Task) {
		for range 3 {
			_, _ = me.NotifyTake(true, rtos.Forever)
		}
	})
	var times []uint64
	var raise func(isr *rtos.ISR)
	raise = func(isr *rtos.ISR) {
		times = append(times, s.Time())
		assert.NoError(t, worker.NotifyGiveFromISR(isr))
		if len(times) < 3 {
			s.At(s.Time()+1, raise)
		}
	}
	s.At(5, raise)
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []uint64{5, 6, 7}, times)
}

func TestAnInterruptEndsOrSuspendsWhoRuns(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(victim *rtos.Task)
		want []string
	}{
		"deletes":  {(*rtos.Task).Delete, []string{"victim ends at 3", "3 other"}},
		"suspends": {(*rtos.Task).Suspend, []string{"3 other", "victim ends at 30"}},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			var log []string
			victim := spawn(t, k, "victim", 2, func(me *rtos.Task) {
				defer func() { log = append(log, fmt.Sprintf("victim ends at %d", s.Time())) }()
				me.Work(k.Ticks(10))
			})
			spawn(t, k, "other", 1, func(me *rtos.Task) {
				me.Yield()
				log = append(log, fmt.Sprint(s.Time(), " other"))
				me.Work(k.Ticks(20))
				victim.Resume()
			})
			s.At(3, func(*rtos.ISR) { c.act(victim) })
			require.NoError(t, k.Run(t.Context()))
			assert.Equal(t, c.want, log)
		})
	}
}

// A task that an interrupt suspends in a section goes on to the end of it.
func TestSuspendedInASection(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var log []string
	victim := spawn(t, k, "victim", 2, func(me *rtos.Task) {
		k.SuspendScheduler(me)
		me.Work(k.Ticks(5))
		log = append(log, fmt.Sprint(s.Time(), " still inside"))
		k.ResumeScheduler(me)
		log = append(log, fmt.Sprint(s.Time(), " resumed"))
	})
	spawn(t, k, "other", 1, func(me *rtos.Task) {
		me.Work(k.Ticks(20))
		victim.Resume()
	})
	s.At(3, func(*rtos.ISR) { victim.Suspend() })
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"5 still inside", "25 resumed"}, log)
}

// What anybody may call an interrupt may call, too; who then is the most urgent runs at
// its end.
func TestCallsForEverybodyInAnInterrupt(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(me *rtos.Task)
		call    func(me *rtos.Task)
	}{
		"Resume":      {(*rtos.Task).Suspend, (*rtos.Task).Resume},
		"AbortDelay":  {func(*rtos.Task) {}, func(me *rtos.Task) { me.AbortDelay() }},
		"SetPriority": {func(me *rtos.Task) { me.SetPriority(0); me.AbortDelay() }, func(me *rtos.Task) { me.SetPriority(3) }},
	} {
		for _, busy := range []bool{false, true} {
			if !busy && name == "SetPriority" {
				continue // nothing keeps it from running
			}
			for _, inheritance := range []rtos.Inheritance{rtos.InheritFreeRTOS, rtos.InheritChained} {
				t.Run(fmt.Sprint(name, ", busy ", busy, inheritance), func(t *testing.T) {
					k, s := newSimWith(t, sim.Options{}, rtos.Config{Inheritance: inheritance})
					var at uint64
					urgent := spawn(t, k, "urgent", 3, func(me *rtos.Task) {
						_ = me.Delay(k.Ticks(100))
						at = s.Time()
					})
					if busy {
						spawn(t, k, "busy", 1, func(me *rtos.Task) { me.Work(k.Ticks(50)) })
					}
					s.At(3, func(*rtos.ISR) { c.disturb(urgent) })
					s.At(7, func(*rtos.ISR) { c.call(urgent) })
					require.NoError(t, k.Run(t.Context()))
					assert.EqualValues(t, 7, at)
				})
			}
		}
	}
}

// The scheduler does not stay suspended because whoever suspended it has ended.
func TestSectionsEndWithTheirTask(t *testing.T) {
	for name, leave := range map[string]func(me *rtos.Task){
		"return":  func(*rtos.Task) {},
		"deleted": func(me *rtos.Task) { me.Work(me.Kernel().Ticks(10)) },
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			spawn(t, k, "other", 1, func(me *rtos.Task) { assert.NoError(t, me.Delay(k.Ticks(20))) })
			holder := spawn(t, k, "holder", 2, func(me *rtos.Task) {
				k.SuspendScheduler(me)
				k.SuspendScheduler(me)
				me.Work(k.Ticks(2))
				leave(me)
			})
			s.At(5, func(*rtos.ISR) { holder.Delete() })
			require.NoError(t, k.Run(t.Context()))
			assert.Less(t, s.Time(), uint64(30))
			assert.EqualValues(t, s.Time(), k.TickCount(), "nothing is left pending")
		})
	}
}

func TestPanicOfAnInterrupt(t *testing.T) {
	for _, busy := range []bool{false, true} {
		k, s := newSim(t, sim.Options{})
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			if busy {
				me.Work(k.Ticks(10))
			}
			_ = me.Delay(rtos.Forever)
		})
		s.At(3, func(*rtos.ISR) { panic("boom") }, sim.Named("uart"))
		var p *rtos.PanicError
		require.ErrorAs(t, k.Run(t.Context()), &p)
		assert.Equal(t, "uart", p.Interrupt)
		assert.Empty(t, p.Task)
		assert.Equal(t, "boom", p.Value)
		assert.Contains(t, p.Error(), `rtos: interrupt "uart" panicked: boom`)
		assert.Contains(t, string(p.Stack), "TestPanicOfAnInterrupt")
		assert.EqualValues(t, 3, s.Time())
		assert.Zero(t, k.NumTasks())
	}
}

func TestCatchUp(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var log []string
	spawn(t, k, "high", 2, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(50)))
		log = append(log, fmt.Sprint("high at ", k.TickCount()))
	})
	spawn(t, k, "low", 1, func(me *rtos.Task) {
		assert.False(t, s.CatchUp(49))
		log = append(log, fmt.Sprint("low at ", k.TickCount()))
		assert.True(t, s.CatchUp(1_000_000_000))
		log = append(log, fmt.Sprint("low at ", k.TickCount()))
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"low at 49", "high at 1000000049", "low at 1000000049"}, log)
	assert.Zero(t, s.Time())
	misuses(t, "Sim.CatchUp", "not called by a task", func() { s.CatchUp(1) })
}

// Work is a task's own, and in an interrupt there is nobody to do it.
func TestWorkOfAnotherIsMisuse(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	a := spawn(t, k, "a", 1, func(me *rtos.Task) { me.Work(k.Ticks(5)) })
	s.At(2, func(*rtos.ISR) {
		misuses(t, "Task.Work", "not called by the task itself", func() { a.Work(k.Ticks(1)) })
	})
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 5, s.Time())
}
