package rtos

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tickwake/rtos/internal/spin"
	"github.com/tickwake/rtos/internal/thread"
)

// goroutinePort runs each task as a goroutine. A task parks on a channel of capacity
// one, so that testing/synctest counts it as blocked; a limit is a timer of the task's
// own that puts a token there (model/park.pml). A token may be stale: who takes one
// looks at the wait word, then at the clock, and parks again.
type goroutinePort struct {
	k     *Kernel
	start time.Time

	mu      sync.Mutex // starting and ending only
	group   *errgroup.Group
	waiting []func() error // bodies of tasks that were spawned before Run
	living  int
	ended   chan struct{} // closed when living has reached 0 while running
	closed  bool
}

// NewGoroutinePort makes the port that a [Config] without one stands for, for those who
// wrap ports: tasks are goroutines and run in parallel, by the wall clock. It is the port
// of one kernel.
func NewGoroutinePort() Port { return &goroutinePort{} }

func (p *goroutinePort) Bind(k *Kernel) (Traits, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.k != nil {
		return Traits{}, errors.New("a goroutine port is the port of one kernel only")
	}
	p.k, p.start, p.ended = k, time.Now(), make(chan struct{})
	return Traits{}, nil
}

// Run starts the tasks in a group and waits for them. One member of the group watches
// for the end, so that tasks may be spawned as long as it lives.
func (p *goroutinePort) Run(ctx context.Context) error {
	group, gctx := errgroup.WithContext(ctx)
	p.mu.Lock()
	p.group = group
	for _, body := range p.waiting {
		group.Go(body)
	}
	p.waiting = nil
	p.checkEnd()
	p.mu.Unlock()
	group.Go(func() error { return p.watch(ctx, gctx) })
	return group.Wait()
}

// watch waits until no task is left, ends the tasks when ctx is done or one has
// failed, and names those that go on every second.
func (p *goroutinePort) watch(ctx, gctx context.Context) error {
	select {
	case <-p.ended:
		return nil
	case <-gctx.Done():
	case <-p.k.ended:
	}
	p.k.Stop()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.ended:
			return context.Cause(ctx)
		case <-ticker.C:
			for t := range p.k.Tasks() {
				if !t.adopted {
					p.k.cfg.Logger.Warn("rtos: task does not stop: it calls nothing that can block", "task", t.name)
				}
			}
		}
	}
}

func (p *goroutinePort) checkEnd() {
	if p.group != nil && p.living == 0 && !p.closed {
		p.closed = true
		close(p.ended)
	}
}

func (p *goroutinePort) Start(t *Task, body func()) error {
	run := func() error {
		p.enterThread(t)
		body()
		return p.k.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return fmt.Errorf("rtos: Spawn of task %q: %w", t.name, ErrStopped)
	case p.group == nil:
		p.waiting = append(p.waiting, run)
	default:
		p.group.Go(run)
	}
	p.living++
	return nil
}

// enterThread gives t the thread it asked for; the thread is never unlocked, so that
// it dies with the task, pinned as it is.
func (p *goroutinePort) enterThread(t *Task) {
	if !t.own {
		return
	}
	runtime.LockOSThread()
	t.thread.Store(int32(thread.ID()))
	if t.core >= 0 {
		if err := thread.Pin(t.core); err != nil {
			p.k.fail(fmt.Errorf("rtos: task %q: %w", t.name, err))
		}
	}
}

// checkOwnThread tells whether OwnThread can be had.
func checkOwnThread(k *Kernel, core int) error {
	switch {
	case k.sched:
		return errUnsupported("OwnThread on a port that schedules")
	case !threads:
		return errUnsupported("OwnThread on a platform without threads")
	case core >= 0 && !thread.CanPin:
		return errUnsupported("OwnThread with a core on " + runtime.GOOS)
	case k.native && core >= runtime.NumCPU() && core >= runtime.GOMAXPROCS(0):
		return fmt.Errorf("rtos: OwnThread: core %d out of range", core)
	}
	return nil
}

func (p *goroutinePort) End(*Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.living--
	p.checkEnd()
}

func (p *goroutinePort) Unwind(t *Task) { t.GoexitUnwind() }

func (p *goroutinePort) Evict(*Task) {}
func (p *goroutinePort) Kill(*Task)  {}

// Park takes a token, or sees the context done. The limit is looked at here, by the
// task's own clock: the timer only wakes.
func (p *goroutinePort) Park(t *Task) {
	if t.ctx == nil {
		<-t.park
	} else {
		select {
		case <-t.park:
		case <-t.ctx.Done():
		}
	}
	if t.armed != 0 && p.Now() >= t.deadline {
		word := t.armed<<stateBits | stWaiting
		t.w.word.CompareAndSwap(word, withState(word, stTimedOut))
	}
}

// Ready leaves a token; one that is there already is enough.
func (p *goroutinePort) Ready(t *Task, _ Origin) bool {
	select {
	case t.park <- struct{}{}:
	default:
	}
	return true
}

// Switch yields. For a thread of its own that means to give the processor away and be
// woken for it again, which is dear; as long as nobody waits for the processor a pause
// does as well, but for every so many.
func (p *goroutinePort) Switch(t *Task, why Why) {
	if why != Again {
		return
	}
	if t.own {
		if t.yields++; t.yields != 0 && spin.Can() {
			spin.Pause(4)
			return
		}
	}
	runtime.Gosched()
}

func (p *goroutinePort) Arm(t *Task, epoch uint64, deadline time.Duration) {
	t.armed = epoch
	d := max(deadline-p.Now(), 0)
	if t.timer == nil {
		t.timer = time.AfterFunc(d, func() { p.Ready(t, FromTick) })
	} else {
		t.timer.Reset(d)
	}
}

func (p *goroutinePort) Disarm(t *Task) {
	t.armed = 0
	t.timer.Stop()
}

func (p *goroutinePort) Retune(*Task)       {}
func (p *goroutinePort) Hold(*Task)         {}
func (p *goroutinePort) Release(*Task) bool { return false }

func (p *goroutinePort) Now() time.Duration { return time.Since(p.start) }

// Spin is the general form of what the primitives do themselves on this port.
func (p *goroutinePort) Spin(t *Task, n int) bool {
	if n >= spin.Budget(t.own) || n%spin.Stride == 0 && !spin.Can() {
		return false
	}
	spin.Pause(1)
	return true
}

// Work computes until d of wall time has passed, and hears requests.
func (p *goroutinePort) Work(t *Task, d time.Duration) {
	for end := p.Now() + d; p.Now() < end; {
		if t.Checkpoint() != nil {
			return
		}
		if !threads {
			runtime.Gosched()
		}
	}
}
