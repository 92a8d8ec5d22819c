package rtos_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// RunTime grows outside waits, whatever the task does there, and not in them. In a
// bubble a sleep of Go's stands for computing: the kernel does not know of it.
func TestRunTimeGrowsOutsideWaitsOnly(t *testing.T) {
	for _, w := range waits {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKernel(t, rtos.Config{RunTime: true})
				world := newWaitWorld(k)
				holder := adopted(t, k, "holder", 1)
				assert.NoError(t, world.m.Lock(holder))
				assert.NoError(t, world.r.Lock(holder))
				a := spawn(t, k, "a", 2, func(a *rtos.Task) {
					time.Sleep(3 * time.Second)
					assert.Equal(t, 3*time.Second, a.RunTime())
					_ = w.wait(world, a)
					t.Error("went on")
				})
				assert.Zero(t, a.RunTime(), "it has not begun")
				wait := background(t, k)
				time.Sleep(time.Second)
				synctest.Wait()
				assert.Equal(t, time.Second, a.RunTime(), "while it computes")
				time.Sleep(9 * time.Second)
				synctest.Wait()
				assert.True(t, isWaiting(a))
				assert.Equal(t, 3*time.Second, a.RunTime(), "while it waits")
				assert.Equal(t, 3*time.Second, a.Info().RunTime)
				a.Delete()
				assert.NoError(t, wait())
				time.Sleep(time.Second)
				assert.Equal(t, 3*time.Second, a.RunTime(), "after its end")
				assert.NoError(t, world.r.Unlock(holder))
				assert.NoError(t, world.m.Unlock(holder))
			})
		})
	}
}

// The time of an adopted task counts from its adoption to its release.
func TestRunTimeOfAnAdoptedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, rtos.Config{RunTime: true})
		time.Sleep(time.Second)
		me := adopted(t, k, "me", 1)
		time.Sleep(2 * time.Second)
		assert.Equal(t, 2*time.Second, me.RunTime())
		assert.NoError(t, me.Delay(4*time.Second))
		time.Sleep(time.Second)
		assert.Equal(t, 3*time.Second, me.RunTime())
		assert.NoError(t, me.Release())
		time.Sleep(8 * time.Second)
		assert.Equal(t, 3*time.Second, me.RunTime(), "after its release")
	})
}

func TestRunTimeInVirtualTime(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{RunTime: true})
	s := rtos.NewBinary("s")
	a := spawn(t, k, "a", 2, func(a *rtos.Task) {
		for i := range uint64(3) {
			a.Work(k.Ticks(5))
			assert.Equal(t, k.Ticks(5*(i+1)), a.RunTime())
			assert.ErrorIs(t, s.TakeFor(a, k.Ticks(10)), rtos.ErrTimeout)
			assert.NoError(t, a.Delay(k.Ticks(1)))
			assert.Equal(t, k.Ticks(5*(i+1)), a.RunTime())
		}
	})
	b := spawn(t, k, "b", 1, func(b *rtos.Task) { assert.NoError(t, b.SuspendSelf()) })
	finish(t, k)
	assert.Equal(t, k.Ticks(15), a.RunTime())
	assert.Zero(t, b.RunTime())
}

func TestRunTimeIsNotMeasuredUnlessAskedFor(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		a := spawn(t, k, "a", 1, func(a *rtos.Task) {
			a.Work(k.Ticks(2))
			assert.Zero(t, a.RunTime())
			assert.Zero(t, a.Info().RunTime)
		})
		finish(t, k)
		assert.Zero(t, a.RunTime())
	})
}

// A task that owns its thread is charged what the thread has used: not the time in which
// it is blocked, be it in the kernel or not.
func TestRunTimeOfAThread(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs the clock of a thread")
	}
	k := newKernel(t, rtos.Config{RunTime: true})
	a := spawn(t, k, "a", 1, func(a *rtos.Task) {
		from := a.RunTime()
		for a.RunTime() < from+2*time.Millisecond { // it grows while computing, or this never ends
			for range 1000 {
				assert.NoError(t, a.Checkpoint())
			}
		}
		from = a.RunTime()
		time.Sleep(60 * time.Millisecond)
		assert.NoError(t, a.Delay(60*time.Millisecond))
		assert.Less(t, a.RunTime()-from, 60*time.Millisecond, "blocked, in and outside the kernel")
	}, rtos.OwnThread(-1))
	finish(t, k)
	ran := a.RunTime()
	assert.GreaterOrEqual(t, ran, 2*time.Millisecond, "it is kept")
	assert.Equal(t, ran, a.RunTime(), "and stays")
}

// OwnThread is refused, with the reason, where it cannot be had; no task is made.
func TestOwnThreadIsRefusedWhereItCannotBeHad(t *testing.T) {
	threads := runtime.GOOS != "js" && runtime.GOOS != "wasip1"
	for _, c := range []struct {
		name string
		port rtos.Port
		core int
		ok   bool
		is   error
	}{
		{"a thread", nil, -1, threads, errors.ErrUnsupported},
		{"a core", nil, 0, runtime.GOOS == "linux", errors.ErrUnsupported},
		{"simulation", sim.New(sim.Options{}), -1, false, errors.ErrUnsupported},
		{"simulation, a core", sim.New(sim.Options{}), 0, false, errors.ErrUnsupported},
		{"no such core", nil, 1 << 20, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			leakless(t)
			k := newKernel(t, rtos.Config{Port: c.port})
			var ran atomic.Bool
			_, err := k.Spawn("a", 1, func(a *rtos.Task) {
				ran.Store(true)
				assert.NoError(t, a.Delay(time.Microsecond))
				a.Work(time.Microsecond)
			}, rtos.OwnThread(c.core))
			if c.ok {
				require.NoError(t, err)
			} else {
				assert.Error(t, err)
				assert.Zero(t, k.NumTasks())
				if c.is != nil {
					assert.ErrorIs(t, err, c.is)
				}
			}
			finish(t, k)
			assert.Equal(t, c.ok, ran.Load())
		})
	}
}

// Tasks with threads of their own work with all the primitives as others do.
func TestTasksOnThreadsOfTheirOwn(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no threads")
	}
	leakless(t)
	k := newKernel(t, rtos.Config{})
	m, s := rtos.NewMutex("m"), rtos.NewBinary("s")
	count := 0
	var tasks [3]*rtos.Task
	for i := range tasks {
		var o []rtos.SpawnOption
		if i < 2 {
			o = append(o, rtos.OwnThread(-1))
		}
		tasks[i] = spawn(t, k, string(rune('a'+i)), 1+i, func(me *rtos.Task) {
			for range 100 {
				_, err := me.NotifyTake(false, rtos.Forever)
				assert.NoError(t, err)
				assert.NoError(t, m.Lock(me))
				count++
				assert.NoError(t, m.Unlock(me))
				_ = tasks[(i+1)%3].NotifyGive()
			}
			assert.ErrorIs(t, s.TakeFor(me, time.Microsecond), rtos.ErrTimeout)
		}, o...)
	}
	require.NoError(t, tasks[0].NotifyGive())
	finish(t, k)
	assert.Equal(t, 300, count)
}
