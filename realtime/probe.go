package realtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// The things that a system may refuse.
const (
	toSchedule = "scheduling"
	toPin      = "pinning"
	toLock     = "memory"
	toKeep     = "latency"
)

// lack takes note that something is refused. It returns the error if that is one.
func (p *Port) lack(err error) error {
	if err == nil || !p.opts.BestEffort {
		return err
	}
	p.note(err.Error())
	return nil
}

// note adds to Mode.Why.
func (p *Port) note(why string) {
	why = strings.TrimPrefix(why, "realtime: ")
	p.mu.Lock()
	known := slices.Contains(p.mode.Why, why)
	if !known {
		p.mode.Why = append(p.mode.Why, why)
	}
	p.mu.Unlock()
	if known {
		return
	}
	p.opts.Logger.Warn("realtime: degraded: " + why)
}

// probe finds out what the system permits, and leaves everything as it is.
func (p *Port) probe(usable mask) error {
	present, refusal := tryThread(usable.or(maskOf(p.opts.Cores...)), p.policy, p.opts.Base)
	for _, c := range p.opts.Cores {
		if present.has(c) {
			p.cores = p.cores.or(maskOf(c))
			continue
		}
		err := fmt.Errorf("realtime: running on core %d: %w: %s", c, syscall.EINVAL, missing(toPin, c, syscall.EINVAL))
		if err := p.lack(err); err != nil {
			return err
		}
	}
	if p.cores.empty() {
		p.cores, p.mode.Pinned = usable, false
	}
	if refusal != nil {
		if err := p.lack(refusal); err != nil {
			return err
		}
		p.policy, p.mode.Policy = Other, Other
	}
	if p.opts.Memory != LockNone {
		if err := p.lack(try(&memory, setMemory(true))); err != nil {
			return err
		}
	}
	if p.opts.Latency == On {
		return p.lack(try(&latency, setLatency))
	}
	return nil
}

// try claims a setting and gives it back.
func try(s *shared, set func() (func(), error)) error {
	err := s.claim(set)
	if err == nil {
		s.release()
	}
	return err
}

// tryThread tells which of these cores a thread may run on, and why it may not be
// scheduled like this.
func tryThread(cores mask, policy Policy, prio int) (present mask, refusal error) {
	done := make(chan struct{})
	goThread(func() {
		defer close(done)
		id := gettid()
		others.enter(id) // so that nobody moves it meanwhile
		defer others.leave(id)
		if was, err := affinity(0); err == nil {
			defer func() { _ = setAffinity(0, was) }()
		}
		_ = setAffinity(0, cores)
		present, _ = affinity(0)
		err := schedule(0, policy, prio)
		defer func() { _ = schedule(0, Other, 0) }()
		if err == nil {
			if got, n, _ := scheduled(0); got != policy || n != prio {
				err = fmt.Errorf("the system says yes and does not do it: %w", errors.ErrUnsupported)
			}
		}
		if err != nil {
			refusal = fmt.Errorf("realtime: scheduling a thread by SCHED_%v with priority %d: %w: %s", policy, prio, err, missing(toSchedule, prio, err))
		}
	})
	<-done
	return present, refusal
}

// probePriorities finds out whether the system permits the priorities that a kernel
// needs.
func (p *Port) probePriorities(n int) error {
	if p.policy == Other {
		return nil
	}
	p.ceiling = min(p.opts.Base+n-1, highestTask)
	if !bare {
		p.ceiling = p.opts.Base
		p.note(fmt.Sprintf("all tasks and timers take turns with the real-time priority %d: with plain waits and different priorities they could wait for each other for ever inside Go's runtime", p.ceiling))
	} else if most := highestTask - p.opts.Base; most < n-1 {
		p.note(fmt.Sprintf("tasks of the priorities %d to %d are equal: there is no real-time priority above %d for tasks, and Options.Base is %d",
			most, n-1, highestTask, p.opts.Base))
	}
	_, refusal := tryThread(p.cores, p.policy, p.ceiling)
	if err := p.lack(refusal); err != nil {
		return err
	}
	for refusal != nil && p.ceiling > p.opts.Base { // a limit in between
		p.ceiling--
		_, refusal = tryThread(p.cores, p.policy, p.ceiling)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode.Lowest, p.mode.Highest = p.opts.Base, p.ceiling
	return nil
}
