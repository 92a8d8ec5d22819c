//go:build !explore

package spin

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"
)

// procs sets the number of processors for one test.
func procs(t *testing.T, n int) {
	t.Helper()
	switch runtime.GOOS {
	case "noos", "tamago":
		t.Skip("GOMAXPROCS is fixed")
	}
	old := runtime.GOMAXPROCS(n)
	Refresh()
	t.Cleanup(func() {
		runtime.GOMAXPROCS(old)
		Refresh()
	})
}

func TestNobodySpinsOnOneProcessor(t *testing.T) {
	procs(t, 1)
	for range 1000 {
		if Can() {
			t.Fatal("Can is true with one processor")
		}
		Yield()
	}
}

// With a goroutine that never stops on another processor, and no other to run on
// this one, spinning is right: sooner or later Can must say so.
func TestCanSeesABusyProcessor(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU")
	}
	procs(t, 2)
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one processor")
	}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			Pause(1)
		}
	}()
	for !Can() {
		Yield()
	}
	stop.Store(true)
	<-done
}

func TestYieldLetsOthersRun(t *testing.T) {
	procs(t, 1)
	var ran atomic.Bool
	go ran.Store(true)
	for n := 0; !ran.Load(); n++ {
		if n == 1000 {
			t.Fatal("a runnable goroutine did not run in 1000 yields")
		}
		Yield()
	}
}

func TestPauseReturnsForEveryCount(t *testing.T) {
	for _, n := range []int{math.MinInt, math.MinInt32, -1, 0, 1, 2, MutexPauses, Locked} {
		Pause(n)
	}
}

func TestNothingAllocates(t *testing.T) {
	budget := 0
	n := testing.AllocsPerRun(1000, func() {
		Can()
		Pause(1)
		Yield()
		Refresh()
		budget = Budget(true) + Polls(true)
	})
	if budget < 0 || n != 0 {
		t.Errorf("%v allocations in a round of all calls, want 0", n)
	}
}

// slot is the least thing to wait for: a token, and a flag that says that its taker
// parks.
type slot struct {
	word atomic.Uint32
	park chan struct{}
}

const (
	token   = 1
	waiting = 2
)

func (s *slot) give() {
	if s.word.Swap(token) == waiting {
		s.park <- struct{}{}
	}
}

func (s *slot) try() bool {
	return s.word.Load() == token && s.word.CompareAndSwap(token, 0)
}

func (s *slot) take(locked bool) {
	for k := range Budget(locked) {
		if s.try() {
			return
		}
		if k%Stride == 0 && !Can() {
			break
		}
		Pause(1)
	}
	for range Yields {
		Yield()
		if s.try() {
			return
		}
	}
	if s.word.CompareAndSwap(0, waiting) {
		<-s.park
	}
	s.word.Store(0)
}

// handOver passes a token to and fro n times.
func handOver(n int, locked bool) {
	a, b := &slot{park: make(chan struct{}, 1)}, &slot{park: make(chan struct{}, 1)}
	done := make(chan struct{})
	lock := func() func() {
		if !locked {
			return func() {}
		}
		runtime.LockOSThread()
		return runtime.UnlockOSThread
	}
	go func() {
		defer close(done)
		defer lock()()
		for range n {
			b.take(locked)
			a.give()
		}
	}()
	defer lock()()
	for range n {
		b.give()
		a.take(locked)
	}
	<-done
}

// The loop of the package comment loses no token, however many processors there are
// and whoever runs where.
func TestLoopHandsOverEveryToken(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 1000
	}
	for _, c := range []struct {
		name   string
		procs  int
		pairs  int
		locked bool
		n      int
	}{
		{"one processor", 1, 1, false, n},
		{"one processor, locked", 1, 1, true, n / 20},
		{"two processors", 2, 1, false, n},
		{"two processors, locked", 2, 1, true, n / 20},
		{"more tasks than processors", 2, 4, false, n / 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.locked && runtime.GOARCH == "wasm" {
				t.Skip("no threads")
			}
			procs(t, c.procs)
			done := make(chan struct{})
			for range c.pairs {
				go func() {
					handOver(c.n, c.locked)
					done <- struct{}{}
				}()
			}
			for range c.pairs {
				<-done
			}
		})
	}
}

func BenchmarkPause(b *testing.B) {
	for b.Loop() {
		Pause(1)
	}
}

func BenchmarkPauseMutex(b *testing.B) {
	for b.Loop() {
		Pause(MutexPauses)
	}
}

func BenchmarkCan(b *testing.B) {
	for b.Loop() {
		Can()
	}
}

func BenchmarkGOMAXPROCS(b *testing.B) {
	for b.Loop() {
		runtime.GOMAXPROCS(0)
	}
}

func BenchmarkYield(b *testing.B) {
	for b.Loop() {
		Yield()
	}
}

func BenchmarkGosched(b *testing.B) {
	for b.Loop() {
		runtime.Gosched()
	}
}

// One op of the three below is two hand-overs, there and back.

func BenchmarkHandOver(b *testing.B) {
	b.ReportAllocs()
	handOver(b.N, false)
}

func BenchmarkHandOverLocked(b *testing.B) {
	b.ReportAllocs()
	handOver(b.N, true)
}

func BenchmarkHandOverChan(b *testing.B) {
	b.ReportAllocs()
	x, y := make(chan struct{}, 1), make(chan struct{}, 1)
	go func() {
		for range b.N {
			<-x
			y <- struct{}{}
		}
	}()
	for range b.N {
		x <- struct{}{}
		<-y
	}
}
