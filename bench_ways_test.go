package rtos_test

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/spin"
)

// ways of the counter experiment: ours, then what Go offers.
var ways = []way{
	{name: "Mutex", ours: true, make: func() arm {
		m := new(padded[rtos.Mutex])
		return func(p *party) (v uint32) {
			for range p.n {
				m.v.Lock(p.task)
				v = p.c.hit(p.me)
				m.v.Unlock(p.task)
			}
			return v
		}
	}},
	{name: "Notify", ours: true, make: func() arm {
		return func(p *party) (v uint32) {
			if p.me == 0 {
				p.task.NotifyGive()
			}
			for range p.n {
				p.task.NotifyTake(true, rtos.Forever)
				v = p.c.hit(p.me)
				p.peer.NotifyGive()
			}
			return v
		}
	}},
	{name: "Semaphore", ours: true, make: func() arm {
		s := rtos.NewBinary("lock")
		s.Give()
		return func(p *party) (v uint32) {
			for range p.n {
				s.Take(p.task)
				v = p.c.hit(p.me)
				s.Give()
			}
			return v
		}
	}},
	{name: "SemaphoreHandoff", ours: true, make: func() arm {
		s := twoSemaphores()
		return func(p *party) (v uint32) {
			mine, other := s[p.me], s[1-p.me]
			for range p.n {
				mine.Take(p.task)
				v = p.c.hit(p.me)
				other.Give()
			}
			return v
		}
	}},
	{name: "MutexHandoff", ours: true, make: func() arm {
		m := new(padded[rtos.Mutex])
		return func(p *party) (v uint32) {
			for done := 0; done < p.n; {
				m.v.Lock(p.task)
				turn := p.c.value&1 == uint32(p.me)
				if turn {
					v = p.c.hit(p.me)
					done++
				}
				m.v.Unlock(p.task)
				if !turn {
					p.task.Yield()
				}
			}
			return v
		}
	}},
	{name: "Spinlock", ours: true, make: func() arm {
		s := new(padded[rtos.Spinlock])
		return func(p *party) (v uint32) {
			for range p.n {
				s.v.Lock(p.task)
				v = p.c.hit(p.me)
				s.v.Unlock(p.task)
			}
			return v
		}
	}},
	{name: "sync.Mutex", make: func() arm {
		m := new(padded[sync.Mutex])
		return func(p *party) (v uint32) {
			for range p.n {
				m.v.Lock()
				v = p.c.hit(p.me)
				m.v.Unlock()
			}
			return v
		}
	}},
	{name: "ChanMutex", make: func() arm {
		c := make(chan struct{}, 1)
		return func(p *party) (v uint32) {
			for range p.n {
				c <- struct{}{}
				v = p.c.hit(p.me)
				<-c
			}
			return v
		}
	}},
	{name: "ChanHandoff", make: func() arm {
		c := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
		c[0] <- struct{}{}
		return func(p *party) (v uint32) {
			mine, other := c[p.me], c[1-p.me]
			for range p.n {
				<-mine
				v = p.c.hit(p.me)
				other <- struct{}{}
			}
			return v
		}
	}},
	{name: "CondHandoff", make: func() arm {
		m := new(padded[sync.Mutex])
		cond := sync.NewCond(&m.v)
		return func(p *party) (v uint32) {
			for range p.n {
				m.v.Lock()
				for p.c.value&1 != uint32(p.me) {
					cond.Wait()
				}
				v = p.c.hit(p.me)
				m.v.Unlock()
				cond.Signal()
			}
			return v
		}
	}},
	{name: "AtomicAdd", make: func() arm {
		return func(p *party) (v uint32) {
			var hands uint32
			for range p.n {
				w := atomic.AddUint32(&p.c.value, 1)
				if w != v+1 || v == 0 {
					hands++
				}
				v = w
			}
			atomic.AddUint32(&p.c.hands, hands)
			return v
		}
	}},
	{name: "SpinHandoff", needsTwo: true, make: func() arm {
		return func(p *party) (v uint32) {
			for range p.n {
				v = awaitTurn(&p.c.value, p.me)
				if p.c.last != p.me {
					p.c.last = p.me
					p.c.hands++
				}
				v++
				atomic.StoreUint32(&p.c.value, v)
			}
			return v
		}
	}},
	// The limit for whatever is not the counter itself: SpinHandoff with the
	// turn on a cache line of its own.
	{name: "SpinHandoffApart", needsTwo: true, make: func() arm {
		turn := new(padded[uint32])
		return func(p *party) (v uint32) {
			for range p.n {
				awaitTurn(&turn.v, p.me)
				v = p.c.hit(p.me)
				atomic.StoreUint32(&turn.v, v)
			}
			return v
		}
	}},
}

func awaitTurn(turn *uint32, me int32) uint32 {
	v := atomic.LoadUint32(turn)
	for i := 1; v&1 != uint32(me); i++ {
		spin.Pause(1)
		if i%stalled == 0 {
			yieldThread()
		}
		v = atomic.LoadUint32(turn)
	}
	return v
}

// stalled is the number of pauses, some microseconds and many hand-overs, after
// which the other task's thread must have lost its processor, probably to this one.
const stalled = 256

func twoSemaphores() [2]*rtos.Semaphore {
	s := [2]*rtos.Semaphore{rtos.NewBinary("even"), rtos.NewBinary("odd")}
	s[0].Give()
	return s
}

// limited is SemaphoreHandoff with a limit on every wait.
var limited = way{name: "Satisfied", ours: true, make: func() arm {
	s := twoSemaphores()
	return func(p *party) (v uint32) {
		mine, other := s[p.me], s[1-p.me]
		for range p.n {
			mine.TakeFor(p.task, time.Minute)
			v = p.c.hit(p.me)
			other.Give()
		}
		return v
	}
}}

// chanLimited is ChanHandoff with a limit on every wait.
var chanLimited = way{name: "ChanSatisfied", make: func() arm {
	c := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
	c[0] <- struct{}{}
	return func(p *party) (v uint32) {
		mine, other := c[p.me], c[1-p.me]
		limit := time.NewTimer(time.Hour)
		for range p.n {
			takeFor(mine, limit, time.Minute)
			v = p.c.hit(p.me)
			other <- struct{}{}
		}
		return v
	}
}}

func wayNamed(name string) way {
	for _, w := range ways {
		if w.name == name {
			return w
		}
	}
	panic("no way " + name)
}
