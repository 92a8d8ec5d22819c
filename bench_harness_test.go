package rtos_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tickwake/rtos"
)

type placement int

const (
	free placement = iota
	pinned
)

func (pl placement) String() string { return [...]string{"free", "pinned"}[pl] }

func (pl placement) unsupported() string {
	switch {
	case pl == free:
		return ""
	case len(cpus()) == 0:
		return "cannot put a thread on a core on " + runtime.GOOS
	case len(cpus()) < 2 || runtime.GOMAXPROCS(0) < 2:
		return "needs two processors"
	}
	return ""
}

// A cell is the shared counter and, on its cache line in every way, the probe
// that counts how often the counter changes hands.
type cell struct {
	_     [128]byte
	value uint32
	last  int32
	hands uint32
	_     [116]byte
}

func newCell() *cell { return &cell{last: -1} }

func (c *cell) hit(me int32) uint32 {
	if c.last != me {
		c.last = me
		c.hands++
	}
	c.value++
	return c.value
}

// padded keeps an object off every other cache line.
type padded[T any] struct {
	_ [128]byte
	v T
	_ [128]byte
}

// A party is one of the two tasks of a run. An arm is its whole share of the
// work; it returns the value after its last increment.
type party struct {
	_          [128]byte
	me         int32
	n          int
	c          *cell
	task, peer *rtos.Task // nil in the Go twins
	start, end time.Duration
	busy       [2]time.Duration // CPU clock at start and end
	final      uint32
	_          [128]byte
}

type arm func(p *party) uint32

type way struct {
	name     string
	ours     bool
	needsTwo bool // of its own accord never gives up its processor
	make     func() arm
}

// A barrier lets its parties go together. It spins, because a barrier that
// yields or parks starts the second task when the first is already done.
type barrier struct {
	arrived atomic.Int32
	parties int32
}

func (b *barrier) wait() {
	yield := int(b.parties) > runtime.GOMAXPROCS(0)
	b.arrived.Add(1)
	for b.arrived.Load() < b.parties {
		if yield {
			runtime.Gosched()
		}
	}
}

var epoch = time.Now()

// run does one run of the experiment with pairs of tasks at the same time.
func (w way) run(tb testing.TB, pl placement, pairs, n int) []outcome {
	parties := make([]*party, 2*pairs)
	arms := make([]arm, pairs)
	for i := range pairs {
		c := newCell()
		arms[i] = w.make()
		for j := range 2 {
			parties[2*i+j] = &party{me: int32(j), n: n, c: c}
		}
	}
	bar := &barrier{parties: int32(len(parties))}
	clock := processTime
	if pl == pinned {
		clock = threadTime
	}
	w.crew(tb, pl, len(parties), func(i int, t *rtos.Task) {
		p := parties[i]
		p.task = t
		bar.wait()
		p.peer = parties[i^1].task
		p.busy[0], p.start = clock(), time.Since(epoch)
		p.final = arms[i/2](p)
		p.end, p.busy[1] = time.Since(epoch), clock()
	})
	out := make([]outcome, pairs)
	for i := range out {
		out[i] = judge(pl, parties[2*i], parties[2*i+1])
	}
	return out
}

func judge(pl placement, a, b *party) outcome {
	o := outcome{
		value:     a.c.value,
		handovers: float64(a.c.hands) - 1,
		wall:      max(a.end, b.end) - min(a.start, b.start),
		skew:      (a.start - b.start).Abs(),
		fairness:  100 * (float64(min(a.final, b.final)) - float64(a.n)) / float64(a.n),
	}
	percent := func(d time.Duration) float64 { return 100 * float64(d) / float64(o.wall) }
	switch {
	case !haveCPUTime:
	case pl == pinned:
		o.cpu = []float64{percent(a.busy[1] - a.busy[0]), percent(b.busy[1] - b.busy[0])}
	default:
		o.cpu = []float64{percent(max(a.busy[1], b.busy[1]) - min(a.busy[0], b.busy[0]))}
	}
	return o
}

// crew runs body in n tasks of a new kernel, or in n goroutines.
func (w way) crew(tb testing.TB, pl placement, n int, body func(i int, t *rtos.Task)) {
	if w.ours {
		runTasks(tb, pl, n, func(int) int { return 1 }, body)
		return
	}
	runGoroutines(pl, n, body)
}

func runTasks(tb testing.TB, pl placement, n int, prio func(i int) int, body func(i int, t *rtos.Task)) {
	tb.Helper()
	k, err := rtos.New(rtos.Config{Tasks: n})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		var opts []rtos.SpawnOption
		if pl == pinned {
			opts = append(opts, rtos.OwnThread(cpus()[i]))
		}
		_, err := k.Spawn(fmt.Sprintf("task%d", i), prio(i), func(t *rtos.Task) { body(i, t) }, opts...)
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := k.Run(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// runGoroutines never unlocks a pinned thread, so that it ends with its
// goroutine instead of serving others from one core.
func runGoroutines(pl placement, n int, body func(i int, t *rtos.Task)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if pl == pinned {
				runtime.LockOSThread()
				pin(cpus()[i])
			}
			body(i, nil)
		})
	}
	wg.Wait()
}

// adopt makes the calling goroutine a task of a new kernel until the
// benchmark ends.
func adopt(tb testing.TB) *rtos.Task {
	tb.Helper()
	k, err := rtos.New(rtos.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := k.Adopt("bench", 1)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Release(); err != nil {
			tb.Error(err)
		}
	})
	return t
}
