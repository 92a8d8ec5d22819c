package realtime

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

// acquire changes the process for the run.
func (p *Port) acquire() error {
	if p.opts.Memory != LockNone {
		ok, err := p.claim(&memory, setMemory(p.opts.Memory == LockUsed || raceBuild))
		if err != nil {
			return err
		}
		p.reached(func(m *Mode) { m.Memory = ok })
	}
	if p.opts.Latency == On {
		ok, err := p.claim(&latency, setLatency)
		if err != nil {
			return err
		}
		p.reached(func(m *Mode) { m.Latency = ok })
	}
	if p.opts.Collector == CollectorOff {
		ok, err := p.claim(&collector, setCollector(p.opts.Headroom))
		if err != nil {
			return err
		}
		p.reached(func(m *Mode) { m.GCOff = ok })
	}
	p.mu.Lock()
	tasks := len(p.waiting)
	p.mu.Unlock()
	want := p.opts.Procs
	if want == 0 {
		want = runtime.NumCPU() + tasks + spareProcs
	}
	n := procs.claim(want)
	p.undo = append(p.undo, procs.release)
	p.reached(func(m *Mode) { m.Procs = n })
	stock(tasks + min(n, mostStock))
	if p.opts.KeepOff == On {
		if err := p.keepOff(); err != nil {
			return err
		}
	}
	if p.opts.Spin > 0 {
		p.grantSpins()
	}
	if bare && p.policy != Other {
		p.watchOver()
	}
	if p.policy != Other && p.cores.count() == p.machine && unlimited() {
		p.note("tasks may run on all cores, and the system sets real time no limit (kernel.sched_rt_runtime_us is -1): one that computes for ever stops the machine")
	}
	return nil
}

func (p *Port) keepOff() error {
	cores := p.cores.cores()
	kept, urged, err := others.add(cores)
	p.undo = append(p.undo, func() {
		if err := others.remove(cores); err != nil {
			p.opts.Logger.Error("realtime: the other threads stay where they are", "error", err)
		}
	})
	p.reached(func(m *Mode) { m.KeptOff, m.Urged = kept && err == nil, urged })
	switch {
	case err != nil:
		return p.lack(fmt.Errorf("realtime: keeping other threads off %s: %w", list(cores), err))
	case !kept && p.policy != Other:
		p.note("the other threads of the process share the cores of tasks, since none is left for them: a task that needs what one of them holds may wait for it up to a second")
	}
	return nil
}

func (p *Port) grantSpins() {
	cores := p.cores.cores()
	granted := spinners.claim(cores, p.machine)
	p.undo = append(p.undo, func() { spinners.release(granted) })
	p.spinning = maskOf(granted...)
	p.reached(func(m *Mode) { m.Spinning = granted })
	if len(granted) < len(cores) {
		p.note(fmt.Sprintf("no task spins on %s: one core of the machine is always left without spinning", list(p.cores.without(p.spinning).cores())))
	}
}

// watchOver starts the guard. It is one of the other threads.
func (p *Port) watchOver() {
	done := make(chan struct{})
	goThread(func() {
		defer close(done)
		p.guard.begin(systemPolicy(p.policy))
		others.refresh()
		p.guard.run()
	})
	p.undo = append(p.undo, func() {
		atomic.StoreUint32(&p.guard.stop, 1)
		wake(&p.guard.stop)
		<-done
	})
}

// unlimited tells whether the system lets real-time threads have all of the time.
func unlimited() bool {
	b, err := os.ReadFile("/proc/sys/kernel/sched_rt_runtime_us")
	return err == nil && strings.TrimSpace(string(b)) == "-1"
}

// release undoes acquire, the last thing first.
func (p *Port) release() {
	for i := len(p.undo) - 1; i >= 0; i-- {
		p.undo[i]()
	}
	p.undo = nil
}

func (p *Port) claim(s *shared, set func() (func(), error)) (bool, error) {
	if err := s.claim(set); err != nil {
		return false, p.lack(err)
	}
	p.undo = append(p.undo, s.release)
	return true, nil
}

func (p *Port) reached(f func(m *Mode)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.mode)
}
