package realtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOptionsHaveDefaults(t *testing.T) {
	for _, c := range []struct {
		usable, want []int
	}{
		{[]int{0, 1}, []int{1}},
		{[]int{3}, []int{3}},
		{[]int{2, 4, 5}, []int{4, 5}},
	} {
		o, err := Options{}.withDefaults(maskOf(c.usable...))
		require.NoError(t, err)
		assert.Equal(t, c.want, o.Cores)
		assert.Equal(t, 1, o.Base)
		assert.NotNil(t, o.Logger)
		assert.Positive(t, o.Headroom)
	}
	o, err := Options{Cores: []int{3, 1, 3}}.withDefaults(maskOf(0))
	require.NoError(t, err)
	assert.Equal(t, []int{1, 3}, o.Cores)
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Cores: []int{}}, "Options.Cores is empty"},
		{Options{Cores: []int{-1, 0}}, "Options.Cores is [-1 0], want numbers from 0 to 1023"},
		{Options{Cores: []int{1024}}, "Options.Cores is [1024]"},
		{Options{Policy: Other}, "Options.Policy is OTHER, want FIFO or RR"},
		{Options{Policy: 9}, "Options.Policy is Policy(9)"},
		{Options{Base: -1}, "Options.Base is -1, want 1 to 98"},
		{Options{Base: 99}, "Options.Base is 99"},
		{Options{Spin: -1}, "Options.Spin is -1ns, want 0 to 1ms"},
		{Options{Spin: time.Second}, "Options.Spin is 1s"},
		{Options{Memory: 9}, "Options.Memory is 9"},
		{Options{Collector: 9}, "Options.Collector is 9"},
		{Options{Headroom: -1}, "Options.Headroom is -1"},
		{Options{Procs: -1}, "Options.Procs is -1"},
	} {
		_, err := c.o.withDefaults(maskOf(0, 1))
		assert.ErrorContains(t, err, "realtime: "+c.want)
	}
}

func TestModeIsPrintable(t *testing.T) {
	m := Mode{
		Policy: FIFO, Lowest: 1, Highest: 32, Cores: []int{1, 2}, Pinned: true, Spinning: []int{2}, Bare: true,
		Memory: true, Latency: true, KeptOff: true, Urged: true, GCOff: true, Procs: 10,
	}
	assert.Equal(t, "FIFO 1-32, on cores 1 2, spins on core 2, memory locked, no deep sleep, other threads kept off, and urged, "+
		"GC off, bare waits, GOMAXPROCS 10", m.String())
	m = Mode{Policy: Other, Procs: 2, Why: []string{"this", "that"}}
	assert.Equal(t, "OTHER, on any core, no spin, memory not locked, deep sleep, other threads anywhere, not urged, GC on, plain waits, "+
		"GOMAXPROCS 2\ndegraded: this\ndegraded: that", m.String())
}

func TestMask(t *testing.T) {
	m := maskOf(0, 63, 64, 1023, -1, 1024)
	assert.Equal(t, []int{0, 63, 64, 1023}, m.cores())
	assert.Equal(t, 4, m.count())
	assert.True(t, m.has(64) && !m.has(65) && !m.has(-1) && !m.has(1024))
	assert.Equal(t, []int{0, 1023}, m.without(maskOf(63, 64, 65)).cores())
	assert.Equal(t, []int{7, 63}, maskOf(7).or(maskOf(63)).cores())
	assert.True(t, m.without(m).empty())
}

// One core of the machine is left without spinning, whoever asks in whatever order.
func TestSpinningIsGrantedOnAllCoresButOne(t *testing.T) {
	var s spinCores
	assert.Equal(t, []int{1}, s.claim([]int{0, 1}, 2))
	assert.Empty(t, s.claim([]int{0}, 2))
	assert.Equal(t, []int{1}, s.claim([]int{1}, 2), "it spins already")
	s.release([]int{1})
	assert.Empty(t, s.claim([]int{0}, 2))
	s.release([]int{1})
	assert.Equal(t, []int{0}, s.claim([]int{0}, 2))
	s.release([]int{0})
	assert.Empty(t, s.claim([]int{0}, 1))
	assert.Equal(t, []int{1, 2, 3}, s.claim([]int{0, 1, 2, 3}, 4))
}

func TestTimerLeavesOutWholePeriods(t *testing.T) {
	for _, c := range []struct {
		period, late int64 // after the deadline
		want         int64 // in periods from the deadline
	}{
		{100, 0, 1}, {100, 99, 1}, {100, 100, 2}, {100, 250, 3}, {100, 1_000_000, 10_001},
		{999_999_999, 5, 1}, {1_500_000_000, 4_500_000_001, 4}, {10_000, 3_600_000_000_000, 360_000_001},
	} {
		l := timerLoop{period: c.period, next: 7_000_000_123}
		l.till.set(l.next - l.margin)
		l.step.set(l.period)
		l.advance(7_000_000_123 + c.late)
		want := 7_000_000_123 + c.want*c.period
		assert.Equal(t, want, l.next, "%+v", c)
		assert.Equal(t, want, int64(l.till.sec)*second+int64(l.till.nsec), "%+v", c)
		assert.Less(t, l.till.nsec, int(second))
	}
}
