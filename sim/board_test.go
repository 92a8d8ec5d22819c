package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

var silent = rtos.Config{Logger: slog.New(slog.DiscardHandler)}

func newBoard(t *testing.T, name string, c rtos.Config, o sim.Options, boot func(b *sim.Board) error) *sim.Board {
	t.Helper()
	b, err := sim.NewBoard(name, c, o, boot)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func group(t *testing.T, boards ...*sim.Board) *sim.Group {
	t.Helper()
	g, err := sim.NewGroup(boards...)
	require.NoError(t, err)
	return g
}

// A reset board does the same again, byte for byte, with fresh tasks; the old ones have
// been unwound.
func TestResetStartsFromTheBeginning(t *testing.T) {
	for _, seed := range []uint64{0, 42} {
		var out bytes.Buffer
		unwound := 0
		b := newBoard(t, "pump", silent, sim.Options{Seed: seed, Trace: &out}, func(b *sim.Board) error {
			mixed(b.Kernel(), b.Sim())
			_, err := b.Kernel().Spawn("waits", 9, func(me *rtos.Task) {
				defer func() { unwound++ }()
				_ = me.Delay(rtos.Forever)
			})
			return err
		})
		var traces []string
		for i := range 3 {
			assert.Equal(t, i, unwound)
			assert.Equal(t, i, b.Resets())
			assert.Zero(t, b.Sim().Time())
			require.NoError(t, b.Sim().RunUntil(60))
			traces = append(traces, out.String())
			assert.Equal(t, 60*time.Millisecond, b.Now()-time.Duration(i)*60*time.Millisecond)
			out.Reset()
			old := b.Kernel()
			require.NoError(t, b.Reset())
			assert.NotSame(t, old, b.Kernel())
			assert.Zero(t, old.NumTasks())
		}
		assert.Greater(t, len(traces[0]), 1000)
		for i := 1; i < 3; i++ {
			head, rest, _ := strings.Cut(traces[i], "\n")
			assert.Equal(t, fmt.Sprintf("pump            0 * reset      %d, at %dms", i, 60*i), head)
			assert.Equal(t, traces[0], rest)
		}
	}
}

func TestBoardsThatCannotStart(t *testing.T) {
	bootless := errors.New("no boot medium")
	for text, c := range map[string]struct {
		c    rtos.Config
		o    sim.Options
		boot func(*sim.Board) error
	}{
		`board "x": Config.Port is set`:          {rtos.Config{Port: sim.New(sim.Options{})}, sim.Options{}, func(*sim.Board) error { return nil }},
		`board "x": nil boot function`:           {silent, sim.Options{}, nil},
		`board "x": rtos: port: sim: Options`:    {silent, sim.Options{Pace: -1}, func(*sim.Board) error { return nil }},
		`board "x": boot: no boot medium`:        {silent, sim.Options{}, func(*sim.Board) error { return bootless }},
		`board "x": rtos: Config.Tasks is -1, w`: {rtos.Config{Tasks: -1}, sim.Options{}, func(*sim.Board) error { return nil }},
	} {
		_, err := sim.NewBoard("x", c.c, c.o, c.boot)
		assert.ErrorContains(t, err, text)
	}
	boots := 0
	b := newBoard(t, "x", silent, sim.Options{}, func(b *sim.Board) error {
		if boots++; boots == 2 {
			return bootless
		}
		_, err := b.Kernel().Spawn("a", 1, func(me *rtos.Task) { _ = me.Delay(rtos.Forever) })
		return err
	})
	require.NoError(t, b.Sim().RunUntil(5))
	assert.ErrorIs(t, b.Reset(), bootless)
	misuses(t, "Sim.Settle", "has ended", func() { _ = b.Sim().Settle() })
	require.NoError(t, b.Reset(), "it may be tried again")
	require.NoError(t, b.Sim().RunUntil(5))
}

// Messages arrive on the other board when the latency has passed on the common clock,
// rounded up to its ticks.
func TestGroupMessages(t *testing.T) {
	const ms = time.Millisecond
	var log []string
	var g *sim.Group
	var boards [2]*sim.Board
	for i, c := range []struct {
		name string
		tick time.Duration
	}{{"fast", ms}, {"slow", 10 * ms}} {
		config := silent
		config.Tick = c.tick
		boards[i] = newBoard(t, c.name, config, sim.Options{}, func(b *sim.Board) error {
			_, err := b.Kernel().Spawn("echo", 1, func(me *rtos.Task) {
				for {
					n, _ := me.NotifyTake(true, rtos.Forever)
					log = append(log, fmt.Sprint(b.Now(), " ", b.Name(), " got ", n))
					assert.Equal(t, b.Now(), g.Time())
					if len(log) < 6 {
						other := boards[1-i]
						b.Post(other, 3*ms, func(isr *rtos.ISR) {
							assert.NoError(t, other.Kernel().Task("echo").NotifyGiveFromISR(isr))
						}, sim.Named("link"))
					}
				}
			})
			return err
		})
	}
	g = group(t, boards[0], boards[1])
	require.NoError(t, g.RunUntil(4*ms))
	assert.Equal(t, 4*ms, g.Time())
	boards[0].Post(boards[0], ms, func(isr *rtos.ISR) {
		assert.NoError(t, boards[0].Kernel().Task("echo").NotifyGiveFromISR(isr))
	})
	at, ok := g.NextEvent()
	assert.True(t, ok)
	assert.Equal(t, 5*ms, at)
	require.NoError(t, g.Settle())
	assert.Equal(t, []string{"5ms fast got 1", "10ms slow got 1", "13ms fast got 1", "20ms slow got 1", "23ms fast got 1", "30ms slow got 1"}, log)
	assert.Equal(t, 30*ms, g.Time())
	require.NoError(t, g.RunFor(15*ms))
	assert.Equal(t, 45*ms, g.Time())
	assert.EqualValues(t, 45, boards[0].Sim().Time())
	assert.EqualValues(t, 4, boards[1].Sim().Time())
	_, ok = g.NextEvent()
	assert.False(t, ok)
	more, err := g.Step()
	assert.False(t, more)
	assert.NoError(t, err)
	assert.Equal(t, 40*ms, boards[1].Now())
	require.NoError(t, boards[1].Reset())
	assert.Equal(t, 45*ms, boards[1].Now(), "its ticks begin anew at the group's present")
	came := time.Duration(0)
	boards[0].Post(boards[1], 13*ms, func(*rtos.ISR) { came = g.Time() })
	require.NoError(t, g.RunTo(func() bool { return came > 0 }, time.Second))
	assert.Equal(t, 65*ms, came, "the first tick after 58ms")
}

// The earliest event comes first, of equal ones that of the board that comes first in
// the group; and every board's clock stands right while another one goes on.
func TestGroupOrder(t *testing.T) {
	var log []string
	var g *sim.Group
	var boards []*sim.Board
	for i := range 3 {
		boards = append(boards, newBoard(t, fmt.Sprint("b", i), silent, sim.Options{}, func(b *sim.Board) error {
			k := b.Kernel()
			_, err := k.Spawn("a", 1, func(me *rtos.Task) {
				for n := range 3 {
					if i == 1 {
						me.Work(k.Ticks(2))
					} else {
						_ = me.Delay(k.Ticks(uint64(2 + 2*i*n)))
					}
					log = append(log, fmt.Sprint(b.Sim().Time(), b.Name()))
					for _, o := range boards {
						assert.InDelta(t, b.Sim().Time(), o.Sim().Time(), 1)
					}
				}
			})
			return err
		}))
	}
	g = group(t, boards...)
	var steps []time.Duration
	for {
		more, err := g.Step()
		require.NoError(t, err)
		if !more {
			break
		}
		steps = append(steps, g.Time())
	}
	assert.IsNonDecreasing(t, steps)
	assert.Equal(t, []string{"2b0", "2b1", "2b2", "4b0", "4b1", "6b0", "6b1", "8b2", "18b2"}, log)
}

func TestGroupRunTo(t *testing.T) {
	const ms = time.Millisecond
	n := 0
	b := newBoard(t, "b", silent, sim.Options{}, func(b *sim.Board) error {
		_, err := b.Kernel().Spawn("a", 1, func(me *rtos.Task) {
			for ; n < 10; n++ {
				_ = me.Delay(10 * ms)
			}
		})
		return err
	})
	g := group(t, b)
	require.NoError(t, g.RunTo(func() bool { return n == 3 }, time.Second))
	assert.Equal(t, 30*ms, g.Time())
	assert.ErrorIs(t, g.RunTo(func() bool { return false }, 55*ms), rtos.ErrTimeout)
	assert.Equal(t, 55*ms, g.Time())
	err := g.RunTo(func() bool { return false }, time.Hour)
	assert.ErrorIs(t, err, rtos.ErrTimeout)
	assert.ErrorContains(t, err, "nothing can happen any more after 100ms")
	misuses(t, "Group.RunTo", "nil condition", func() { _ = g.RunTo(nil, time.Hour) })
}

// A board may press its own reset button: a watchdog interrupt, or a task. The others go
// on, and the clock of the group with them.
func TestBoardsResetThemselves(t *testing.T) {
	const ms = time.Millisecond
	for name, press := range map[string]func(t *testing.T, b *sim.Board, k *rtos.Kernel, s *sim.Sim, note func(string)){
		"interrupt": func(t *testing.T, b *sim.Board, _ *rtos.Kernel, s *sim.Sim, _ func(string)) {
			s.At(20, func(*rtos.ISR) { assert.NoError(t, b.Reset()) }, sim.Named("watchdog"))
			s.At(20, func(*rtos.ISR) { assert.Fail(t, "after the reset") })
		},
		"task": func(t *testing.T, b *sim.Board, k *rtos.Kernel, _ *sim.Sim, _ func(string)) {
			spawn(t, k, "watchdog", 9, func(me *rtos.Task) {
				_ = me.Delay(k.Ticks(20))
				_ = b.Reset()
				assert.Fail(t, "after the reset")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			b := newBoard(t, "b", silent, sim.Options{}, func(b *sim.Board) error {
				k := b.Kernel()
				note := func(what string) { log = append(log, fmt.Sprint(b.Now(), " ", what)) }
				spawn(t, k, "works", 1, func(me *rtos.Task) {
					defer func() { note("unwound") }()
					note("begins")
					me.Work(k.Ticks(100))
				})
				if b.Resets() < 2 {
					press(t, b, k, b.Sim(), note)
				}
				return nil
			})
			laps := 0
			other := newBoard(t, "other", silent, sim.Options{}, func(b *sim.Board) error {
				k := b.Kernel()
				spawn(t, k, "a", 1, func(me *rtos.Task) {
					for ; laps < 10; laps++ {
						_ = me.Delay(k.Ticks(7))
					}
				})
				return nil
			})
			g := group(t, b, other)
			require.NoError(t, g.RunUntil(500*ms))
			assert.Equal(t, 2, b.Resets())
			assert.Equal(t, 10, laps)
			assert.Equal(t, []string{"0s begins", "20ms unwound", "20ms begins", "40ms unwound", "40ms begins", "140ms unwound"}, log)
			assert.Equal(t, 500*ms, b.Now())
			require.NoError(t, b.Reset(), "from outside, too")
			require.NoError(t, g.RunFor(ms))
			assert.Equal(t, "500ms begins", log[len(log)-1])
		})
	}
}

func TestGroupErrors(t *testing.T) {
	boom := errors.New("boom")
	bad := newBoard(t, "bad", silent, sim.Options{}, func(b *sim.Board) error {
		k := b.Kernel()
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			_ = me.Delay(k.Ticks(5))
			panic(boom)
		})
		return nil
	})
	laps := 0
	good := newBoard(t, "good", silent, sim.Options{}, func(b *sim.Board) error {
		k := b.Kernel()
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for ; laps < 10; laps++ {
				_ = me.Delay(k.Ticks(2))
			}
		})
		crossed(t, k, 2)
		return nil
	})
	g := group(t, bad, good)
	err := g.Settle()
	assert.ErrorIs(t, err, boom)
	assert.ErrorContains(t, err, `board "bad": rtos: task "a" panicked`)
	assert.Equal(t, 5*time.Millisecond, g.Time())
	err = g.Settle()
	var d *sim.DeadlockError
	assert.ErrorAs(t, err, &d, "the other one goes on, with the deadlock of its own")
	assert.ErrorContains(t, err, `board "good": sim: deadlock`)
	assert.Equal(t, 10, laps)
	assert.ErrorIs(t, g.Close(), boom)
	assert.Zero(t, good.Kernel().NumTasks())
}

