package rtos

import (
	"context"
	"sync"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// A RecursiveMutex is a [Mutex] that its owner may take again; it is free when it
// has been given as often as taken. FreeRTOS's xSemaphoreCreateRecursiveMutex. The
// zero value is free and ready to use; it must not be copied.
//
// The n-th release to free synchronizes before the m-th take of the free mutex, for
// any n < m.
type RecursiveMutex struct {
	m     Mutex
	again atomic.Uint32 // how often its owner has taken it beyond the first time
}

const (
	opRecursiveLock   = "RecursiveMutex.Lock"
	opRecursiveUnlock = "RecursiveMutex.Unlock"
)

// NewRecursiveMutex makes a recursive mutex with a name for reports. Mirrors
// xSemaphoreCreateRecursiveMutex.
func NewRecursiveMutex(name string) *RecursiveMutex {
	m := &RecursiveMutex{}
	m.m.o.body.Store(newBody(kindMutex, name, &m.m))
	return m
}

// Lock takes the mutex once more, or waits until it is free: see [Mutex.Lock].
// Wait-free if it is free or the task's own; it blocks while another task holds it.
// Mirrors xSemaphoreTakeRecursive with portMAX_DELAY.
func (m *RecursiveMutex) Lock(t *Task) error {
	if t != nil && t.holds == nil && m.m.o.word.CompareAndSwap(t.gate.Load(), t.id) {
		t.holds = &m.m
		return nil
	}
	return m.lockSlow(t)
}

func (m *RecursiveMutex) lockSlow(t *Task) error { return m.lock(t, Forever, nil) }

// LockFor is [RecursiveMutex.Lock] with a limit: see [Mutex.LockFor]. Lock-free while
// it is free or the task's own, and if it polls; else it blocks for d at most.
func (m *RecursiveMutex) LockFor(t *Task, d time.Duration) error { return m.lock(t, d, nil) }

// LockCtx is [RecursiveMutex.Lock] until ctx is done: see [Mutex.LockCtx]. Blocking.
func (m *RecursiveMutex) LockCtx(ctx context.Context, t *Task) error {
	return m.lock(t, Forever, ctx)
}

// TryLock takes the mutex if it is free or the task's own. Lock-free.
func (m *RecursiveMutex) TryLock(t *Task) bool { return took(m.lock(t, 0, nil)) }

func (m *RecursiveMutex) lock(t *Task, d time.Duration, ctx context.Context) error {
	if t != nil && m.m.o.word.Load()&ownerMask == t.id {
		if err := t.enter(opRecursiveLock, m.m.o.name(), d, ctx); err != nil {
			return err
		}
		m.again.Add(1)
		return nil
	}
	err := m.m.lock(opRecursiveLock, t, d, ctx)
	if err == ErrOwnerDied && m.m.o.word.Load()&ownerMask == t.id {
		m.again.Store(0)
	}
	return err
}

// Unlock undoes one Lock; the last one frees the mutex, as [Mutex.Unlock] does.
// A task that does not hold it gets [ErrNotOwner], and nothing is changed.
// Lock-free. Mirrors xSemaphoreGiveRecursive.
func (m *RecursiveMutex) Unlock(t *Task) error {
	if debugGate != 0 || t == nil || t.holds != &m.m || t.inInterrupt() || m.again.Load() != 0 || !m.m.o.word.CompareAndSwap(t.id, 0) {
		return m.unlock(t)
	}
	t.holds = nil
	if t.prio.Load()&boostedBit != 0 {
		return m.m.given(t, 0, 0)
	}
	return nil
}

func (m *RecursiveMutex) unlock(t *Task) error {
	if t != nil && m.m.o.word.Load()&ownerMask == t.id && !t.ended.Load() && !t.inInterrupt() {
		if n := m.again.Load(); n > 0 {
			m.again.Store(n - 1)
			return nil
		}
	}
	return m.m.unlock(t, opRecursiveUnlock)
}

// Holder is the task that holds the mutex: see [Mutex.Holder]. Wait-free, in the number
// of kernels.
func (m *RecursiveMutex) Holder() *Task { return m.m.Holder() }

// Info is a snapshot; exact only in a simulation. Lock-free.
func (m *RecursiveMutex) Info() MutexInfo {
	i := m.m.Info()
	if i.Locked {
		i.Depth += int(m.again.Load())
	}
	return i
}

// Locker binds the mutex to a task: see [Mutex.Locker]. Wait-free.
func (m *RecursiveMutex) Locker(t *Task) sync.Locker { return &locker{m, t} }
