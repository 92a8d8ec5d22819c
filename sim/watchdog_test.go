package sim_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// reports collects what a watchdog says.
type reports struct {
	mu   sync.Mutex
	list []sim.StuckReport
	came chan struct{}
}

func newReports() *reports { return &reports{came: make(chan struct{}, 100)} }

func (r *reports) add(s sim.StuckReport) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, s)
	r.came <- struct{}{}
}

// wait blocks outside the kernel until n reports have come.
func (r *reports) wait(n int) {
	for range n {
		<-r.came
	}
}

func TestWatchdogNamesWhoIsStuck(t *testing.T) {
	const limit = time.Minute
	for name, c := range map[string]struct {
		where func(t *testing.T, k *rtos.Kernel, s *sim.Sim, block func())
		want  sim.StuckReport
	}{
		"task": {func(t *testing.T, k *rtos.Kernel, _ *sim.Sim, block func()) {
			spawn(t, k, "waits", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
			spawn(t, k, "blocks", 1, func(me *rtos.Task) {
				if me.Delay(k.Ticks(3)) == nil {
					blocksOutside(block)
				}
			})
		}, sim.StuckReport{Task: "blocks"}},
		"task that is deleted": {func(t *testing.T, k *rtos.Kernel, _ *sim.Sim, block func()) {
			victim := spawn(t, k, "blocks", 1, func(me *rtos.Task) {
				defer blocksOutside(block)
				_ = me.Delay(rtos.Forever)
			})
			spawn(t, k, "killer", 1, func(me *rtos.Task) {
				if me.Delay(k.Ticks(3)) == nil {
					victim.Delete()
				}
			})
		}, sim.StuckReport{Task: "blocks"}},
		"task that has deleted another": {func(t *testing.T, k *rtos.Kernel, _ *sim.Sim, block func()) {
			victim := spawn(t, k, "victim", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
			spawn(t, k, "blocks", 1, func(me *rtos.Task) {
				if me.Delay(k.Ticks(3)) == nil {
					victim.Delete()
					blocksOutside(block)
				}
			})
		}, sim.StuckReport{Task: "blocks"}},
		"interrupt": {func(_ *testing.T, _ *rtos.Kernel, s *sim.Sim, block func()) {
			s.At(3, func(*rtos.ISR) { blocksOutside(block) }, sim.Named("uart"))
		}, sim.StuckReport{Interrupt: "uart"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var book logBook
				got := newReports()
				k, s := newSimWith(t, sim.Options{Watchdog: limit, OnStuck: got.add}, rtos.Config{Logger: book.logger()})
				c.where(t, k, s, func() { got.wait(3) })
				require.NoError(t, k.Run(t.Context()))
				require.Len(t, got.list, 3)
				for i, r := range got.list {
					assert.Equal(t, c.want.Task, r.Task)
					assert.Equal(t, c.want.Interrupt, r.Interrupt)
					assert.Equal(t, limit<<i, r.For, "at doubling intervals")
					assert.Contains(t, r.Stack, "blocksOutside")
					assert.Equal(t, 1, strings.Count("\n"+r.Stack, "\ngoroutine "), "one stack")
				}
				assert.Equal(t, 3, strings.Count(book.String(), "does not let the simulation go on"))
				assert.Contains(t, book.String(), c.want.Task+c.want.Interrupt)
			})
		})
	}
}

//go:noinline
func blocksOutside(block func()) { block() }

// A simulation that goes on is not reported, however long it takes in all.
func TestWatchdogIsQuietWhileTheSimulationGoesOn(t *testing.T) {
	const limit = 10 * time.Second
	for name, body := range map[string]func(me *rtos.Task){
		"yields": (*rtos.Task).Yield,
		"works":  func(me *rtos.Task) { me.Work(me.Kernel().Ticks(1)) },
		"waits":  func(me *rtos.Task) { _ = me.Delay(me.Kernel().Ticks(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := newReports()
				k, _ := newSim(t, sim.Options{OnStuck: got.add})
				spawn(t, k, "a", 1, func(me *rtos.Task) {
					for range 20 {
						body(me)
						time.Sleep(limit / 2)
					}
				})
				require.NoError(t, k.Run(t.Context()))
				assert.Empty(t, got.list)
			})
		})
	}
}

// The time between runs, and that in which the driver waits or asks the caller, is
// nobody's fault.
func TestWatchdogSleepsWhenNobodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := newReports()
		k, s := newSim(t, sim.Options{OnStuck: got.add, Pace: 0.0001, Outside: true})
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for range 20 {
				_ = me.Delay(k.Ticks(1))
			}
		})
		require.NoError(t, s.RunUntil(10))
		time.Sleep(time.Hour)
		require.NoError(t, s.RunTo(func() bool { time.Sleep(time.Minute); return s.Time() == 15 }, 15))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		assert.ErrorIs(t, k.Run(ctx), context.DeadlineExceeded)
		assert.Empty(t, got.list)
	})
}

// Who ran last is not blamed for what the caller does at the beginning of a run.
func TestWatchdogForgetsWhoRanBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := newReports()
		k, s := newSim(t, sim.Options{OnStuck: got.add})
		spawn(t, k, "a", 1, func(me *rtos.Task) { me.Work(k.Ticks(20)) })
		require.NoError(t, s.RunUntil(10))
		require.NoError(t, s.RunTo(func() bool { time.Sleep(time.Hour); return true }, 15))
		assert.Empty(t, got.list)
	})
}

func TestWatchdogOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := newReports()
		k, _ := newSim(t, sim.Options{Watchdog: -1, OnStuck: got.add})
		spawn(t, k, "a", 1, func(*rtos.Task) { time.Sleep(time.Hour) })
		require.NoError(t, k.Run(t.Context()))
		assert.Empty(t, got.list)
	})
}