// A board that stops its kernel is off, until it is reset.
func TestBoardThatStops(t *testing.T) {
	boots := 0
	stops := newBoard(t, "stops", silent, sim.Options{}, func(b *sim.Board) error {
		boots++
		k := b.Kernel()
		spawn(t, k, "other", 1, func(me *rtos.Task) { me.Work(time.Hour) })
		spawn(t, k, "a", 2, func(me *rtos.Task) {
			_ = me.Delay(k.Ticks(5))
			k.Stop()
		})
		return nil
	})
	goesOn := newBoard(t, "goes on", silent, sim.Options{}, func(b *sim.Board) error {
		k := b.Kernel()
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for range 10 {
				_ = me.Delay(k.Ticks(7))
				b.Post(stops, 0, func(*rtos.ISR) { assert.Fail(t, "it is off") })
			}
		})
		return nil
	})
	g := group(t, stops, goesOn)
	require.NoError(t, g.Settle())
	assert.Equal(t, 70*time.Millisecond, g.Time())
	require.NoError(t, g.RunFor(time.Second))
	assert.EqualValues(t, 5, stops.Sim().Time())
	require.NoError(t, stops.Reset())
	require.NoError(t, g.RunFor(time.Second))
	assert.Equal(t, 2, boots)
	assert.EqualValues(t, 5, stops.Sim().Time())
}

