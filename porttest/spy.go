package porttest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
)

// A spy stands between the kernel and the port under test. It checks what can be seen of
// every single call.
type spy struct {
	rtos.Port // under test
	w         *world
	k         *rtos.Kernel
	traits    rtos.Traits
	mode      mode
	past      pastWaits

	clock     atomic.Int64 // the latest reading
	interrupt atomic.Bool  // one runs that the port does not know of
	killing   atomic.Int32 // calls of Kill under way: current is the killer, not who unwinds
	calls     atomic.Int64 // but for those that look only
	arms      atomic.Int32
	onPark    func(t *rtos.Task) // called first
	onEnd     func(t *rtos.Task)

	started, begun, over atomic.Int32 // bodies
}

// mode is what the spy does to the kernel and the port that a world may do.
type mode uint8

const (
	early mode = 1 << iota // Park returns at once, for no reason
	twice                  // a task that is ready is readied again
	late                   // an expiry of a wait that is over comes
	slow                   // calls are under way for long
)

// chanceOf is one of 0 to n-1.
func chanceOf(n int) int { return rand.IntN(n) }

// chance is true once in n times.
func chance(n int) bool { return chanceOf(n) == 0 }

func (p *spy) failf(method, format string, args ...any) { p.w.failf(method, format, args...) }

func (p *spy) current() *rtos.Task {
	if p.traits.Schedules {
		return p.traits.Current()
	}
	return nil
}

// disturb does what may happen at any moment.
func (p *spy) disturb() {
	if p.mode&late != 0 && chance(2) {
		p.past.expireOne(p)
	}
	if p.mode&slow != 0 && !p.traits.Schedules {
		for range rand.IntN(4) {
			runtime.Gosched()
		}
	}
}

// stays checks that a call does not switch: nobody else calls the port meanwhile.
func (p *spy) stays(method string, call func()) {
	before, calls := p.current(), p.calls.Add(1)
	call()
	if after := p.current(); p.traits.Schedules && (before != after || p.calls.Load() != calls) {
		p.failf(method, "let another task run: it never switches, that is for Switch")
	}
}

// comesBack checks that who made a call has the processor when the call returns.
func (p *spy) comesBack(method string, call func()) {
	p.calls.Add(1)
	caller := p.current()
	call()
	if after := p.current(); caller != nil && after != caller && p.killing.Load() == 0 && !p.k.Stopping() {
		p.failf(method, "returned to task %v while %v is the running one", caller, after)
	}
}

// scheduling refuses calls that only a port that schedules gets, and for tasks that exist.
func (p *spy) scheduling(method string, t *rtos.Task) {
	switch {
	case !p.traits.Schedules:
		p.failf(method, "called although Traits.Schedules is not set")
	case t != nil && t.State() == rtos.StateDeleted:
		p.failf(method, "called for %v, which has ended", t)
	}
}

func (p *spy) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	traits, err := p.Port.Bind(k)
	if err != nil {
		return traits, err
	}
	if inInterrupt := traits.InInterrupt; inInterrupt != nil {
		traits.InInterrupt = func() bool { return p.interrupt.Load() || inInterrupt() }
	}
	p.k, p.traits = k, traits
	return traits, nil
}

func (p *spy) Start(t *rtos.Task, body func()) (err error) {
	var called atomic.Bool
	p.started.Add(1)
	p.stays("Start", func() {
		err = p.Port.Start(t, func() {
			if !called.CompareAndSwap(false, true) {
				p.failf("Start", "the body of %v was called twice", t)
				return
			}
			p.begun.Add(1)
			p.calls.Add(1)
			if cur := p.current(); p.traits.Schedules && cur != t && p.killing.Load() == 0 && !p.k.Stopping() {
				p.failf("Start", "the body of %v runs, and the running task is %v", t, cur)
			}
			body()
		})
	})
	if err != nil {
		p.started.Add(-1)
	}
	return err
}

func (p *spy) End(t *rtos.Task) {
	if p.onEnd != nil {
		p.onEnd(t)
	}
	p.over.Add(1)
	p.Port.End(t)
}

