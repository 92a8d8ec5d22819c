package rtos_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestSpinlockCountsItsOwner(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	me, other := adopted(t, k, "me", 1), make(chan *rtos.Task)
	var l rtos.Spinlock
	const most = 255
	for range most {
		l.Lock(me)
	}
	misuses(t, miss("Spinlock.Lock", "me", "", "more than 255 times"), func() { l.Lock(me) })
	misuses(t, miss("Spinlock.Lock", "me", "", "more than 255 times"), func() { l.TryLock(me) })
	assert.Same(t, me, l.Holder())
	tries := make(chan bool)
	go func() {
		o := adopted(t, k, "other", 1)
		for range most {
			if l.TryLock(o) || l.LockFor(o, 0) != rtos.ErrWouldBlock {
				t.Error("taken twice")
			}
			tries <- false
		}
		assert.ErrorIs(t, l.LockFor(o, time.Millisecond), rtos.ErrTimeout)
		tries <- false
		l.Lock(o)
		tries <- true
		l.Unlock(o)
		assert.NoError(t, o.Release())
		close(other)
	}()
	for range most - 1 {
		<-tries
		l.Unlock(me)
	}
	<-tries
	<-tries
	l.Unlock(me)
	assert.True(t, <-tries)
	<-other
	assert.Nil(t, l.Holder())
	assert.True(t, l.TryLock(me))
	assert.NoError(t, l.LockFor(me, 0))
	assert.NoError(t, l.LockFor(me, time.Second))
	for range 3 {
		l.Unlock(me)
	}
	misuses(t, miss("Spinlock.Unlock", "me", "", "nobody holds it"), func() { l.Unlock(me) })
	assert.NoError(t, me.Delay(1), "blocking is allowed again")
	assert.NoError(t, me.Release())
}

// Tasks, interrupts and bare holders exclude one another.
func TestSpinlockExcludesWhoeverHoldsIt(t *testing.T) {
	const rounds = 2_000
	for _, procs := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			withProcs(t, procs)
			k := newKernel(t, rtos.Config{})
			var l rtos.Spinlock
			n, inside := 0, 0
			section := func() {
				if inside++; inside != 1 {
					t.Error("two inside")
				}
				if n++; n%64 == 0 {
					runtime.Gosched()
				}
				inside--
			}
			for i := range 4 {
				spawn(t, k, "a", i, func(me *rtos.Task) {
					for range rounds {
						l.Lock(me)
						section()
						l.Unlock(me)
					}
				})
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				for range rounds {
					k.Interrupt(func(i *rtos.ISR) {
						l.LockFromISR(i)
						section()
						l.UnlockFromISR(i)
					})
				}
			})
			wg.Go(func() {
				b := l.Bare()
				for range rounds {
					b.Lock()
					section()
					b.Unlock()
				}
			})
			finish(t, k)
			wg.Wait()
			assert.Equal(t, 6*rounds, n)
		})
	}
}

// One that spins for a lock which its holder never gives can still be ended.
func TestSpinningTaskCanBeEnded(t *testing.T) {
	for name, end := range map[string]func(k *rtos.Kernel, a *rtos.Task){
		"deleted": func(_ *rtos.Kernel, a *rtos.Task) { a.Delete() },
		"stopped": func(k *rtos.Kernel, _ *rtos.Task) { k.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKernel(t, rtos.Config{})
			var l rtos.Spinlock
			l.Bare().Lock()
			begun := make(chan struct{})
			a := spawn(t, k, "a", 1, func(me *rtos.Task) {
				close(begun)
				l.Lock(me)
				defer l.Unlock(me)
				_ = me.Checkpoint()
				t.Error("went on")
			})
			wait := background(t, k)
			<-begun
			end(k, a)
			select {
			case <-a.Done():
			case <-time.After(time.Second):
				t.Error("it spins on")
			}
			l.Bare().Unlock()
			assert.NoError(t, wait())
		})
	}
}

// A spinlock that its task did not give when it ended is reported.
func TestSpinlockOfAnEndedTaskIsReported(t *testing.T) {
	var book logBook
	k := newKernel(t, rtos.Config{Logger: book.logger()})
	var l rtos.Spinlock
	spawn(t, k, "dead", 1, func(me *rtos.Task) { l.Lock(me) })
	finish(t, k)
	assert.Nil(t, l.Holder())
	assert.Contains(t, book.String(), "spinlock")
	assert.Contains(t, book.String(), "dead")
}

// In a simulation a held spinlock keeps its core to itself: not even a more urgent task
// runs, so nobody can come to spin for a task that cannot run.
func TestSpinlockKeepsTheSimulatedCore(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	var l rtos.Spinlock
	spawn(t, k, "low", 1, func(me *rtos.Task) {
		l.Lock(me)
		l.Lock(me)
		me.Work(k.Ticks(5))
		l.Unlock(me)
		me.Work(k.Ticks(1))
		l.Unlock(me)
	})
	spawn(t, k, "high", 2, func(me *rtos.Task) {
		assert.NoError(t, me.Delay(k.Ticks(2)))
		assert.EqualValues(t, 6, s.Time())
		assert.True(t, l.TryLock(me))
		l.Unlock(me)
	})
	finish(t, k)
	assert.Nil(t, l.Holder())
}
