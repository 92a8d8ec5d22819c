package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// bustle runs a program of tasks that do at random what switches, and returns its
// timeline.
func bustle(t *testing.T, seed uint64, drive func(k *rtos.Kernel, s *sim.Sim) error) string {
	var trace bytes.Buffer
	k, s := newSim(t, sim.Options{Trace: &trace, Seed: seed})
	g := rand.New(rand.NewPCG(seed, 1))
	sem := rtos.NewCounting("s", 10, 1)
	var tasks []*rtos.Task
	made := 0
	var body func(me *rtos.Task)
	some := func() *rtos.Task { return tasks[g.IntN(len(tasks))] }
	add := func() {
		if made++; made > 60 {
			return
		}
		name := fmt.Sprint("t", made)
		if task, err := k.Spawn(name, 1+g.IntN(3), body); err == nil {
			tasks = append(tasks, task)
		}
	}
	body = func(me *rtos.Task) {
		defer func() {
			if g.IntN(10) == 0 {
				some().Delete() // perhaps while it is itself deleted
			}
		}()
		for range 20 + g.IntN(20) {
			if g.IntN(40) == 0 {
				some().Delete()
			}
			switch g.IntN(12) {
			case 0, 1:
				add()
			case 2:
				some().Suspend()
			case 3:
				some().Resume()
			case 4:
				some().SetPriority(1 + g.IntN(3))
			case 5, 6:
				_ = me.Delay(k.Ticks(g.Uint64N(4)))
			case 7:
				me.Work(k.Ticks(g.Uint64N(4)))
			case 8:
				_ = sem.TakeFor(me, k.Ticks(3))
			case 9:
				sem.Give()
			default:
				me.Yield()
			}
			assert.Same(t, me, k.Current(), "who has the processor is who runs")
		}
	}
	for range 8 {
		add()
	}
	assert.NoError(t, drive(k, s))
	assert.NoError(t, s.Close())
	return trace.String()
}

// Tasks that switch to each other past the driver do what they do when the driver sees
// every step.
func TestSwitchesPastTheDriver(t *testing.T) {
	before := goleak.IgnoreCurrent()
	switches := 0
	for seed := range uint64(50) {
		direct := bustle(t, seed, func(k *rtos.Kernel, _ *sim.Sim) error { return k.Run(t.Context()) })
		steps := bustle(t, seed, func(_ *rtos.Kernel, s *sim.Sim) error {
			for more, err := s.Step(); more || err != nil; more, err = s.Step() {
				if err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, lines(steps), lines(direct), "seed %d", seed)
		switches += len(lines(direct))
	}
	assert.Greater(t, switches, 10_000)
	goleak.VerifyNone(t, before)
}

// turns has tasks of one priority take turns, so many times, until one of them ends it all.
func turns(t *testing.T, k *rtos.Kernel, tasks, times int, end func(), unwound func()) {
	for i := range tasks {
		spawn(t, k, fmt.Sprint("t", i), 1, func(me *rtos.Task) {
			if i == tasks/2 {
				for range times {
					me.Yield()
				}
				end()
			}
			defer unwound()
			for {
				me.Yield()
			}
		})
	}
}

// A Goexit goes on to the driver and to nobody else, also after tasks have switched to
// each other past the driver.
func TestGoexitPassesTheOtherTasks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for n := range 64 {
		tasks, times := 1+n%8, n/8
		k, s := newSim(t, sim.Options{})
		unwound := 0
		turns(t, k, tasks, times, runtime.Goexit, func() {
			unwound++
			assert.True(t, k.Stopping(), "by the end of the kernel")
		})
		returned, done := false, make(chan struct{})
		go func() {
			defer close(done)
			_ = s.RunUntil(5)
			returned = true
		}()
		<-done
		assert.False(t, returned)
		if times > 0 {
			assert.Equal(t, tasks-1, unwound)
		}
	}
	goleak.VerifyNone(t, before)
}

// panics is a handler that does.
type panics struct{ slog.Handler }

func (panics) Enabled(context.Context, slog.Level) bool  { return true }
func (panics) Handle(context.Context, slog.Record) error { panic("the logger") }

// So does a panic out of the last acts of a task, which are the kernel's.
func TestPanicOfTheLastActs(t *testing.T) {
	for tasks := 1; tasks < 8; tasks++ {
		k, s := newSimWith(t, sim.Options{}, rtos.Config{Logger: slog.New(panics{slog.DiscardHandler})})
		unwound := 0
		turns(t, k, tasks-1, 1, func() {}, func() { unwound++ })
		spawn(t, k, "last", 1, func(me *rtos.Task) {
			for range 20 {
				me.Yield()
			}
			new(rtos.Spinlock).Lock(me) // which is logged
		})
		assert.PanicsWithValue(t, "the logger", func() { _ = s.RunUntil(5) })
		assert.Equal(t, tasks-1, unwound)
		assert.NoError(t, s.Close())
	}
}