// ended checks that every body has run, once and to its end.
func (p *spy) ended() {
	if s, b, o := p.started.Load(), p.begun.Load(), p.over.Load(); b != s || o != s {
		p.failf("Run", "%d tasks were started, %d bodies called, %d have ended: every body has to be called, also to unwind", s, b, o)
	}
	if cur := p.current(); cur != nil {
		p.failf("Run", "task %v is the running one after it has returned", cur)
	}
}

func (p *spy) Evict(t *rtos.Task) {
	p.scheduling("Evict", t)
	p.stays("Evict", func() { p.Port.Evict(t) })
}

func (p *spy) Kill(t *rtos.Task) {
	p.scheduling("Kill", t)
	p.killing.Add(1)
	defer p.killing.Add(-1)
	before := p.current()
	if p.Port.Kill(t); p.current() != before {
		p.failf("Kill", "let a task run that does not end: it never switches, that is for Switch")
	}
}

func (p *spy) Park(t *rtos.Task) {
	if p.onPark != nil {
		p.onPark(t)
	}
	p.disturb()
	if p.mode&early != 0 && chance(2) {
		return
	}
	p.comesBack("Park", func() { p.Port.Park(t) })
}

func (p *spy) Ready(t *rtos.Task, from rtos.Origin) (outranks bool) {
	p.disturb()
	cur := p.current()
	p.stays("Ready", func() { outranks = p.Port.Ready(t, from) })
	if p.mode&twice != 0 && chance(2) {
		p.stays("Ready", func() { p.Port.Ready(t, from) })
	}
	switch {
	case !p.traits.Schedules:
		if !outranks {
			p.failf("Ready", "reported false: where tasks run in parallel a woken task runs at once, so report true")
		}
	case cur != nil && cur != t && outranks != (t.Priority() > cur.Priority()):
		p.failf("Ready", "reported %v for a task of priority %d while one of priority %d runs", outranks, t.Priority(), cur.Priority())
	}
	return outranks
}

func (p *spy) Switch(t *rtos.Task, why rtos.Why) {
	if why != rtos.Again {
		p.scheduling("Switch", nil)
	}
	p.comesBack("Switch", func() { p.Port.Switch(t, why) })
}

func (p *spy) Arm(t *rtos.Task, epoch uint64, deadline time.Duration) {
	if deadline == rtos.Forever {
		p.failf("Arm", "called for a wait without a limit")
	}
	p.arms.Add(1)
	p.stays("Arm", func() { p.Port.Arm(t, epoch, deadline) })
	p.past.armed(t, epoch)
}

func (p *spy) Disarm(t *rtos.Task) {
	p.stays("Disarm", func() { p.Port.Disarm(t) })
	p.past.disarmed(t)
	p.disturb()
}

func (p *spy) Retune(t *rtos.Task) {
	if !p.traits.Retunes {
		p.scheduling("Retune", t)
	}
	p.stays("Retune", func() { p.Port.Retune(t) })
}

func (p *spy) Hold(t *rtos.Task) {
	p.scheduling("Hold", t)
	p.stays("Hold", func() { p.Port.Hold(t) })
}

func (p *spy) Release(t *rtos.Task) (chose bool) {
	p.scheduling("Release", t)
	p.comesBack("Release", func() { chose = p.Port.Release(t) })
	return chose
}

// Now checks that a reading is not earlier than one that ended before it began.
func (p *spy) Now() time.Duration {
	last := p.clock.Load()
	now := p.Port.Now()
	if int64(now) < last {
		p.failf("Now", "went back from %v to %v", time.Duration(last), now)
	}
	for {
		last := p.clock.Load()
		if int64(now) <= last || p.clock.CompareAndSwap(last, int64(now)) {
			return now
		}
	}
}

func (p *spy) Work(t *rtos.Task, d time.Duration) {
	p.comesBack("Work", func() { p.Port.Work(t, d) })
}

func (p *spy) Run(ctx context.Context) error { return p.Port.Run(ctx) }
