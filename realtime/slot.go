package realtime

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/spin"
)

// A slot is where the tasks in this place of the kernel wait, one after the other. What
// comes late for an earlier one makes a wait end early, no more.
type slot struct {
	wait
	thread atomic.Pointer[thread] // of the last task that was spawned here

	// The task's own.
	armed    bool
	epoch    uint64
	deadline time.Duration
	_        [64]byte
}

const (
	// longestSleep bounds what the system is asked for; a longer wait sleeps again.
	longestSleep = time.Hour
	// polls is how often a task that may spin looks at what it waits for, before it
	// waits to be called: a few microseconds. fewPolls are for one whose timer is not due
	// yet. Go's scheduler preempts what it finds in ordinary code at looks 10 ms apart,
	// though it has slept in between; a task that is preempted needs another thread, a
	// less urgent one, to go on. So a task sleeps again before the scheduler, which has the
	// core of the timer, can look.
	polls    = 256
	fewPolls = 32
)

func (p *Port) slot(t *rtos.Task) *slot { return &p.slots[t.Slot()] }

// threadOf is t's own thread, nil for an adopted task.
func (p *Port) threadOf(t *rtos.Task) *thread {
	if th := p.slot(t).thread.Load(); th != nil && th.t == t {
		return th
	}
	return nil
}

// Park implements [rtos.Port]. That the word is quiet at the end, whoever has called
// meanwhile, does no harm: the kernel looks at everything again, and so does the next Park.
func (p *Port) Park(t *rtos.Task) {
	s, th := p.slot(t), p.threadOf(t)
	if th != nil && th.deliver(true) {
		return
	}
	if ctx := t.Context(); ctx != nil {
		stop := context.AfterFunc(ctx, s.call)
		defer stop()
	}
	now := p.Now()
	limit := now + longestSleep
	if s.armed {
		limit = min(limit, max(s.deadline, 1))
	}
	until := p.instant(limit)
	var rest, look int64
	if th != nil {
		rest, look = th.looks(p.instant(now), until)
		th.g.rests()
	}
	woken := s.block(rest, look, until)
	if th != nil {
		th.woken = woken
		th.deliver(true)
	}
	if s.armed && p.Now() >= s.deadline {
		t.Expire(s.epoch)
	}
	atomic.StoreUint32(&s.word, quiet)
}

// instant is d, a time since the kernel was made, on the system's clock; 0 stays 0.
func (p *Port) instant(d time.Duration) int64 {
	switch {
	case d == 0:
		return 0
	case int64(d) > math.MaxInt64-p.start:
		return math.MaxInt64
	}
	return p.start + int64(d)
}

// Ready implements [rtos.Port]. Lock-free, but for the system.
func (p *Port) Ready(t *rtos.Task, _ rtos.Origin) bool {
	p.slot(t).call()
	return true
}

// Arm implements [rtos.Port]: Park looks at the clock.
func (p *Port) Arm(t *rtos.Task, epoch uint64, deadline time.Duration) {
	s := p.slot(t)
	s.armed, s.epoch, s.deadline = true, epoch, deadline
}

// Disarm implements [rtos.Port].
func (p *Port) Disarm(t *rtos.Task) { p.slot(t).armed = false }

// Spin implements [rtos.Port].
func (p *Port) Spin(t *rtos.Task, n int) bool {
	th := p.threadOf(t)
	if th == nil || !th.spins || n >= polls || n == fewPolls && th.hasTime(nanotime()) {
		return false
	}
	th.deliver(false)
	spin.Pause(1)
	return true
}
