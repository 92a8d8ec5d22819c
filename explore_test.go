//go:build explore

package rtos

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tickwake/rtos/internal/explore"
)

var (
	exploreTime     = flag.Duration("explore.time", 2*time.Minute, "how long the exploration may take, over all bodies")
	explorePreempt  = flag.Int("explore.preempt", -1, "preemptions at most, instead of each body's own number")
	exploreRuns     = flag.Int("explore.runs", 0, "explore so many runs of each body and kind of search instead of a time, and the same ones each time")
	exploreNative   = flag.Bool("explore.native", false, "explore what only the goroutine port does: spinning without looking")
	exploreSchedule = flag.String("explore.schedule", "", "repeat this schedule of the body that -run selects")
)

// A body is a small program for the explorer.
type body struct {
	name    string
	preempt int // preemptions at most in the short form
	build   func(x *bench)
	native  bool // as on the goroutine port: waits spin by package spin
	config  Config
}

// bench is what a body is built from: one kernel and its oracles. At rest nobody may wait
// for ever, waiter sets are empty, priorities are back to base, and no limit is armed.
type bench struct {
	w       *explore.World
	port    *explorePort
	k       *Kernel
	tasks   []*Task
	objects []*object
}

func (b body) program() explore.Program {
	return func(w *explore.World) {
		x := &bench{w: w, port: newExplorePort(w)}
		if err := x.boot(b.config); err != nil {
			w.Fail(err)
			return
		}
		x.k.native = b.native || *exploreNative
		w.Check(x.panics)
		b.build(x)
		w.Check(w.Stuck)
		w.Check(x.atRest)
	}
}

// boot makes the kernel.
func (x *bench) boot(c Config) (err error) {
	c.Port, c.Logger = x.port, slog.New(slog.DiscardHandler)
	if c.Tasks == 0 {
		c.Tasks = 4
	}
	if c.NotifySlots == 0 {
		c.NotifySlots = 1
	}
	x.w.Cleanup(x.port.forgetKernels)
	x.k, err = New(c)
	return err
}

// task adds a task.
func (x *bench) task(name string, prio int, f func(t *Task)) *Task {
	t, err := x.k.Spawn(name, prio, f)
	x.w.Fail(err)
	x.tasks = append(x.tasks, t)
	return t
}

// outside adds a goroutine that is no task.
func (x *bench) outside(name string, f func()) { x.w.Go(name, f) }

func (x *bench) mutex() *Mutex {
	m := &Mutex{}
	x.objects = append(x.objects, &m.o)
	return m
}

func (x *bench) binary() *Semaphore { return x.counting(1, 0) }

func (x *bench) counting(max, initial int) *Semaphore {
	s := newSemaphore("semaphore", "s", max, initial)
	x.objects = append(x.objects, &s.o)
	return s
}

func (x *bench) failf(format string, a ...any) { x.w.Fail(fmt.Errorf(format, a...)) }

// must fails unless err is one of the wanted outcomes, nil if none is given.
func (x *bench) must(err error, want ...error) bool {
	if err == nil && len(want) == 0 {
		return true
	}
	for _, e := range want {
		if errors.Is(err, e) || err == nil && e == nil {
			return err == nil
		}
	}
	x.failf("unexpected outcome: %v", err)
	return false
}

func (x *bench) panics() error {
	var p *PanicError
	if errors.As(x.k.Err(), &p) {
		return fmt.Errorf("%w\n%s", p, p.Stack)
	}
	return nil
}

