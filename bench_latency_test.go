package rtos_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tickwake/rtos"
)

const (
	hammering  = 4
	section    = 10 * time.Microsecond
	urgentGap  = 100 * time.Microsecond
	urgentEach = 2000 // waits of the urgent task in one iteration
)

// BenchmarkPriorityLatency measures what an urgent task waits for a lock that
// four less urgent ones hammer with sections of 10 us. One iteration is 2000
// such waits; others/s is the sections the four complete meanwhile.
func BenchmarkPriorityLatency(b *testing.B) {
	b.Run("Mutex", func(b *testing.B) {
		m := new(padded[rtos.Mutex])
		benchLatency(b, func(n int, body func(i int, t *rtos.Task)) {
			runTasks(b, free, n, func(i int) int {
				if i == 0 {
					return 10
				}
				return 1
			}, body)
		}, func(t *rtos.Task) { m.v.Lock(t) }, func(t *rtos.Task) { m.v.Unlock(t) })
	})
	b.Run("sync.Mutex", func(b *testing.B) {
		m := new(padded[sync.Mutex])
		benchLatency(b, func(n int, body func(i int, t *rtos.Task)) {
			runGoroutines(free, n, body)
		}, func(*rtos.Task) { m.v.Lock() }, func(*rtos.Task) { m.v.Unlock() })
	})
}

func benchLatency(b *testing.B, crew func(int, func(int, *rtos.Task)), lock, unlock func(*rtos.Task)) {
	steps := calibrate(section)
	var waits []float64
	var sections atomic.Int64
	var elapsed time.Duration
	b.ReportAllocs()
	for b.Loop() {
		var done atomic.Bool
		bar := &barrier{parties: hammering + 1}
		crew(hammering+1, func(i int, t *rtos.Task) {
			bar.wait()
			if i > 0 {
				n := int64(0)
				for ; !done.Load(); n++ {
					lock(t)
					compute(steps)
					unlock(t)
				}
				sections.Add(n)
				return
			}
			begin := time.Now()
			for range urgentEach {
				time.Sleep(urgentGap)
				start := time.Now()
				lock(t)
				waits = append(waits, time.Since(start).Seconds()*1e6)
				unlock(t)
			}
			elapsed += time.Since(begin)
			done.Store(true)
		})
	}
	b.ReportMetric(quantile(waits, 0.5), "p50-us")
	b.ReportMetric(quantile(waits, 0.99), "p99-us")
	b.ReportMetric(quantile(waits, 0.999), "p99.9-us")
	b.ReportMetric(float64(sections.Load())/elapsed.Seconds(), "others/s")
}

// calibrate returns how many steps of compute take d when undisturbed.
func calibrate(d time.Duration) int {
	const steps = 100_000
	best := time.Duration(1<<63 - 1)
	for range 20 {
		start := time.Now()
		compute(steps)
		best = min(best, time.Since(start))
	}
	return int(steps * d / best)
}

func compute(steps int) {
	x := uint64(steps)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	runtime.KeepAlive(x)
}
