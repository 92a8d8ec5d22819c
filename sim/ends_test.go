package sim_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A recover that swallows the unwinding meets it again at the next call.
func TestDeletionCannotBeSwallowed(t *testing.T) {
	k, _ := newSim(t, sim.Options{})
	met := 0
	victim := spawn(t, k, "victim", 1, func(me *rtos.Task) {
		for range 100 {
			func() {
				defer func() {
					if recover() != nil {
						met++
					}
				}()
				_ = me.Delay(rtos.Forever)
			}()
		}
	})
	spawn(t, k, "killer", 1, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(1)))
		victim.Delete()
		assert.Equal(t, rtos.StateDeleted, victim.State(), "unwound before Delete returns")
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, 100, met)
}

func TestPanicEndsTheRun(t *testing.T) {
	k, _ := newSim(t, sim.Options{})
	boom := errors.New("boom")
	spawn(t, k, "waits", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
	spawn(t, k, "bad", 1, func(*rtos.Task) { panic(boom) })
	err := k.Run(context.Background())
	var p *rtos.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "bad", p.Task)
	assert.ErrorIs(t, err, boom)
	assert.Zero(t, k.NumTasks())
}

// A Goexit in a task, which is what require does in a test, goes on to whoever drives;
// on its way all tasks are unwound, even if they do the same in a deferred function.
func TestGoexitOfATask(t *testing.T) {
	for name, drive := range map[string]func(k *rtos.Kernel, s *sim.Sim) error{
		"Run":      func(k *rtos.Kernel, _ *sim.Sim) error { return k.Run(context.Background()) },
		"RunUntil": func(_ *rtos.Kernel, s *sim.Sim) error { return s.RunUntil(100) },
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			k, s := newSim(t, sim.Options{})
			m := rtos.NewMutex("m")
			var log []string
			for _, name := range []string{"a", "b", "c"} {
				spawn(t, k, name, 1, func(me *rtos.Task) {
					defer func() {
						log = append(log, name)
						runtime.Goexit()
					}()
					_ = me.Delay(k.Ticks(3))
					_ = m.Lock(me)
				})
			}
			spawn(t, k, "fails", 2, func(me *rtos.Task) {
				defer func() { log = append(log, "fails") }()
				assert.NoError(t, m.Lock(me))
				assert.NoError(t, me.Delay(k.Ticks(5)))
				runtime.Goexit()
			})
			returned, done := false, make(chan struct{})
			go func() {
				defer close(done)
				_ = drive(k, s)
				returned = true
			}()
			<-done
			assert.False(t, returned, "the driver exits, too")
			assert.ElementsMatch(t, []string{"fails", "a", "b", "c"}, log)
			assert.Equal(t, "fails", log[0])
			assert.Zero(t, k.NumTasks())
			assert.NoError(t, s.Close())
			goleak.VerifyNone(t, before)

			// The kernel has ended: what it used can be used by another one.
			k, _ = newSim(t, sim.Options{})
			spawn(t, k, "next", 1, func(me *rtos.Task) {
				assert.ErrorIs(t, m.LockFor(me, k.Ticks(1)), rtos.ErrTimeout, "nobody gave it")
			})
			require.NoError(t, k.Run(t.Context()))
		})
	}
}

// A Goexit of a task that is deleted goes on to who deletes it, and then to the driver;
// what both still do in deferred functions works.
func TestGoexitOfADeletedTask(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var log []string
	note := func(what string) { log = append(log, fmt.Sprint(s.Time(), " ", what)) }
	victim := spawn(t, k, "victim", 1, func(me *rtos.Task) {
		defer runtime.Goexit()
		_ = me.Delay(rtos.Forever)
	})
	spawn(t, k, "killer", 1, func(me *rtos.Task) {
		defer func() {
			_ = me.Delay(k.Ticks(10))
			note("killer")
		}()
		assert.NoError(t, me.Delay(k.Ticks(5)))
		victim.Delete()
		note("not reached")
	})
	spawn(t, k, "other", 1, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(7)))
		note("other")
		defer note("other is unwound")
		_ = me.Delay(rtos.Forever)
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Settle()
	}()
	<-done
	assert.Equal(t, []string{"7 other", "15 killer", "15 other is unwound"}, log)
}

