package rtos_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tickwake/rtos"
)

// BenchmarkUncontended takes and gives with nobody else about.
func BenchmarkUncontended(b *testing.B) {
	for _, op := range []struct {
		name string
		loop func(n int, t *rtos.Task)
	}{
		{"Mutex", func(n int, t *rtos.Task) {
			m := new(rtos.Mutex)
			for range n {
				m.Lock(t)
				m.Unlock(t)
			}
		}},
		{"RecursiveMutex", func(n int, t *rtos.Task) {
			m := new(rtos.RecursiveMutex)
			for range n {
				m.Lock(t)
				m.Unlock(t)
			}
		}},
		{"Binary", func(n int, t *rtos.Task) {
			s := rtos.NewBinary("binary")
			for range n {
				s.Give()
				s.Take(t)
			}
		}},
		{"Counting", func(n int, t *rtos.Task) {
			s := rtos.NewCounting("counting", 10, 5)
			for range n {
				s.Take(t)
				s.Give()
			}
		}},
		{"Spinlock", func(n int, t *rtos.Task) {
			s := new(rtos.Spinlock)
			for range n {
				s.Lock(t)
				s.Unlock(t)
			}
		}},
		{"NotifySelf", func(n int, t *rtos.Task) {
			for range n {
				t.NotifyGive()
				t.NotifyTake(true, rtos.Forever)
			}
		}},
		{"sync.Mutex", func(n int, _ *rtos.Task) {
			m := new(sync.Mutex)
			for range n {
				m.Lock()
				m.Unlock() //lint:ignore SA2001 nobody else is about
			}
		}},
		{"sync.RWMutex", func(n int, _ *rtos.Task) {
			m := new(sync.RWMutex)
			for range n {
				m.Lock()
				m.Unlock() //lint:ignore SA2001 nobody else is about
			}
		}},
		{"Chan1", func(n int, _ *rtos.Task) {
			c := make(chan struct{}, 1)
			for range n {
				c <- struct{}{}
				<-c
			}
		}},
		// The least that a lock with an owner does: two swaps with numbers from memory, in
		// functions that tell their outcome. It keeps no books.
		{"BareCalls", func(n int, _ *rtos.Task) {
			v, o := new(atomic.Uint64), &bareOwner{id: 1 << 20}
			for range n {
				o.lock(v)
				o.unlock(v)
			}
		}},
		// The least that give and take do: two swaps.
		{"BareSwaps", func(n int, _ *rtos.Task) {
			v := new(atomic.Uint64)
			for range n {
				v.CompareAndSwap(0, 1)
				v.CompareAndSwap(1, 0)
			}
		}},
		{"AtomicAdd", func(n int, _ *rtos.Task) {
			v := new(atomic.Uint64)
			for range n {
				v.Add(1)
			}
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			t := adopt(b)
			b.ReportAllocs()
			b.ResetTimer()
			op.loop(b.N, t)
		})
	}
}

// bareOwner is a task that has nothing but a number. Its functions are not inlined: a
// caller's slow path alone takes 61 of the compiler's 80 units, and the look at the
// caller's identity the rest.
type bareOwner struct {
	gate atomic.Uint64
	id   uint64
}

var errBare = errors.New("bare")

//go:noinline
func (o *bareOwner) lock(v *atomic.Uint64) error {
	if v.CompareAndSwap(o.gate.Load(), o.id) {
		return nil
	}
	return errBare
}

//go:noinline
func (o *bareOwner) unlock(v *atomic.Uint64) error {
	if v.CompareAndSwap(o.id, 0) {
		return nil
	}
	return errBare
}

// BenchmarkHandoff passes a turn between two tasks; one op is one hand-over.
func BenchmarkHandoff(b *testing.B) {
	benchHandoff(b, 1, []handoff{
		{"Notify", wayNamed("Notify")},
		{"Semaphore", wayNamed("SemaphoreHandoff")},
		{"Mutex", wayNamed("MutexHandoff")},
		{"Chan", wayNamed("ChanHandoff")},
		{"Cond", wayNamed("CondHandoff")},
	})
}

// BenchmarkHandoff4 does so in four pairs at the same time.
func BenchmarkHandoff4(b *testing.B) {
	benchHandoff(b, 4, []handoff{
		{"Notify", wayNamed("Notify")},
		{"Semaphore", wayNamed("SemaphoreHandoff")},
		{"Chan", wayNamed("ChanHandoff")},
	})
}

type handoff struct {
	name string
	way  way
}

func benchHandoff(b *testing.B, pairs int, handoffs []handoff) {
	for _, h := range handoffs {
		b.Run(h.name, func(b *testing.B) {
			b.ReportAllocs()
			n := (b.N + 2*pairs - 1) / (2 * pairs)
			for _, o := range h.way.run(b, free, pairs, n) {
				if o.value != uint32(2*n) || int(o.handovers) != 2*n-1 {
					b.Fatalf("%d of %d hand-overs, counter %d", int(o.handovers), 2*n-1, o.value)
				}
			}
		})
	}
}

// BenchmarkTimeout shows what a limit costs: Expire, a limit of 1 us that
// passes; Satisfied, a limit on each wait of a hand-over; Parked, a limit on a
// wait that has given up spinning. The Chan forms do so with a reused timer.
func BenchmarkTimeout(b *testing.B) {
	b.Run("Expire", func(b *testing.B) {
		t, s := adopt(b), rtos.NewBinary("never")
		b.ReportAllocs()
		for b.Loop() {
			if err := s.TakeFor(t, time.Microsecond); err == nil {
				b.Fatal("took what nobody gave")
			}
		}
	})
	b.Run("ChanExpire", func(b *testing.B) {
		c, limit := make(chan struct{}), time.NewTimer(time.Hour)
		b.ReportAllocs()
		for b.Loop() {
			takeFor(c, limit, time.Microsecond)
		}
	})
	benchHandoff(b, 1, []handoff{
		{"Satisfied", limited},
		{"ChanSatisfied", chanLimited},
	})
	b.Run("Parked", func(b *testing.B) { wakeTasks(b, 1, time.Minute) })
}

func takeFor(c chan struct{}, limit *time.Timer, d time.Duration) bool {
	limit.Reset(d)
	select {
	case <-c:
		limit.Stop()
		return true
	case <-limit.C:
		return false
	}
}

// BenchmarkSpawn makes a task and waits for its end.
func BenchmarkSpawn(b *testing.B) {
	k, err := rtos.New(rtos.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	_, err = k.Spawn("parent", 1, func(t *rtos.Task) {
		for b.Loop() {
			child, err := t.Kernel().Spawn("child", 1, func(*rtos.Task) {})
			if err != nil {
				b.Error(err)
				return
			}
			<-child.Done()
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := k.Run(context.Background()); err != nil {
		b.Fatal(err)
	}
}
