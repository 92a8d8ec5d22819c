package rtos_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestTwoGoroutinesAdoptTheSameName(t *testing.T) {
	leakless(t)
	k := newKernel(t, rtos.Config{})
	const n = 8
	errs := make([]error, n)
	tasks := make([]*rtos.Task, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { tasks[i], errs[i] = k.Adopt("main", 1) })
	}
	wg.Wait()
	var winner *rtos.Task
	for i, err := range errs {
		if err == nil {
			require.Nil(t, winner, "two winners")
			winner = tasks[i]
			continue
		}
		assert.Nil(t, tasks[i])
		assert.ErrorContains(t, err, `Adopt of task "main": a task of that name exists`)
	}
	require.NotNil(t, winner)
	assert.Same(t, winner, k.Task("main"))
	assert.Equal(t, 1, k.NumTasks())
}

func TestAdoptAgainAfterRelease(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	s := rtos.NewBinary("s")
	for range 100 {
		me := adopted(t, k, "main", 1)
		assert.Equal(t, rtos.StateRunning, me.State())
		assert.True(t, me.Info().Adopted)
		assert.ErrorIs(t, s.TakeFor(me, time.Microsecond), rtos.ErrTimeout)
		assert.NoError(t, me.Release())
		assert.ErrorIs(t, me.Release(), rtos.ErrDeleted, "twice")
		assert.Equal(t, rtos.StateDeleted, me.State())
		<-me.Done()
	}
	assert.Zero(t, k.NumTasks())
}

func TestAdoptIsUnsupportedInASimulation(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{})
	_, err := k.Adopt("main", 1)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

// The goroutine is gone, the task is not: it is named, what it holds stays taken, and
// the kernel ends all the same.
func TestAdoptedGoroutineEndsWithoutRelease(t *testing.T) {
	leakless(t)
	var book logBook
	k := newKernel(t, rtos.Config{Logger: book.logger()})
	m := rtos.NewMutex("m")
	gone := make(chan *rtos.Task)
	go func() {
		me := adopted(t, k, "careless", 1)
		assert.NoError(t, m.Lock(me))
		gone <- me
	}()
	careless := <-gone
	var got error
	spawn(t, k, "a", 2, func(me *rtos.Task) { got = m.LockFor(me, time.Millisecond) })
	finish(t, k)
	assert.ErrorIs(t, got, rtos.ErrTimeout)
	assert.Contains(t, book.String(), "adopted task was not released")
	assert.Contains(t, book.String(), "careless")
	assert.Same(t, careless, m.Holder())
	assert.Contains(t, k.String(), "careless")
	assert.Equal(t, 1, k.NumTasks())
}

func TestAdoptedTaskReleasedWhileHolding(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	m := rtos.NewMutex("m")
	me := adopted(t, k, "me", 1)
	require.NoError(t, m.Lock(me))
	require.NoError(t, me.Release())
	require.Len(t, k.Orphans(), 1)
	assert.Equal(t, "me", k.Orphans()[0].Owner)
	next := adopted(t, k, "next", 1)
	assert.ErrorIs(t, m.LockFor(next, time.Millisecond), rtos.ErrTimeout)
	assert.NoError(t, next.Release())
}

// An adopted goroutine is never unwound: its calls return ErrDeleted.
func TestAdoptedTaskIsToldThatItIsOver(t *testing.T) {
	ways := map[string]struct {
		end  func(k *rtos.Kernel, a *rtos.Task)
		runs bool
	}{
		"deleted": {func(_ *rtos.Kernel, a *rtos.Task) { a.Delete() }, false},
		"stopped": {func(k *rtos.Kernel, _ *rtos.Task) { k.Stop() }, false},
		"kernel ended": {func(k *rtos.Kernel, _ *rtos.Task) {
			_ = k.Run(context.Background())
		}, true},
	}
	for name, way := range ways {
		for _, c := range waits {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				leakless(t)
				k := newKernel(t, rtos.Config{})
				w := newWaitWorld(k)
				holder := adopted(t, k, "holder", 1)
				require.NoError(t, w.m.Lock(holder))
				require.NoError(t, w.r.Lock(holder))
				adoptedAs := make(chan *rtos.Task)
				result := make(chan error)
				go func() {
					me := adopted(t, k, "me", 2)
					adoptedAs <- me
					result <- c.wait(w, me)
					assert.ErrorIs(t, me.Delay(time.Hour), rtos.ErrDeleted)
					assert.ErrorIs(t, w.s.Take(me), rtos.ErrDeleted)
					assert.ErrorIs(t, me.Checkpoint(), rtos.ErrDeleted)
					assert.True(t, w.s.Give())
					assert.NoError(t, me.Release())
					result <- nil
				}()
				me := <-adoptedAs
				eventually(t, "it waits", func() bool { return isWaiting(me) })
				way.end(k, me)
				select {
				case err := <-result:
					assert.ErrorIs(t, err, rtos.ErrDeleted)
					<-result
				case <-time.After(time.Second):
					t.Error("its call does not return")
					me.Delete() // wakes it
					<-result
					<-result
				}
				assert.Empty(t, w.m.Info().Waiters)
				assert.NoError(t, w.r.Unlock(holder))
				assert.NoError(t, w.m.Unlock(holder))
				assert.Equal(t, 1, holder.Priority())
				assert.NoError(t, holder.Release())
			})
		}
	}
}

// A slot is used again; the old task is not mixed up with the new one.
func TestSlotOfAnEndedTaskIsNotMistaken(t *testing.T) {
	k := newKernel(t, rtos.Config{Tasks: 2})
	m := rtos.NewMutex("m")
	old := adopted(t, k, "old", 1)
	slot := old.Slot()
	require.NoError(t, m.Lock(old))
	require.NoError(t, old.Release())
	young := adopted(t, k, "young", 1)
	require.Equal(t, slot, young.Slot())
	assert.NotEqual(t, old.ID(), young.ID())
	assert.Nil(t, m.Holder())
	assert.ErrorIs(t, m.LockFor(young, 0), rtos.ErrWouldBlock)
	misuses(t, miss("Mutex.Unlock", "young", "m", "a task that has ended"), func() { _ = m.Unlock(young) })

	assert.ErrorIs(t, old.NotifyGive(), rtos.ErrDeleted)
	assert.False(t, young.NotifyPending(0))
	old.Suspend()
	old.Delete()
	old.SetPriority(7)
	assert.Equal(t, rtos.StateRunning, young.State())
	assert.NoError(t, young.Checkpoint())
	assert.Equal(t, 1, young.Priority())

	done := make(chan error)
	waiting := make(chan *rtos.Task)
	require.NoError(t, young.Release())
	go func() {
		young := adopted(t, k, "younger", 1)
		waiting <- young
		_, err := young.NotifyTake(true, rtos.Forever)
		assert.NoError(t, young.Release())
		done <- err
	}()
	younger := <-waiting
	untilBlocked(t, younger)
	assert.False(t, old.AbortDelay())
	old.Delete()
	old.Suspend()
	assert.ErrorIs(t, old.Delay(time.Hour), rtos.ErrDeleted)
	assert.Equal(t, rtos.StateBlocked, younger.State())
	assert.NoError(t, younger.NotifyGive())
	assert.NoError(t, <-done)
}
