package realtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
)

// A Port is the port of one kernel. Its methods that [rtos.Port] does not have may be
// called from anywhere.
type Port struct {
	opts    Options
	usable  mask // cores of the process
	machine int  // their number
	cores   mask // of tasks
	policy  Policy
	ceiling int // highest real-time priority of a task

	spinning mask   // cores on which tasks may spin; set when the run begins
	gate     uint32 // 1 when the tasks may begin

	k     *rtos.Kernel
	start int64 // the system's clock when the kernel was made
	slots []slot

	guard guard

	mu      sync.Mutex // starting and ending only
	mode    Mode
	waiting []*thread // of tasks that were spawned before Run
	living  int
	running bool
	closed  bool
	ended   chan struct{} // closed when living has reached 0 while running
	failure error
	timers  []*Timer
	unused  []*guarded
	undo    []func() // what release has to do
}

// New makes a port for one kernel, having found out what the system permits. Refusals and
// missing cores are errors, unless Options.BestEffort is set; the message says what is
// missing, and [errors.Is] finds the system's error, such as [os.ErrPermission]. On
// another system than Linux it is [errors.ErrUnsupported] in any case.
//
// Nothing is changed before the kernel runs. To put the process back is Run's last act.
func New(o Options) (*Port, error) {
	if !supported {
		return nil, fmt.Errorf("realtime: real-time threads on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	usable, err := usableCores()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(usable); err != nil {
		return nil, err
	}
	if !bare {
		o.Policy = RR // see probePriorities
	}
	p := &Port{opts: o, usable: usable, machine: usable.count(), policy: o.Policy, ended: make(chan struct{})}
	p.mode = Mode{Policy: o.Policy, Bare: bare, Pinned: true, Slack: true, Procs: runtime.GOMAXPROCS(0)}
	if err := p.probe(usable); err != nil {
		return nil, err
	}
	p.mode.Cores = p.cores.cores()
	return p, nil
}

// Mode is what the port has reached. After New it tells the policy, the cores and what was
// refused; the rest is known during the run, and stays afterwards.
func (p *Port) Mode() Mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.mode
	m.Cores = append([]int(nil), m.Cores...)
	m.Spinning = append([]int(nil), m.Spinning...)
	m.Why = append([]string(nil), m.Why...)
	return m
}

// Bind implements [rtos.Port].
func (p *Port) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	if p.k != nil {
		return rtos.Traits{}, errors.New("realtime: a port is the port of one kernel only")
	}
	if err := p.probePriorities(k.Priorities()); err != nil {
		return rtos.Traits{}, err
	}
	p.k, p.slots, p.start = k, make([]slot, k.Slots()), nanotime()
	p.guard.entry = make([]guarded, k.Slots()+spareGuards)
	for i := range p.guard.entry {
		g := &p.guard.entry[i]
		g.uses, g.seen = closed, true
		p.unused = append(p.unused, g)
	}
	return rtos.Traits{Retunes: true}, nil
}

// Run implements [rtos.Port].
func (p *Port) Run(ctx context.Context) error {
	defer p.release()
	if err := p.acquire(); err != nil {
		p.fail(err)
	}
	p.begin()
	cause := p.watch(ctx)
	p.mu.Lock()
	timers, failure := p.timers, p.failure
	p.timers = nil
	p.mu.Unlock()
	for _, tm := range timers {
		tm.Stop()
	}
	if failure != nil {
		return failure
	}
	return cause
}

// begin lets the tasks that there are begin all at one time: first they all get their
// threads, so that the system knows who is the most urgent.
func (p *Port) begin() {
	p.mu.Lock()
	p.running = true
	waiting := p.waiting
	p.waiting = nil
	p.checkEnd()
	p.mu.Unlock()
	var entered sync.WaitGroup
	entered.Add(len(waiting))
	for _, th := range waiting {
		th.entered = entered.Done
		goThread(th.main)
	}
	entered.Wait()
	atomic.StoreUint32(&p.gate, 1)
	wakeAll(&p.gate)
}

