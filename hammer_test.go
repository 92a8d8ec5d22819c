package rtos

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The hammer tests run many tasks against few objects, with everything going on at
// once that can end a wait, on 1 to 8 processors. Each has a counter of violations,
// and at the end the objects and the tasks must be as they were at the start.

const hammerTasks = 8

func hammerRounds() int {
	if testing.Short() {
		return 200
	}
	return 1000
}

// hammer runs body in hammerTasks tasks of mixed priority while others disturb them.
func hammer(t *testing.T, c Config, disturb bool, body func(t *Task, i int, r *rand.Rand)) {
	for _, procs := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			c.Logger = slog.New(slog.DiscardHandler)
			k, err := New(c)
			require.NoError(t, err)
			tasks := make([]*Task, hammerTasks)
			var left atomic.Int32
			left.Store(hammerTasks)
			for i := range tasks {
				tasks[i], err = k.Spawn(fmt.Sprintf("t%d", i), 1+i%4, func(t *Task) {
					defer left.Add(-1)
					body(t, i, rand.New(rand.NewPCG(uint64(i), uint64(procs))))
				})
				require.NoError(t, err)
			}
			if disturb {
				_, err := k.Spawn("disturber", 5, func(t *Task) {
					r := rand.New(rand.NewPCG(99, uint64(procs)))
					for left.Load() > 0 {
						disturbOne(tasks[r.IntN(len(tasks))], r)
						t.Yield()
					}
				})
				require.NoError(t, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, k.Run(ctx), "the tasks did not end by themselves:\n%v", k)
			for _, task := range tasks {
				p := task.prio.Load()
				require.Zero(t, p&boostedBit, "%s: a loan was left behind", task.name)
				require.Zero(t, nestOf(p), "%s: still marked as nesting", task.name)
				require.Zero(t, task.heldCount())
			}
			for i := range k.waiters {
				require.Equal(t, stIdle, stateOf(k.waiters[i].word.Load()))
			}
		})
	}
}

func disturbOne(t *Task, r *rand.Rand) {
	switch r.IntN(4) {
	case 0:
		t.AbortDelay()
	case 1:
		t.Suspend()
		t.Resume()
	case 2:
		t.SetPriority(1 + r.IntN(4))
	}
}

func restsEmpty(t *testing.T, o *object) {
	t.Helper()
	require.Zero(t, o.word.Load()&^countMask, "a waiter or a mark is left in the word")
	if b := o.body.Load(); b != nil {
		require.Zero(t, b.bits.Load(), "a bit is left in the waiter set")
	}
}

func TestHammerMutexExcludes(t *testing.T) {
	var m Mutex
	var inside, violations, entries atomic.Int64
	plain := 0
	enter := func(t *Task) {
		if inside.Add(1) != 1 || m.Holder() != t {
			violations.Add(1)
		}
		plain++
		entries.Add(1)
		inside.Add(-1)
		if m.Unlock(t) != nil {
			violations.Add(1)
		}
	}
	hammer(t, Config{}, true, func(t *Task, i int, r *rand.Rand) {
		for range hammerRounds() {
			switch r.IntN(4) {
			case 0:
				if m.TryLock(t) {
					enter(t)
				}
			case 1:
				if m.LockFor(t, time.Duration(r.IntN(50))*time.Microsecond) == nil {
					enter(t)
				}
			default:
				if m.Lock(t) == nil {
					enter(t)
				}
			}
			if r.IntN(16) == 0 {
				t.Yield()
			}
		}
	})
	require.Zero(t, violations.Load())
	require.EqualValues(t, entries.Load(), plain)
	require.True(t, m.isFree())
	restsEmpty(t, &m.o)
}

func TestHammerNestedMutexes(t *testing.T) {
	var locks [3]Mutex
	var inside [3]atomic.Int64
	var violations atomic.Int64
	hammer(t, Config{}, true, func(t *Task, i int, r *rand.Rand) {
		for range hammerRounds() {
			var held []int
			for n := range locks { // in one order, so that no deadlock is possible
				if r.IntN(2) == 0 {
					continue
				}
				var err error
				if r.IntN(3) == 0 {
					err = locks[n].LockFor(t, time.Duration(r.IntN(30))*time.Microsecond)
				} else {
					err = locks[n].Lock(t)
				}
				if err == nil {
					if inside[n].Add(1) != 1 {
						violations.Add(1)
					}
					held = append(held, n)
				}
			}
			r.Shuffle(len(held), func(a, b int) { held[a], held[b] = held[b], held[a] })
			for _, n := range held {
				inside[n].Add(-1)
				if locks[n].Unlock(t) != nil {
					violations.Add(1)
				}
			}
			if t.Priority() != t.BasePriority() && t.heldCount() == 0 && t.prio.Load()&boostedBit != 0 {
				violations.Add(1)
			}
		}
	})
	require.Zero(t, violations.Load())
	for i := range locks {
		require.True(t, locks[i].isFree())
		restsEmpty(t, &locks[i].o)
	}
}