// So does a Goexit in an interrupt, and in a condition.
func TestGoexitOfTheDriver(t *testing.T) {
	for name, drive := range map[string]func(s *sim.Sim){
		"interrupt": func(s *sim.Sim) {
			s.At(3, func(*rtos.ISR) { runtime.Goexit() })
			_ = s.Settle()
		},
		"condition": func(s *sim.Sim) { _ = s.RunTo(func() bool { runtime.Goexit(); return true }, 10) },
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{})
			unwound, done := false, make(chan struct{})
			spawn(t, k, "a", 1, func(me *rtos.Task) {
				defer func() { unwound = true }()
				me.Work(k.Ticks(10))
			})
			require.NoError(t, s.RunUntil(1))
			go func() {
				defer close(done)
				drive(s)
			}()
			<-done
			assert.True(t, unwound)
		})
	}
}

// A task that is being deleted may delete others, stop the kernel, and use up what it
// likes of the remaining calls.
func TestUnwindingTasksAct(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	var log []string
	end := func(me *rtos.Task) { log = append(log, me.Name()) }
	c := spawn(t, k, "c", 1, func(me *rtos.Task) { defer end(me); _ = me.Delay(rtos.Forever) })
	b := spawn(t, k, "b", 1, func(me *rtos.Task) {
		defer func() {
			c.Delete()
			me.Yield()
			me.Work(k.Ticks(5))
			assert.ErrorIs(t, me.Delay(1), rtos.ErrDeleted)
			k.Stop()
			end(me)
		}()
		_ = me.Delay(rtos.Forever)
	})
	spawn(t, k, "a", 2, func(me *rtos.Task) {
		defer end(me)
		assert.NoError(t, me.Delay(k.Ticks(1)))
		b.Delete()
		assert.Equal(t, rtos.StateDeleted, b.State())
		_ = me.Delay(k.Ticks(1))
		assert.Fail(t, "the kernel is stopped")
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, []string{"c", "b", "a"}, log)
	assert.EqualValues(t, 1, s.Time())
}

// A task that is deleted or stopped in a wait for a notification waits no more when its
// deferred functions run: its slot says so, and what they give it is there for them.
func TestUnwindingTasksWaitForNoNotification(t *testing.T) {
	for name, end := range map[string]func(*rtos.Task){
		"deleted": (*rtos.Task).Delete,
		"stopped": func(t *rtos.Task) { t.Kernel().Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			k, _ := newSimWith(t, sim.Options{}, rtos.Config{NotifySlots: 2})
			unwound := false
			waiter := spawn(t, k, "waiter", 1, func(me *rtos.Task) {
				defer func() {
					unwound = true
					i := me.Info()
					assert.Equal(t, []rtos.NotifyInfo{{}, {Value: 7}}, i.Notify)
					assert.NotEqual(t, rtos.StateBlocked, i.State)
					assert.NoError(t, me.NotifyGiveAt(1))
					v, err := me.NotifyTakeAt(1, true, rtos.Forever)
					assert.EqualValues(t, 8, v)
					assert.NoError(t, err)
				}()
				assert.NoError(t, me.NotifyAt(1, 7, rtos.Overwrite))
				me.NotifyStateClear(1)
				_, _ = me.NotifyWait(rtos.NotifyWait{Slot: 1}, rtos.Forever)
			})
			spawn(t, k, "ends it", 1, func(me *rtos.Task) {
				assert.NoError(t, me.Delay(k.Ticks(1)))
				assert.Equal(t, rtos.NotifyWaiting, waiter.Info().Notify[1].State)
				end(waiter)
			})
			require.NoError(t, k.Run(t.Context()))
			assert.True(t, unwound)
		})
	}
}

// Who is told of switches may stop the kernel, in the middle of the call that switches.
func TestStopAtASwitch(t *testing.T) {
	var k *rtos.Kernel
	k, s := newSim(t, sim.Options{OnSwitch: func(to *rtos.Task) {
		if to != nil && to.Name() == "high" {
			k.Stop()
		}
	}})
	sem := rtos.NewBinary("s")
	unwound := 0
	spawn(t, k, "low", 1, func(me *rtos.Task) {
		defer func() { unwound++ }()
		me.Work(k.Ticks(3))
		high := spawn(t, k, "high", 2, func(*rtos.Task) { assert.Fail(t, "the kernel is stopped") })
		assert.Fail(t, "stopped within the call", high.Name())
	})
	spawn(t, k, "waits", 1, func(me *rtos.Task) {
		defer func() { unwound++ }()
		_ = sem.Take(me)
	})
	require.NoError(t, k.Run(t.Context()))
	assert.Equal(t, 2, unwound)
	assert.EqualValues(t, 3, s.Time())
}

// A task that has stopped the kernel gets no more processor time.
func TestNoWorkAfterTheStop(t *testing.T) {
	k, s := newSim(t, sim.Options{})
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		me.Work(k.Ticks(3))
		k.Stop()
		me.Work(k.Ticks(3))
		assert.Fail(t, "unwound")
	})
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 3, s.Time())
}
