package sim_test

import (
	"fmt"
	"iter"
	"log/slog"
	"testing"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// benchSim makes a kernel for so many tasks.
func benchSim(b *testing.B, tasks int) (*rtos.Kernel, *sim.Sim) {
	s := sim.New(sim.Options{Livelock: -1})
	k, err := rtos.New(rtos.Config{Port: s, Tasks: tasks, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	return k, s
}

func benchSpawn(b *testing.B, k *rtos.Kernel, name string, prio int, f func(*rtos.Task)) *rtos.Task {
	t, err := k.Spawn(name, prio, f)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

func benchRun(b *testing.B, k *rtos.Kernel) {
	b.ReportAllocs()
	b.ResetTimer()
	if err := k.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// BenchmarkSimSwitch lets tasks of one priority take turns; one op is one switch. Its twin
// `bare` resumes as many coroutines of package iter in turn and does nothing else: what
// it costs more with many is the memory that the runtime touches for each of them.
// The first and the last turn of each are not counted.
func BenchmarkSimSwitch(b *testing.B) {
	for _, tasks := range []int{2, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			k, _ := benchSim(b, tasks)
			left := b.N
			for i := range tasks {
				first := i == 0
				benchSpawn(b, k, fmt.Sprint("t", i), 1, func(t *rtos.Task) {
					t.Yield()
					if first { // all have had a turn
						b.ResetTimer()
					}
					for left > 0 {
						left--
						t.Yield()
					}
					b.StopTimer()
				})
			}
			benchRun(b, k)
		})
		b.Run(fmt.Sprintf("bare=%d", tasks), func(b *testing.B) {
			left := b.N
			turns := make([]func() (struct{}, bool), tasks)
			for i := range turns {
				turns[i], _ = iter.Pull(func(yield func(struct{}) bool) {
					yield(struct{}{})
					for left > 0 {
						left--
						yield(struct{}{})
					}
				})
				turns[i]()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for left > 0 {
				for _, turn := range turns {
					turn()
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
			for _, turn := range turns {
				turn()
			}
		})
	}
}

// BenchmarkSimHandoff lets two tasks wait for each other; one op is one hand-over: a give,
// a wait and a switch.
func BenchmarkSimHandoff(b *testing.B) {
	b.Run("Notify", func(b *testing.B) {
		k, _ := benchSim(b, 2)
		var ping, pong *rtos.Task
		turn := func(peer **rtos.Task) func(*rtos.Task) {
			return func(t *rtos.Task) {
				for range b.N/2 + 1 {
					_ = (*peer).NotifyGive()
					_, _ = t.NotifyTake(true, rtos.Forever)
				}
				_ = (*peer).NotifyGive()
			}
		}
		ping = benchSpawn(b, k, "ping", 1, turn(&pong))
		pong = benchSpawn(b, k, "pong", 1, turn(&ping))
		benchRun(b, k)
	})
	b.Run("Semaphore", func(b *testing.B) {
		k, _ := benchSim(b, 2)
		sems := [2]*rtos.Semaphore{rtos.NewBinary("a"), rtos.NewBinary("b")}
		for i := range sems {
			benchSpawn(b, k, fmt.Sprint("t", i), 1, func(t *rtos.Task) {
				for range b.N/2 + 1 {
					sems[1-i].Give()
					_ = sems[i].Take(t)
				}
				sems[1-i].Give()
			})
		}
		benchRun(b, k)
	})
}

// BenchmarkSimCall calls primitives that need not wait; one op is one call.
func BenchmarkSimCall(b *testing.B) {
	for _, op := range []struct {
		name  string
		calls int // in one round
		round func(t *rtos.Task) func()
	}{
		{"Mutex", 2, func(t *rtos.Task) func() {
			m := new(rtos.Mutex)
			return func() { _ = m.Lock(t); _ = m.Unlock(t) }
		}},
		{"RecursiveMutex", 2, func(t *rtos.Task) func() {
			m := new(rtos.RecursiveMutex)
			return func() { _ = m.Lock(t); _ = m.Unlock(t) }
		}},
		{"Semaphore", 2, func(t *rtos.Task) func() {
			s := rtos.NewBinary("s")
			return func() { s.Give(); _ = s.Take(t) }
		}},
		{"Notify", 2, func(t *rtos.Task) func() {
			return func() { _ = t.NotifyGive(); _, _ = t.NotifyTake(true, rtos.Forever) }
		}},
		{"Spinlock", 2, func(t *rtos.Task) func() {
			l := new(rtos.Spinlock)
			return func() { l.Lock(t); l.Unlock(t) }
		}},
		{"SuspendScheduler", 2, func(t *rtos.Task) func() {
			k := t.Kernel()
			return func() { k.SuspendScheduler(t); k.ResumeScheduler(t) }
		}},
		{"YieldAlone", 1, func(t *rtos.Task) func() { return t.Yield }},
		{"Work", 1, func(t *rtos.Task) func() {
			tick := t.Kernel().Ticks(1)
			return func() { t.Work(tick) }
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			k, _ := benchSim(b, 1)
			benchSpawn(b, k, "caller", 1, func(t *rtos.Task) {
				f := op.round(t)
				for n := 0; n < b.N; n += op.calls {
					f()
				}
			})
			benchRun(b, k)
		})
	}
}

// BenchmarkSimIdle lets a billion ticks pass in which nothing happens; one op is all of
// them, with the making of the kernel.
func BenchmarkSimIdle(b *testing.B) {
	const ticks = 1_000_000_000
	for _, way := range []struct {
		name string
		body func(t *rtos.Task)
	}{
		{"Delay", func(t *rtos.Task) { _ = t.Delay(t.Kernel().Ticks(ticks)) }},
		{"Work", func(t *rtos.Task) { t.Work(t.Kernel().Ticks(ticks)) }},
		{"Suspended", func(t *rtos.Task) {
			k := t.Kernel()
			k.SuspendScheduler(t)
			t.Work(k.Ticks(ticks))
			k.ResumeScheduler(t)
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k, s := benchSim(b, 64)
				benchSpawn(b, k, "t", 1, way.body)
				if err := k.Run(b.Context()); err != nil || s.Time() < ticks {
					b.Fatal(err, s.Time())
				}
			}
		})
	}
}
