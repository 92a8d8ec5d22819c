package sim_test

import (
	"strings"
	"sync"
	"testing"
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
	const limit = 5 * time.Millisecond
	for name, c := range map[string]struct {
		where func(t *testing.T, k *rtos.Kernel, s *sim.Sim, block func())
		want  sim.StuckReport
		frame string
	}{
		"task": {func(t *testing.T, k *rtos.Kernel, _ *sim.Sim, block func()) {
			spawn(t, k, "waits", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
			spawn(t, k, "blocks", 1, func(me *rtos.Task) {
				if me.Delay(k.Ticks(3)) == nil {
					blocksOutside(block)
				}
			})
		}, sim.StuckReport{Task: "blocks"}, "blocksOutside"},
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
		}, sim.StuckReport{Task: "blocks"}, "blocksOutside"},
		"interrupt": {func(_ *testing.T, _ *rtos.Kernel, s *sim.Sim, block func()) {
			s.At(3, func(*rtos.ISR) { blocksOutside(block) }, sim.Named("uart"))
		}, sim.StuckReport{Interrupt: "uart"}, "blocksOutside"},
	} {
		t.Run(name, func(t *testing.T) {
			var book logBook
			got := newReports()
			k, s := newSimWith(t, sim.Options{Watchdog: limit, OnStuck: got.add}, rtos.Config{Logger: book.logger()})
			c.where(t, k, s, func() { got.wait(3) })
			require.NoError(t, k.Run(t.Context()))
			require.Len(t, got.list, 3)
			for i, r := range got.list {
				assert.Equal(t, c.want.Task, r.Task)
				assert.Equal(t, c.want.Interrupt, r.Interrupt)
				assert.GreaterOrEqual(t, r.For, limit<<i, "at doubling intervals")
				if r.Stack != "" || goroutinesTell {
					assert.Contains(t, r.Stack, c.frame)
					assert.Equal(t, 1, strings.Count(r.Stack, "\ngoroutine ")+1, "one stack")
				}
			}
			assert.Equal(t, 3, strings.Count(book.String(), "does not let the simulation go on"))
			assert.Contains(t, book.String(), c.want.Task+c.want.Interrupt)
		})
	}
}

// goroutinesTell: the toolchain prints stacks.
const goroutinesTell = true

//go:noinline
func blocksOutside(block func()) { block() }

// A simulation that goes on is not reported, however long it takes.
func TestWatchdogIsQuietWhileTheSimulationGoesOn(t *testing.T) {
	got := newReports()
	k, s := newSim(t, sim.Options{Watchdog: time.Millisecond, OnStuck: got.add})
	start := time.Now()
	spawn(t, k, "a", 1, func(me *rtos.Task) {
		for time.Since(start) < 20*time.Millisecond {
			me.Yield()
			me.Work(k.Ticks(1))
		}
	})
	for time.Since(start) < 20*time.Millisecond {
		_, err := s.Step()
		require.NoError(t, err)
	}
	require.NoError(t, k.Run(t.Context()))
	assert.Empty(t, got.list)
}

// The time between runs, and that in which the driver waits, is nobody's fault.
func TestWatchdogSleepsBetweenRuns(t *testing.T) {
	got := newReports()
	k, s := newSim(t, sim.Options{Watchdog: time.Millisecond, OnStuck: got.add, Pace: 1})
	spawn(t, k, "a", 1, func(me *rtos.Task) { _ = me.Delay(k.Ticks(20)) })
	require.NoError(t, s.RunUntil(10))
	time.Sleep(10 * time.Millisecond)
	require.NoError(t, k.Run(t.Context()))
	assert.Empty(t, got.list)
}

func TestWatchdogOff(t *testing.T) {
	got := newReports()
	k, _ := newSim(t, sim.Options{Watchdog: -1, OnStuck: got.add})
	spawn(t, k, "a", 1, func(*rtos.Task) { time.Sleep(5 * time.Millisecond) })
	require.NoError(t, k.Run(t.Context()))
	assert.Empty(t, got.list)
}
