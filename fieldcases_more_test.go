package rtos_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/sim"
)

// 11: every wait crosses the wrap of the tick counter unnoticed.
func TestFieldCase11TickWrap(t *testing.T) {
	run := func(start rtos.Ticks) (log []string) {
		k, s := newSim(t, sim.Options{StartTick: start}, rtos.Config{})
		sem := rtos.NewBinary("S")
		note := func(format string, a ...any) {
			log = append(log, fmt.Sprintf("%d: ", s.Time())+fmt.Sprintf(format, a...))
		}
		spawn(t, k, "A", 3, func(a *rtos.Task) {
			ref := k.Now()
			for range 4 {
				waited, err := a.DelayUntil(&ref, k.Ticks(10))
				note("A %t %v", waited, err)
			}
		})
		spawn(t, k, "B", 4, func(b *rtos.Task) {
			note("B %v", sem.TakeFor(b, k.Ticks(25)))
			note("B %v", sem.TakeFor(b, k.Ticks(math.MaxUint32-1)))
		})
		spawn(t, k, "C", 2, func(c *rtos.Task) {
			for _, n := range []uint64{7, 11, 20} {
				assert.NoError(t, c.Delay(k.Ticks(n)))
				note("C")
			}
			sem.Give()
		})
		finish(t, k)
		assert.Equal(t, start+40, k.TickCount())
		return log
	}
	want := []string{
		"7: C", "10: A true <nil>", "18: C", "20: A true <nil>", "25: B rtos: timeout", "30: A true <nil>",
		"38: C", "38: B <nil>", "40: A true <nil>",
	}
	for _, start := range []rtos.Ticks{0, math.MaxUint32 - 15, 65520} {
		assert.Equal(t, want, run(start), "start at %d", start)
	}
}

// A limit that reaches beyond the end of time never ends.
func TestLimitBeyondTheEndOfTime(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		s := rtos.NewBinary("s")
		var got error
		a := spawn(t, k, "a", 2, func(me *rtos.Task) { got = s.TakeFor(me, rtos.Forever-1) })
		spawn(t, k, "b", 1, func(me *rtos.Task) {
			let(t, me, "a waits", func() bool { return isWaiting(a) })
			assert.True(t, s.Give())
		})
		finish(t, k)
		assert.NoError(t, got)
	})
}

// 20: 64-bit words behind 32-bit fields work on 32-bit machines, too.
func TestFieldCase20WordsOf64BitsAfterWordsOf32(t *testing.T) {
	type odd[T any] struct {
		_ uint32
		v T
	}
	w := &odd[struct {
		_ uint32
		u atomic.Uint64
	}]{}
	w.v.u.Store(1 << 40)
	assert.Equal(t, uint64(1<<40+1), w.v.u.Add(1))

	k := newKernel(t, rtos.Config{})
	me := adopted(t, k, "me", 1)
	var m odd[rtos.Mutex]
	assert.NoError(t, m.v.Lock(me))
	assert.NoError(t, m.v.Unlock(me))
	var r odd[rtos.RecursiveMutex]
	assert.NoError(t, r.v.Lock(me))
	assert.NoError(t, r.v.Unlock(me))
	var l odd[rtos.Spinlock]
	l.v.Lock(me)
	l.v.Unlock(me)
	s := rtos.NewCounting("s", 3, 1)
	assert.NoError(t, s.Take(me))
	assert.ErrorIs(t, s.TakeFor(me, time.Microsecond), rtos.ErrTimeout)
	assert.NoError(t, me.NotifyGiveAt(2))
	assert.NoError(t, me.Release())
}