func TestHammerRecursiveMutexCountsItsOwner(t *testing.T) {
	var m RecursiveMutex
	var inside, violations atomic.Int64
	hammer(t, Config{}, true, func(t *Task, i int, r *rand.Rand) {
		for range hammerRounds() {
			depth := 0
			for range 1 + r.IntN(3) {
				if m.LockFor(t, time.Duration(r.IntN(100))*time.Microsecond) == nil {
					if depth++; depth == 1 && inside.Add(1) != 1 {
						violations.Add(1)
					}
				}
			}
			for ; depth > 0; depth-- {
				if depth == 1 {
					inside.Add(-1)
				}
				if m.Unlock(t) != nil {
					violations.Add(1)
				}
			}
		}
	})
	require.Zero(t, violations.Load())
	restsEmpty(t, &m.m.o)
}

func TestHammerSemaphoreConservesTokens(t *testing.T) {
	const max = 3
	var given, taken atomic.Int64
	for _, tasks := range []int{64, 200} {
		s := NewCounting("s", max, 0)
		given.Store(0)
		taken.Store(0)
		hammer(t, Config{Tasks: tasks}, true, func(t *Task, i int, r *rand.Rand) {
			for range hammerRounds() {
				if i%2 == 0 {
					if s.Give() {
						given.Add(1)
					} else {
						t.Yield()
					}
				} else if s.TakeFor(t, time.Duration(r.IntN(200))*time.Microsecond) == nil {
					taken.Add(1)
				}
			}
		})
		require.EqualValues(t, given.Load(), taken.Load()+int64(s.Count()))
		restsEmpty(t, &s.o)
	}
}

// Every give must reach a task that waits for ever: a lost wake-up hangs the test.
func TestHammerSemaphoreLosesNoWakeUp(t *testing.T) {
	s := NewCounting("s", 1<<20, 0)
	hammer(t, Config{}, false, func(t *Task, i int, r *rand.Rand) {
		for range hammerRounds() {
			if i%2 == 0 {
				s.Give()
			} else if err := s.Take(t); err != nil {
				panic(err)
			}
		}
	})
	require.Zero(t, s.Count())
	restsEmpty(t, &s.o)
}

func TestHammerSpinlockExcludes(t *testing.T) {
	var l Spinlock
	inside, violations := 0, 0
	hammer(t, Config{}, false, func(t *Task, i int, r *rand.Rand) {
		for range hammerRounds() {
			switch r.IntN(3) {
			case 0:
				if !l.TryLock(t) {
					continue
				}
			case 1:
				if l.LockFor(t, time.Duration(1+r.IntN(20))*time.Microsecond) != nil {
					continue
				}
			default:
				l.Lock(t)
			}
			if inside++; inside != 1 {
				violations++
			}
			inside--
			l.Unlock(t)
		}
	})
	require.Zero(t, violations)
	require.Zero(t, l.word.Load())
}

// What is given is taken or left, whatever ends the waits.
func TestHammerNotifyConservesGives(t *testing.T) {
	for _, disturbed := range []bool{false, true} {
		var given, taken, givers atomic.Int64
		var target atomic.Pointer[Task]
		hammer(t, Config{}, disturbed, func(t *Task, i int, r *rand.Rand) {
			if i != 0 {
				for target.Load() == nil {
					t.Yield()
				}
				for range hammerRounds() {
					if target.Load().NotifyGive() == nil {
						given.Add(1)
					}
				}
				if givers.Add(-1) == 0 {
					target.Store(nil)
				}
				return
			}
			given.Store(0)
			taken.Store(0)
			givers.Store(hammerTasks - 1)
			target.Store(t)
			for givers.Load() > 0 || t.slot0.Load()>>valueShift > 0 {
				clear := r.IntN(2) == 0
				v, err := t.NotifyTake(clear, time.Duration(r.IntN(100))*time.Microsecond)
				switch {
				case err == nil && clear:
					taken.Add(int64(v))
				case err == nil && v > 0:
					taken.Add(1)
				}
			}
			if given.Load() != taken.Load() {
				panic(fmt.Sprintf("given %d, taken %d", given.Load(), taken.Load()))
			}
		})
	}
}
