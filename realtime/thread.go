package realtime

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

// A thread is what the port knows of the thread of a task, or of a timer.
type thread struct {
	p     *Port
	t     *rtos.Task // nil for a timer
	prio  int        // a timer's priority
	cores mask       // where it shall run
	spins bool       // it may spin there
	id    int        // the system's number
	body  func()     // the task's
	was   mask       // where it could run before

	entered func() // is called once it has its settings

	// uses counts those that are about to set the priority, so that the thread does not
	// end under their hands and its number becomes another one's.
	uses uint32

	timer atomic.Pointer[Timer] // that calls the task
	woken int64                 // the task's: what the clock said when its last wait ended
}

const closed uint32 = 1 << 31 // in uses: the thread has not begun, or it ends

// goThread runs f on a thread of its own that ends with it. The initial thread would stay,
// with all its settings: if it is the one, it waits until f has another.
func goThread(f func()) { go lockThread(f, func() {}) }

func lockThread(f, locked func()) {
	runtime.LockOSThread()
	if !isInitial() {
		locked()
		f()
		return
	}
	c := make(chan struct{})
	go lockThread(f, func() { close(c) })
	<-c
	locked()
	runtime.UnlockOSThread()
}

// main is a task's thread.
func (th *thread) main() {
	p := th.p
	defer p.over()
	defer th.leave()
	if err := th.enter(); err != nil {
		err = fmt.Errorf("realtime: task %q: %w", th.t.Name(), err)
		if err := p.lack(err); err != nil {
			p.fail(err)
		}
	}
	th.t.SetThread(th.id)
	th.entered()
	for atomic.LoadUint32(&p.gate) == 0 {
		_ = sleep(&p.gate, 0, nil)
	}
	th.body()
}

// enter gives the calling thread its settings: priority first, so that it is not kept
// from the rest.
func (th *thread) enter() (err error) {
	th.id = gettid()
	th.spins = th.cores.without(th.p.spinning).empty()
	others.enter(th.id)
	if th.was, err = affinity(0); err != nil {
		return err
	}
	if err := sharpen(); err != nil {
		return fmt.Errorf("timer slack: %w", err)
	}
	atomic.StoreUint32(&th.uses, 0) // from now on a change of priority acts
	if err := th.tune(); err != nil {
		return err
	}
	if err := setAffinity(0, th.cores); err != nil {
		return fmt.Errorf("pinning to %s: %w", list(th.cores.cores()), err)
	}
	return nil
}

// tune gives the thread the priority that its task has. From any thread. Of two tunings
// the earlier may act last; so each looks again after it has acted.
func (th *thread) tune() error {
	if th.p.policy == Other || !th.use() {
		return nil
	}
	defer th.unuse()
	for {
		before := th.priority()
		if err := schedule(th.id, th.p.policy, before); err != nil {
			return fmt.Errorf("SCHED_%v with priority %d: %w", th.p.policy, before, err)
		}
		if th.priority() == before {
			return nil
		}
	}
}

func (th *thread) priority() int {
	if th.t == nil {
		return th.prio
	}
	return th.p.realPriority(th.t.Priority())
}

// use keeps the thread from ending until unuse; false if it has not begun or is ending.
func (th *thread) use() bool {
	for {
		n := atomic.LoadUint32(&th.uses)
		if n&closed != 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&th.uses, n, n+1) {
			return true
		}
	}
}

func (th *thread) unuse() {
	if atomic.AddUint32(&th.uses, ^uint32(0)) == closed {
		wake(&th.uses)
	}
}

// leave takes the settings back, for what is left of the thread's life.
func (th *thread) leave() {
	if tm := th.timer.Load(); tm != nil {
		tm.halt()
	}
	atomic.OrUint32(&th.uses, closed)
	for n := atomic.LoadUint32(&th.uses); n != closed; n = atomic.LoadUint32(&th.uses) {
		_ = sleep(&th.uses, n, nil)
	}
	_ = setAffinity(0, th.was)
	_ = schedule(0, Other, 0)
	others.leave(th.id)
}

// deliver gives the task what its timer has posted meanwhile, and tells whether there was
// anything. By the task itself.
func (th *thread) deliver(waits bool) bool {
	tm := th.timer.Load()
	return tm != nil && tm.deliver(waits)
}