func (x *bench) atRest() error {
	for _, o := range x.objects {
		if w := o.word.Load(); w&^countMask != 0 && w&ownerMask == w&countMask {
			return fmt.Errorf("a waiter or a mark is left in a word: %#x", w)
		} else if waitersIn(w) != 0 || w&overdueBit != 0 {
			return fmt.Errorf("a waiter or a mark is left in a word: %#x", w)
		}
		if b := o.body.Load(); b != nil && b.bits.Load() != 0 {
			return fmt.Errorf("a bit is left in a waiter set: %#b", b.bits.Load())
		} else if b != nil && b.wide != nil && b.wide.leaves[0].Load() != 0 {
			return fmt.Errorf("a bit is left in a wide waiter set")
		}
	}
	for _, t := range x.tasks {
		if p := t.prio.Load(); effPrio(p) != basePrio(p) {
			return fmt.Errorf("%s is left with priority %d, base %d", t.name, effPrio(p), basePrio(p))
		}
		if !t.ended.Load() {
			return fmt.Errorf("%s has not ended", t.name)
		}
		if x.port.limits[t] != nil {
			return fmt.Errorf("a limit of %s is left armed", t.name)
		}
	}
	for i := range x.k.waiters {
		if s := stateOf(x.k.waiters[i].word.Load()); s != stIdle {
			return fmt.Errorf("the wait word of slot %d is left in state %d", i, s)
		}
		if x.k.waiters[i].overdue.Load() != 0 {
			return fmt.Errorf("slot %d is left overdue", i)
		}
	}
	return nil
}

// until lets others go on until f holds.
func (x *bench) until(f func() bool) {
	for {
		ok := false
		if x.w.Look(func() { ok = f() }); ok {
			return
		}
		x.w.Spin()
	}
}

// section is a critical section: nobody else may be inside, and what others did inside
// happened before.
type section_ struct {
	x      *bench
	inside string
	cell   *explore.Cell
	count  int
}

func (x *bench) section() *section_ { return &section_{x: x, cell: x.w.NewCell()} }

func (s *section_) enter(t *Task) {
	if s.inside != "" {
		s.x.failf("%s is inside together with %s", t.name, s.inside)
	}
	s.inside = t.name
	v := s.cell.Get()
	s.x.w.Step()
	s.cell.Set(v + 1)
	s.count++
	s.inside = ""
}

func TestExplore(t *testing.T) {
	share := *exploreTime / time.Duration(len(bodies))
	for _, b := range bodies {
		t.Run(b.name, func(t *testing.T) {
			p := b.program()
			if *exploreSchedule != "" {
				f, err := explore.Replay(p, explore.Limits{}, *exploreSchedule)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v\n%s", f.Err, explore.Trace(f.Trace))
				return
			}
			bound := b.preempt
			if *explorePreempt >= 0 {
				bound = *explorePreempt
			}
			seed := uint64(time.Now().UnixNano())
			if *exploreRuns > 0 {
				share, seed = 0, 1
			}
			// Most errors need few preemptions, so these come first.
			left := explore.Limits{Time: share * 6 / 10, Runs: *exploreRuns}
			for n := range bound + 1 {
				if r := searchBy(t, fmt.Sprintf("up to %d preemptions", n), p, explore.Exhaust(n), left); !r.Complete {
					break
				} else if *exploreRuns > 0 {
					left.Runs = max(left.Runs-r.Runs, 1)
				} else {
					left.Time = max(left.Time-r.Took, 1)
				}
			}
			searchBy(t, "random", p, explore.Random(seed), explore.Limits{Time: share * 2 / 10, Runs: *exploreRuns / 2})
			searchBy(t, "PCT", p, explore.PCT(seed, 4, 150), explore.Limits{Time: share * 2 / 10, Runs: *exploreRuns / 2})
		})
	}
}

func searchBy(t *testing.T, how string, p explore.Program, s explore.Search, l explore.Limits) explore.Result {
	t.Helper()
	r := explore.Explore(p, s, l)
	t.Logf("%s: %d runs, %d steps, longest %d, complete %t, %v", how, r.Runs, r.Steps, r.Longest, r.Complete,
		r.Took.Round(time.Millisecond))
	if f := r.Failure; f != nil {
		t.Fatalf("%v\n%s\nrepeat: go test -tags explore -run '^%s$' -explore.schedule '%s' -v .", f.Err,
			explore.Trace(f.Trace[max(0, len(f.Trace)-300):]), strings.ReplaceAll(t.Name(), "/", "$/^"), f.Schedule)
	}
	return r
}
