package realtime

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

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

	g *guarded // what the guard knows of it

	timer atomic.Pointer[Timer] // that calls the task
	left  bool                  // nobody is there any more to be called; under p.mu
	woken int64                 // the task's: what the clock said when its last wait ended
}

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
	th.g.open(th.id) // from now on a change of priority acts
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
	if th.p.policy == Other || !th.g.use() {
		return nil
	}
	defer th.g.unuse()
	for {
		before := th.priority()
		atomic.StoreUint32(&th.g.prio, uint32(before))
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

// leave takes the settings back, for what is left of the thread's life.
func (th *thread) leave() {
	th.p.mu.Lock()
	th.left = true // no timer comes after this one
	tm := th.timer.Load()
	th.p.mu.Unlock()
	if tm != nil {
		tm.halt()
	}
	th.g.close()
	_ = setAffinity(0, th.was)
	_ = schedule(0, Other, 0)
	settle()
	others.leave(th.id)
	th.p.free(th.g)
}

// looks tells when the task, which is about to wait, looks out for what it waits for: from
// rest, 0 meaning at once, until look. A timer with a margin is awaited from a little before
// it wakes itself, so that the core is free until then; not at all if the wait is over
// before, at until. By the task itself.
func (th *thread) looks(now, until int64) (rest, look int64) {
	if !th.spins || th.p.opts.Spin == 0 {
		return 0, 0
	}
	due, rest := th.due()
	switch {
	case rest <= now:
		return 0, now + int64(th.p.opts.Spin)
	case rest >= until:
		return 0, 0
	}
	return rest, due + int64(th.p.opts.Spin)
}

// due is when the timer of the task will call it, and until when the task need not look out
// for that; 0 if it has none with a margin.
func (th *thread) due() (due, rest int64) {
	tm := th.timer.Load()
	if tm == nil || tm.o.Margin == 0 || tm.ended() {
		return 0, 0
	}
	due = atomic.LoadInt64(&tm.loop.due)
	return due, due - tm.loop.margin - ahead
}

// hasTime tells whether the task need not look out for its timer yet.
func (th *thread) hasTime(now int64) bool {
	_, rest := th.due()
	return rest > now
}

// ahead is how long before its timer a task is up that looks out for it: Go's scheduler
// may hold it up then, and its threads may be where the timer spins.
const ahead = int64(10 * time.Microsecond)

// deliver gives the task what its timer has posted meanwhile, and tells whether there was
// anything. By the task itself.
func (th *thread) deliver(waits bool) bool {
	tm := th.timer.Load()
	return tm != nil && tm.deliver(waits)
}
