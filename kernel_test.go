package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestZeroConfigurationIsUseful(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	assert.Equal(t, 32, k.Priorities())
	assert.Equal(t, time.Millisecond, k.Ticks(1))
	for range 64 {
		adopted(t, k, fmt.Sprint(k.NumTasks()), 31)
	}
	_, err := k.Adopt("one more", 0)
	assert.ErrorIs(t, err, rtos.ErrTooManyTasks)
	assert.ErrorContains(t, err, "Config.Tasks is 64")
	assert.Len(t, k.Task("63").Info().Notify, 3)
}

// The ends of the ranges are good, and used.
func TestConfigurationLimits(t *testing.T) {
	for _, c := range []rtos.Config{
		{Tasks: 1, Priorities: 1, NotifySlots: 1, Tick: 1},
		{Tasks: 1<<15 - 1, Priorities: 256, NotifySlots: 255, Tick: time.Hour, Compat: rtos.CompatFreeRTOS | rtos.CompatPollClears},
		{Tasks: 65, Priorities: 2, NotifySlots: 2, Tick: 3},
	} {
		k := newKernel(t, c)
		assert.Equal(t, c.Priorities, k.Priorities())
		assert.Equal(t, c.Tick, k.Ticks(1))
		top := adopted(t, k, "top", c.Priorities-1)
		assert.Equal(t, c.Priorities-1, top.Priority())
		assert.Len(t, top.Info().Notify, c.NotifySlots)
		assert.NoError(t, top.NotifyGiveAt(c.NotifySlots-1))
		v, err := top.NotifyTakeAt(c.NotifySlots-1, true, 0)
		assert.NoError(t, err)
		assert.Equal(t, uint32(1), v)
		misuses(t, miss("Task.Notify", "", "top", fmt.Sprintf("out of range 0 to %d", c.NotifySlots-1)),
			func() { _ = top.NotifyGiveAt(c.NotifySlots) })
		misuses(t, miss("Kernel.Adopt", "", "x", fmt.Sprintf("out of range 0 to %d", c.Priorities-1)),
			func() { _, _ = k.Adopt("x", c.Priorities) })
		require.NoError(t, top.Release())
	}
}

// Tasks spawn tasks while the kernel runs; Run waits for all of them.
func TestSpawnWhileRunning(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		var mu rtos.Spinlock
		ran := map[string]bool{}
		var grow func(depth int) func(*rtos.Task)
		grow = func(depth int) func(*rtos.Task) {
			return func(me *rtos.Task) {
				mu.Lock(me)
				ran[me.Name()] = true
				mu.Unlock(me)
				if depth == 0 {
					return
				}
				for i := range 3 {
					spawn(t, k, fmt.Sprintf("%s%d", me.Name(), i), 1+i, grow(depth-1))
				}
			}
		}
		spawn(t, k, "t", 2, grow(2))
		finish(t, k)
		assert.Len(t, ran, 1+3+9)
		assert.Zero(t, k.NumTasks())
	})
}

// A goroutine outside spawns into a running kernel, until the last task has ended.
func TestSpawnFromOutside(t *testing.T) {
	leakless(t)
	k := newKernel(t, rtos.Config{})
	keeper := spawn(t, k, "keeper", 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
	wait := background(t, k)
	untilBlocked(t, keeper)
	for range 10 {
		<-spawn(t, k, "late", 1, func(*rtos.Task) {}).Done()
	}
	assert.Equal(t, 1, k.NumTasks())
	require.NoError(t, keeper.NotifyGive())
	require.NoError(t, wait())
	_, err := k.Spawn("too late", 1, func(*rtos.Task) {})
	assert.ErrorIs(t, err, rtos.ErrStopped)
}

func TestRunTwiceAtOnce(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	a := spawn(t, k, "a", 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) })
	wait := background(t, k)
	untilBlocked(t, a)
	assert.ErrorIs(t, k.Run(context.Background()), rtos.ErrStopped)
	assert.Equal(t, rtos.StateBlocked, a.State(), "the first run goes on")
	assert.False(t, k.Stopping())
	require.NoError(t, a.NotifyGive())
	require.NoError(t, wait())
}

func TestRunOfNoTasksEndsAtOnce(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) { finish(t, k) })
}

// A context that ends stops the run, and its cause is returned; deferred functions ran.
func TestRunReturnsTheCauseOfItsContext(t *testing.T) {
	cause := errors.New("the cause")
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		ctx, cancel := context.WithCancelCause(context.Background())
		var unwound atomic.Int32
		for _, w := range waits {
			spawn(t, k, w.name, 1, func(me *rtos.Task) {
				world := newWaitWorld(k)
				for _, m := range []lockable{world.m, world.r} {
					require.NoError(t, m.Lock(me)) // not given: that might let the other one go on
				}
				spawn(t, k, w.name+" waits", 2, func(other *rtos.Task) {
					defer unwound.Add(1)
					_ = w.wait(world, other)
					t.Error("went on")
				})
				_ = me.SuspendSelf()
			})
		}
		spawn(t, k, "canceller", 1, func(me *rtos.Task) {
			let(t, me, "all wait", func() bool {
				n := 0
				for a := range k.Tasks() {
					if a != me && !isWaiting(a) {
						return false
					}
					n++
				}
				return n == 2*len(waits)+1
			})
			cancel(cause)
			_ = me.SuspendSelf()
		})
		assert.ErrorIs(t, k.Run(ctx), cause)
		assert.Zero(t, k.NumTasks())
		assert.Equal(t, int32(len(waits)), unwound.Load())
	})
}

func TestRunEndsWithItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, rtos.Config{})
		spawn(t, k, "a", 1, func(me *rtos.Task) { _ = rtos.NewBinary("s").Take(me); t.Error("went on") })
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		begin := time.Now()
		assert.ErrorIs(t, k.Run(ctx), context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(begin))
	})
}

// A task that calls nothing that can block is named every second until it has ended.
func TestTaskThatDoesNotStopIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var book logBook
		k := newKernel(t, rtos.Config{Logger: book.logger()})
		spawn(t, k, "stubborn", 1, func(*rtos.Task) { time.Sleep(3500 * time.Millisecond) })
		spawn(t, k, "willing", 1, func(me *rtos.Task) { _ = me.Delay(time.Hour) })
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		assert.ErrorIs(t, k.Run(ctx), context.DeadlineExceeded)
		lines := strings.Count(book.String(), "task does not stop")
		assert.Equal(t, 3, lines, book.String())
		assert.Equal(t, lines, strings.Count(book.String(), "task=stubborn"))
	})
}

// Names are looked up oldest first; tasks are listed in the order of their creation.
func TestTasksAreListedAndFound(t *testing.T) {
	inWorlds(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
		assert.Nil(t, k.Task("a"))
		var made []*rtos.Task
		for _, name := range []string{"a", "b", "a", ""} {
			made = append(made, spawn(t, k, name, 1, func(me *rtos.Task) { _, _ = me.NotifyTake(true, rtos.Forever) }))
		}
		spawn(t, k, "me", 2, func(me *rtos.Task) {
			assert.Equal(t, labels(append(slices.Clone(made), me)), labels(slices.Collect(k.Tasks())))
			for range k.Tasks() {
				break
			}
			assert.Equal(t, 5, k.NumTasks())
			assert.Same(t, made[0], k.Task("a"))
			assert.Same(t, made[3], k.Task(""))
			assert.Same(t, k, made[0].Kernel())
			list := k.Tasks()
			assert.NoError(t, made[0].NotifyGive())
			let(t, me, "the oldest ends", func() bool { return made[0].State() == rtos.StateDeleted })
			assert.Len(t, slices.Collect(list), 5, "as they were when it was asked for")
			assert.Equal(t, 4, k.NumTasks())
			assert.Same(t, made[2], k.Task("a"), "the next one of that name")
			for _, a := range made[1:] {
				assert.NoError(t, a.NotifyGive())
			}
		})
		finish(t, k)
		ids := map[uint64]bool{}
		for _, a := range made {
			ids[a.ID()] = true
			assert.Less(t, a.Slot(), 64)
		}
		assert.Len(t, ids, 4, "numbers are unique")
	})
}

func TestTimeInTicks(t *testing.T) {
	const tick = 10 * time.Millisecond
	k := newKernel(t, rtos.Config{Tick: tick})
	for n, want := range map[uint64]time.Duration{
		0: 0, 1: tick, 7: 7 * tick, 1 << 39: 1 << 39 * tick,
		uint64(rtos.Forever / tick): rtos.Forever / tick * tick, uint64(rtos.Forever/tick) + 1: rtos.Forever - 1, math.MaxUint64: rtos.Forever - 1,
	} {
		assert.Equal(t, want, k.Ticks(n), "%d ticks", n)
	}
	assert.Less(t, k.Ticks(math.MaxUint64), rtos.Forever)
	a, b := k.Now(), k.Now()
	assert.LessOrEqual(t, a, b)
	assert.GreaterOrEqual(t, a, time.Duration(0))
}

// TickCount is Now in ticks and wraps at 2^32, Now goes on.
func TestTickCountWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, rtos.Config{})
		for _, c := range []struct {
			sleep time.Duration
			now   time.Duration
			ticks rtos.Ticks
		}{
			{0, 0, 0},
			{1500 * time.Microsecond, 1500 * time.Microsecond, 1},
			{math.MaxUint32*time.Millisecond - 1500*time.Microsecond, math.MaxUint32 * time.Millisecond, math.MaxUint32},
			{6 * time.Millisecond, (math.MaxUint32 + 6) * time.Millisecond, 5},
		} {
			time.Sleep(c.sleep)
			assert.Equal(t, c.now, k.Now())
			assert.Equal(t, c.ticks, k.TickCount())
		}
	})
}

// Many kernels run in one process, of both kinds, and share nothing.
func TestManyKernelsAtOnce(t *testing.T) {
	leakless(t)
	const n, rounds = 24, 50
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			c := rtos.Config{Tasks: 2 + i%3, Tick: time.Duration(1+i) * time.Microsecond}
			if i%2 == 1 {
				c.Port = sim.New(sim.Options{})
			}
			k, err := rtos.New(c)
			if !assert.NoError(t, err) {
				return
			}
			var m rtos.Mutex
			count := 0
			peers := [2]*rtos.Task{}
			for j := range peers {
				peers[j], err = k.Spawn("same name", 1+j, func(me *rtos.Task) {
					for range rounds {
						_, err := me.NotifyTake(true, rtos.Forever)
						assert.NoError(t, err)
						assert.NoError(t, m.Lock(me))
						count++
						assert.NoError(t, m.Unlock(me))
						_ = peers[1-j].NotifyGive() // the last one comes too late
					}
				})
				assert.NoError(t, err)
			}
			assert.NoError(t, peers[0].NotifyGive())
			assert.Same(t, peers[0], k.Task("same name"))
			assert.NoError(t, k.Run(context.Background()))
			assert.Equal(t, 2*rounds, count)
			assert.Equal(t, k.Ticks(1), time.Duration(1+i)*time.Microsecond)
		})
	}
	group.Wait()
}
