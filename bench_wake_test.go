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

// BenchmarkWake gives once with N waiting. ns/op is the median time of the
// give itself, p99-ns its tail, cycle-ns all of an iteration: the give, the
// wake, and the pause after which the woken one waits again.
func BenchmarkWake(b *testing.B) {
	for _, way := range []struct {
		name  string
		bench func(b *testing.B, n int)
	}{
		{"Semaphore", func(b *testing.B, n int) { wakeTasks(b, n, rtos.Forever) }},
		{"Chan", wakeChan},
		{"Cond", wakeCond},
	} {
		b.Run(way.name, func(b *testing.B) {
			for _, n := range []int{1, 8, 64, 512} {
				b.Run(fmt.Sprintf("waiters=%d", n), func(b *testing.B) { way.bench(b, n) })
			}
		})
	}
}

// A wakeup measures gives to waiters that report each wake.
type wakeup struct {
	woken atomic.Int64
	ended atomic.Bool
}

// settled is longer than any wait spins before it parks.
const settled = 60 * time.Microsecond

func settle() {
	for end := time.Since(epoch) + settled; time.Since(epoch) < end; {
		runtime.Gosched()
	}
}

func (w *wakeup) measure(b *testing.B, n int, give func()) {
	for range n {
		settle()
	}
	samples := make([]float64, 0, 1<<17)
	b.ReportAllocs()
	for b.Loop() {
		before := w.woken.Load()
		start := time.Now()
		give()
		samples = append(samples, float64(time.Since(start)))
		for w.woken.Load() == before {
			runtime.Gosched()
		}
		settle()
	}
	overhead := clockOverhead()
	cycle := float64(b.Elapsed()) / float64(len(samples))
	b.ReportMetric(max(0, median(samples)-overhead), "ns/op")
	b.ReportMetric(max(0, quantile(samples, 0.99)-overhead), "p99-ns")
	b.ReportMetric(cycle, "cycle-ns")
}

var clockOverhead = sync.OnceValue(func() float64 {
	samples := make([]float64, 1000)
	for i := range samples {
		start := time.Now()
		samples[i] = float64(time.Since(start))
	}
	return median(samples)
})

func wakeTasks(b *testing.B, n int, limit time.Duration) {
	k, err := rtos.New(rtos.Config{Tasks: n})
	if err != nil {
		b.Fatal(err)
	}
	var w wakeup
	s := rtos.NewCounting("wake", n, 0)
	for i := range n {
		_, err := k.Spawn(fmt.Sprintf("waiter%d", i), 1, func(t *rtos.Task) {
			for s.TakeFor(t, limit) == nil && !w.ended.Load() {
				w.woken.Add(1)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := k.Run(context.Background()); err != nil {
			b.Error(err)
		}
	})
	w.measure(b, n, func() { s.Give() })
	w.ended.Store(true)
	for range n {
		s.Give()
	}
	running.Wait()
}

func wakeChan(b *testing.B, n int) {
	var w wakeup
	c := make(chan struct{}, n)
	runAside(n, func() {
		for range c {
			w.woken.Add(1)
		}
	}, func() {
		w.measure(b, n, func() { c <- struct{}{} })
		close(c)
	})
}

func wakeCond(b *testing.B, n int) {
	var w wakeup
	var m sync.Mutex
	cond, tokens := sync.NewCond(&m), 0
	give := func() {
		m.Lock()
		tokens++
		m.Unlock()
		cond.Signal()
	}
	runAside(n, func() {
		for !w.ended.Load() {
			m.Lock()
			for tokens == 0 {
				cond.Wait()
			}
			tokens--
			m.Unlock()
			w.woken.Add(1)
		}
	}, func() {
		w.measure(b, n, give)
		w.ended.Store(true)
		for range n {
			give()
		}
	})
}

// runAside runs waiter n times beside f, and returns when all have ended.
func runAside(n int, waiter, f func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(waiter)
	}
	f()
	wg.Wait()
}