// watch waits until no task is left, ends them when ctx is done, and names those that go
// on every second.
func (p *Port) watch(ctx context.Context) (cause error) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	done, stopping := ctx.Done(), false
	for {
		select {
		case <-p.ended:
			return cause
		case <-done:
			cause, done = context.Cause(ctx), nil
			p.k.Stop()
		case <-ticker.C:
			others.refresh()
			if stopping {
				for t := range p.k.Tasks() {
					if !t.Info().Adopted {
						p.opts.Logger.Warn("realtime: task does not stop: it calls nothing that can block", "task", t.Name())
					}
				}
			}
			stopping = p.k.Stopping()
		}
	}
}

func (p *Port) checkEnd() {
	if p.running && p.living == 0 && !p.closed {
		p.closed = true
		close(p.ended)
	}
}

// fail ends the run, which will return err.
func (p *Port) fail(err error) {
	p.mu.Lock()
	if p.failure == nil {
		p.failure = err
	}
	p.mu.Unlock()
	p.k.Stop()
}

// Start implements [rtos.Port].
func (p *Port) Start(t *rtos.Task, body func()) error {
	th := &thread{p: p, t: t, body: body, cores: p.cores, g: p.guarded(), entered: func() {}}
	if core := t.Core(); core >= 0 {
		if p.cores.has(core) {
			th.cores = maskOf(core)
		} else if err := p.lack(fmt.Errorf("realtime: task %q: core %d is not one of the port's: %s", t.Name(), core, list(p.cores.cores()))); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("realtime: Spawn of task %q: %w", t.Name(), rtos.ErrStopped)
	}
	p.living++
	p.slot(t).thread.Store(th)
	if p.running {
		goThread(th.main)
	} else {
		p.waiting = append(p.waiting, th)
	}
	return nil
}

// guarded is a place with the guard, or if none is free one that it does not know.
func (p *Port) guarded() *guarded {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.unused) == 0 {
		return &guarded{uses: closed}
	}
	g := p.unused[len(p.unused)-1]
	p.unused = p.unused[:len(p.unused)-1]
	return g
}

func (p *Port) free(g *guarded) {
	if !g.seen {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unused = append(p.unused, g)
}

// over is the end of a task's thread.
func (p *Port) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.living--
	p.checkEnd()
}

// End implements [rtos.Port]. The thread has still to leave.
func (p *Port) End(*rtos.Task) {}

// Unwind implements [rtos.Port].
func (p *Port) Unwind(t *rtos.Task) { t.GoexitUnwind() }

// Evict implements [rtos.Port]; it is not called.
func (p *Port) Evict(*rtos.Task) {}

// Kill implements [rtos.Port]; it is not called.
func (p *Port) Kill(*rtos.Task) {}

// Hold implements [rtos.Port]; it is not called.
func (p *Port) Hold(*rtos.Task) {}

// Release implements [rtos.Port]; it is not called.
func (p *Port) Release(*rtos.Task) bool { return false }

// Switch implements [rtos.Port]: a yield is one for the system.
func (p *Port) Switch(t *rtos.Task, why rtos.Why) {
	switch {
	case why != rtos.Again:
	case t != nil && p.threadOf(t) != nil:
		cede()
	default:
		runtime.Gosched()
	}
}

// Retune implements [rtos.Port]: the thread gets the priority. From any thread.
func (p *Port) Retune(t *rtos.Task) {
	if th := p.threadOf(t); th != nil {
		if err := th.tune(); err != nil {
			p.opts.Logger.Error("realtime: a change of priority was refused", "task", t.Name(), "error", err)
		}
	}
}

// realPriority is the real-time priority of a task of priority prio.
func (p *Port) realPriority(prio int) int { return min(p.opts.Base+prio, p.ceiling) }

// Now implements [rtos.Port].
func (p *Port) Now() time.Duration { return time.Duration(nanotime() - p.start) }
