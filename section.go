package rtos

import (
	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/internal/spin"
)

// section is the kernel-wide critical section of ports that run tasks in parallel: a
// semaphore of one with an owner and a depth. It excludes other holders of it; it
// stops nobody and defers no wake.
type section struct {
	token *Semaphore
	owner atomic.Uint64
	depth int // the owner's
}

func newSection() *section {
	return &section{token: newSemaphore("section", "critical section", 1, 1)}
}

func (s *section) enter(t *Task) {
	if s.owner.Load() != t.id {
		// Blocking here is not what a section forbids.
		for s.token.Take(t) != nil {
			if t.gate.Load()&askEnd != 0 {
				spin.Gosched() // an adopted or unwinding task: it cannot wait, it is still excluded
			}
		}
		s.owner.Store(t.id)
	}
	s.depth++
}

func (s *section) leave(t *Task) {
	if s.owner.Load() != t.id {
		return
	}
	if s.depth--; s.depth == 0 {
		s.owner.Store(0)
		s.token.Give()
	}
}

// abandon frees the section if t, which ends, is inside.
func (s *section) abandon(t *Task) {
	if s.owner.Load() == t.id {
		t.k.cfg.Logger.Warn("rtos: task ended inside a critical section", "task", t.name)
		s.depth = 1
		s.leave(t)
	}
}

// SuspendScheduler keeps the kernel from switching tasks until the matching
// [Kernel.ResumeScheduler]; calls nest. Inside, blocking is misuse; calls that do
// not wait work. In a simulation it is exactly vTaskSuspendAll: ticks are remembered,
// tasks that interrupts ready are kept aside. Where tasks run in parallel it is a
// recursive critical section of the whole kernel, which excludes other tasks that
// call it, stops nobody else and defers no wake; entering it blocks.
func (k *Kernel) SuspendScheduler(t *Task) { k.enterSection("Kernel.SuspendScheduler", t) }

// ResumeScheduler undoes one SuspendScheduler. It reports whether a switch was made,
// always false where tasks run in parallel. Without a matching call it is misuse.
// Mirrors xTaskResumeAll.
func (k *Kernel) ResumeScheduler(t *Task) bool { return k.exitSection("Kernel.ResumeScheduler", t) }

// EnterCritical enters a critical section: the same as [Kernel.SuspendScheduler],
// under the name that taskENTER_CRITICAL has. In a simulation interrupts are not masked
// while it lasts; what they wake waits.
func (k *Kernel) EnterCritical(t *Task) { k.enterSection("Kernel.EnterCritical", t) }

// ExitCritical leaves it. Mirrors taskEXIT_CRITICAL.
func (k *Kernel) ExitCritical(t *Task) { k.exitSection("Kernel.ExitCritical", t) }

// Critical runs f in a critical section.
func (k *Kernel) Critical(t *Task, f func()) {
	k.EnterCritical(t)
	defer k.ExitCritical(t)
	f()
}

func (k *Kernel) enterSection(op string, t *Task) {
	k.checkSection(op, t)
	if k.sched {
		k.port.Hold(t)
	} else {
		if t.sections == 0 && t.spinlocks > 0 {
			t.mayBlock(op, "")
		}
		k.section.enter(t)
	}
	t.sections++
	t.markEntered()
	if k.cfg.Compat&CompatLimitUnderSuspend != 0 {
		t.gate.Or(askLimits)
	}
}

func (k *Kernel) exitSection(op string, t *Task) bool {
	k.checkSection(op, t)
	if t.sections == 0 {
		misuse(op, t, "", "no matching call before")
	}
	t.sections--
	if t.sections == 0 && k.cfg.Compat&CompatLimitUnderSuspend != 0 {
		t.gate.And(^askLimits)
	}
	if k.sched {
		return k.port.Release(t)
	}
	k.section.leave(t)
	return false
}

func (k *Kernel) checkSection(op string, t *Task) {
	switch {
	case t == nil:
		misuse(op, nil, "", "nil task")
	case t.k != k:
		misuse(op, t, "", "the task is another kernel's")
	case t.ended.Load():
		misuse(op, t, "", "the task has ended")
	}
	t.checkCaller(op)
}