func TestWrongGroups(t *testing.T) {
	empty := func(*sim.Board) error { return nil }
	a, b := newBoard(t, "a", silent, sim.Options{}, empty), newBoard(t, "b", silent, sim.Options{}, empty)
	paced, old := newBoard(t, "paced", silent, sim.Options{Pace: 1}, empty), newBoard(t, "old", silent, sim.Options{}, empty)
	require.NoError(t, old.Sim().RunUntil(1))
	g := group(t, a)
	for text, list := range map[string][]*sim.Board{
		"board 1 is nil":                 {b, nil},
		`board "b" belongs to a group`:   {b, b},
		`board "a" belongs to a group`:   {a},
		`board "paced" has Options.Pace`: {paced},
		`board "old" has run already`:    {old},
	} {
		_, err := sim.NewGroup(list...)
		assert.ErrorContains(t, err, text)
	}
	group(t, b) // which has not been harmed
	f := func(*rtos.ISR) {}
	misuses(t, "Board.Post", "not of one group", func() { a.Post(old, 0, f) })
	misuses(t, "Board.Post", "not of one group", func() { old.Post(a, 0, f) })
	misuses(t, "Board.Post", "not of one group", func() { a.Post(nil, 0, f) })
	misuses(t, "Board.Post", "negative latency -1ns", func() { a.Post(a, -1, f) })
	misuses(t, "Board.Post", "nil function", func() { a.Post(a, 0, nil) })
	a.Post(a, rtos.Forever, f) // never, within 292 years

	c := newBoard(t, "c", silent, sim.Options{}, func(b *sim.Board) error {
		spawn(t, b.Kernel(), "a", 1, func(*rtos.Task) {
			misuses(t, "Board.Reset", "no Group drives", func() { _ = b.Reset() })
			misuses(t, "Sim.Close", "from inside", func() { _ = b.Close() })
		})
		return nil
	})
	require.NoError(t, c.Sim().Settle())
	a.Sim().At(3, func(*rtos.ISR) {
		misuses(t, "Group.Settle", "from inside", func() { _ = g.Settle() })
		misuses(t, "Group.RunUntil", "from inside", func() { _ = g.RunUntil(1) })
	})
	require.NoError(t, g.RunUntil(time.Second))
}
