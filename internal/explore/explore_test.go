//go:build explore

package explore

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos/internal/atomic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errLost = errors.New("an increment is lost")

// lostUpdate is a counter that two threads read and write in two steps.
func lostUpdate(w *World) {
	var n atomic.Uint64
	for _, name := range []string{"a", "b"} {
		w.Go(name, func() { n.Store(n.Load() + 1) })
	}
	w.Check(func() error {
		if n.Load() != 2 {
			return errLost
		}
		return nil
	})
}

func TestEverySearchFindsALostUpdate(t *testing.T) {
	for name, s := range map[string]Search{"exhaust": Exhaust(1), "random": Random(1), "pct": PCT(1, 2, 10)} {
		t.Run(name, func(t *testing.T) {
			r := Explore(lostUpdate, s, Limits{Runs: 1000})
			require.NotNil(t, r.Failure)
			assert.ErrorIs(t, r.Failure.Err, errLost)
			assert.Len(t, r.Failure.Trace, 4)
			again, err := Replay(lostUpdate, Limits{}, r.Failure.Schedule)
			require.NoError(t, err)
			assert.ErrorIs(t, again.Err, errLost)
			assert.Equal(t, r.Failure.Trace, again.Trace)
		})
	}
}

func TestWithoutPreemptionNothingIsLost(t *testing.T) {
	r := Explore(lostUpdate, Exhaust(0), Limits{})
	assert.Nil(t, r.Failure)
	assert.True(t, r.Complete)
	assert.Equal(t, 2, r.Runs, "either may begin")
}

// Two threads of n steps have so many interleavings.
func TestExhaustTriesEveryInterleavingOnce(t *testing.T) {
	seen := map[string]int{}
	program := func(w *World) {
		var order string
		var n atomic.Uint64
		for _, name := range []string{"a", "b"} {
			w.Go(name, func() {
				for range 3 {
					n.Add(1)
					order += name
				}
			})
		}
		w.Check(func() error { seen[order]++; return nil })
	}
	r := Explore(program, Exhaust(10), Limits{})
	assert.True(t, r.Complete)
	assert.Len(t, seen, 20) // 6 over 3
}

func TestATimerMayFireAtAnyMomentAndIsTheLastResort(t *testing.T) {
	var early, late bool
	program := func(w *World) {
		var n atomic.Uint64
		th := w.Go("a", func() {
			n.Add(1)
			w.Park()
			assert.Equal(t, 5*time.Second, w.Now())
		})
		w.Timer(5*time.Second, "timer", func() {
			early, late = early || n.Load() == 0, late || n.Load() == 1
			w.Unpark(th)
		})
		w.Check(w.Stuck)
	}
	r := Explore(program, Exhaust(2), Limits{})
	require.Nil(t, r.Failure)
	assert.True(t, r.Complete && early && late)
}

func TestACancelledTimerDoesNotBegin(t *testing.T) {
	r := Explore(func(w *World) {
		timer := w.Timer(time.Second, "timer", func() { w.Fail(errors.New("it began")) })
		w.Cancel(timer)
		w.Go("a", func() {})
	}, Exhaust(2), Limits{})
	assert.Nil(t, r.Failure)
}

func TestWhoParksForEverIsNamed(t *testing.T) {
	r := Explore(func(w *World) {
		w.Go("sleeper", w.Park)
		w.Check(w.Stuck)
	}, Exhaust(0), Limits{})
	require.NotNil(t, r.Failure)
	assert.ErrorContains(t, r.Failure.Err, "sleeper")
}

// Also two that could take turns for ever.
func TestSpinningThreadsLetOthersGoOn(t *testing.T) {
	for n := range 3 {
		r := Explore(func(w *World) {
			var flag atomic.Bool
			for i := range n + 1 {
				w.Go(fmt.Sprint("spinner", i), func() {
					for !flag.Load() {
						w.Spin()
					}
				})
			}
			w.Go("setter", func() { flag.Store(true) })
			w.Check(w.Stuck)
		}, Exhaust(1), Limits{Steps: 200, Runs: 100_000})
		if r.Failure != nil {
			t.Error(r.Failure.Err)
		}
		assert.Less(t, r.Longest, 100)
	}
}

func TestALivelockEnds(t *testing.T) {
	r := Explore(func(w *World) {
		var n atomic.Uint64
		w.Go("a", func() {
			for n.Load() == 0 { //nolint:revive // for ever
			}
		})
	}, Exhaust(0), Limits{Steps: 100})
	require.NotNil(t, r.Failure)
	assert.ErrorIs(t, r.Failure.Err, ErrSteps)
}

// A message passed through a flag orders the plain variable, one read too early does not.
func TestPlainVariablesAreWatched(t *testing.T) {
	for name, c := range map[string]struct {
		wait bool
		race bool
	}{"ordered": {true, false}, "unordered": {false, true}} {
		t.Run(name, func(t *testing.T) {
			r := Explore(func(w *World) {
				var flag atomic.Bool
				cell := w.NewCell()
				w.Go("writer", func() {
					cell.Set(1)
					flag.Store(true)
				})
				w.Go("reader", func() {
					for !flag.Load() && c.wait {
						w.Spin()
					}
					_ = cell.Get()
				})
			}, Exhaust(2), Limits{})
			if !c.race {
				require.Nil(t, r.Failure)
				return
			}
			require.NotNil(t, r.Failure)
			assert.ErrorContains(t, r.Failure.Err, "data race")
		})
	}
}

func TestPanicsAreReportedWithTheirThread(t *testing.T) {
	r := Explore(func(w *World) { w.Go("p", func() { panic("oh") }) }, Exhaust(0), Limits{})
	require.NotNil(t, r.Failure)
	assert.ErrorContains(t, r.Failure.Err, "p panics: oh")
}

// A thread that is frozen with a lock held stops the other; one that counts does not.
func TestFreezeTellsALockFromALockFreeLoop(t *testing.T) {
	lock := func(w *World) {
		var l atomic.Bool
		for _, name := range []string{"frozen", "other"} {
			w.Go(name, func() {
				w.Operation(func() {
					for !l.CompareAndSwap(false, true) {
						w.Spin()
					}
					l.Store(false)
				})
			})
		}
		w.Check(w.Stuck)
	}
	free := func(w *World) {
		var n atomic.Uint64
		for _, name := range []string{"frozen", "other"} {
			w.Go(name, func() {
				w.Operation(func() {
					for v := n.Load(); !n.CompareAndSwap(v, v+1); v = n.Load() {
					}
				})
			})
		}
		w.Check(w.Stuck)
	}
	list, err := Freeze(lock, "frozen", Limits{Steps: 200})
	require.NoError(t, err)
	require.Len(t, list, 2) // before the swap, and with the lock held
	assert.Error(t, list[1].Err)
	list, err = Freeze(free, "frozen", Limits{Steps: 200})
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, f := range list {
		assert.NoError(t, f.Err)
	}
}

func TestBadSchedulesAreRefused(t *testing.T) {
	for _, s := range []string{"x", "1", "1.0", "1.-1", "0.1 .", "99999999999.1"} {
		_, err := Replay(lostUpdate, Limits{}, s)
		assert.Error(t, err, s)
	}
	f, err := Replay(lostUpdate, Limits{}, "7.1")
	require.NoError(t, err)
	assert.ErrorContains(t, f.Err, "does not fit")
}
