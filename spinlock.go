package rtos

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/internal/spin"
)

// A Spinlock is taken by spinning, for sections of a few instructions: ESP-IDF's
// spinlock_t and portMUX_TYPE. The zero value is free and ready to use; it must not
// be copied. Its owner may take it again, up to 255 times. While a task holds one,
// blocking is misuse. There is no priority inheritance and no order among those who
// spin; a spinner gives up its processor now and then, so that it cannot starve the
// holder.
//
// In a simulation the scheduler is suspended while a task holds one, so that no other
// task of the core can come to spin for it.
//
// The n-th release synchronizes before the m-th acquisition, for any n < m.
//
// The word is the owner's number, 0 if free; a bare or interrupt's holder has a
// number that no task has.
type Spinlock struct {
	_     noCopy
	word  atomic.Uint64
	again atomic.Uint32 // how often its owner has taken it beyond the first time
}

const (
	opSpinLock   = "Spinlock.Lock"
	opSpinUnlock = "Spinlock.Unlock"

	spinlockMaxDepth = 255
	spinlockPauses   = 30 // before it yields
	spinlockBare     = 1
	spinlockISR      = 2
)

// Lock takes the lock, however long it takes. Blocking: it spins while another task
// holds the lock. A task that is to end is unwound while it spins, unless it is adopted:
// that one spins on. A lock whose holder has ended is misuse. Mirrors portENTER_CRITICAL and spinlock_acquire with
// portMUX_NO_TIMEOUT.
func (l *Spinlock) Lock(t *Task) {
	if debugGate == 0 && t != nil && !t.k.sched && l.word.CompareAndSwap(0, t.id) {
		t.spinlocks++
		return
	}
	_ = l.lock(t, Forever)
}

// TryLock takes the lock if it is free or the task's own. Wait-free. Mirrors
// portTRY_ENTER_CRITICAL with portMUX_TRY_LOCK.
func (l *Spinlock) TryLock(t *Task) bool {
	if debugGate == 0 && t != nil && !t.k.sched && l.word.CompareAndSwap(0, t.id) {
		t.spinlocks++
		return true
	}
	return l.lock(t, 0) == nil
}

// LockFor is [Spinlock.Lock] with a limit: after d it fails with [ErrTimeout], and with
// d = 0 after one try with [ErrWouldBlock]. Blocking for d at most, spinning. Mirrors
// spinlock_acquire.
func (l *Spinlock) LockFor(t *Task, d time.Duration) error {
	if debugGate == 0 && t != nil && !t.k.sched && d >= 0 && l.word.CompareAndSwap(0, t.id) {
		t.spinlocks++
		return nil
	}
	return l.lock(t, d)
}

// Unlock undoes one acquisition. A lock that the task does not hold is misuse.
// Wait-free. Mirrors portEXIT_CRITICAL and spinlock_release.
func (l *Spinlock) Unlock(t *Task) {
	if debugGate != 0 || t == nil || t.k.sched || l.again.Load() != 0 || l.word.Load() != t.id {
		l.unlock(t)
		return
	}
	t.spinlocks--
	l.word.Store(0)
}

func (l *Spinlock) lock(t *Task, d time.Duration) error {
	switch {
	case t == nil:
		misuse(opSpinLock, nil, "", "nil task")
	case d < 0:
		misuse(opSpinLock, t, "", "negative limit "+d.String())
	}
	t.checkCaller(opSpinLock)
	if t.ended.Load() {
		misuse(opSpinLock, t, "", "the task has ended")
	}
	if l.word.Load() == t.id {
		if l.again.Load() == spinlockMaxDepth-1 {
			misuse(opSpinLock, t, "", fmt.Sprintf("taken more than %d times", spinlockMaxDepth))
		}
		l.again.Add(1)
		t.spinlocks++
		return nil
	}
	if err := l.acquire(t.id, d, t); err != nil {
		return err
	}
	if t.k.sched && t.spinlocks == 0 {
		t.k.port.Hold(t) // as the core's interrupts are masked while it holds one
	}
	t.spinlocks++
	return nil
}

// acquire spins until the lock is id's, for t if that is not nil. Once the short spin is
// over it looks at what would make it spin for ever: t is to end, or the holder has.
func (l *Spinlock) acquire(id uint64, d time.Duration, t *Task) error {
	var deadline time.Duration
	for n := 0; ; n++ {
		if l.word.Load() == 0 && l.word.CompareAndSwap(0, id) {
			return nil
		}
		if d == 0 {
			return ErrWouldBlock
		}
		if t != nil && d != Forever {
			if n == 0 {
				deadline = t.k.until(d)
			} else if t.k.port.Now() >= deadline {
				return ErrTimeout
			}
		}
		if t != nil && t.k.sched {
			l.refuseDead(t)
			t.k.port.Work(t, t.k.spinCost()) // a try that fails costs time, or time would stand still
			continue
		}
		if n < spinlockPauses && spin.Can() {
			spin.Pause(1 + n/4)
			continue
		}
		spin.Gosched()
		if t != nil && t.gate.Load()&askEnd != 0 {
			if err := t.heed(); err != nil && d != Forever {
				return err
			}
		}
		if n%1024 == 1023 {
			l.refuseDead(t)
		}
	}
}

// spinCost is the processor time of a try that fails, where the port schedules.
func (k *Kernel) spinCost() time.Duration { return cmp.Or(k.traits.SpinCost, k.cfg.Tick) }

// refuseDead reports a lock whose holder has ended.
func (l *Spinlock) refuseDead(t *Task) {
	id := l.word.Load()
	if id >= firstID && lookup(id) == nil && l.word.Load() == id {
		misuse(opSpinLock, t, "", "held by a task that has ended")
	}
}

func (l *Spinlock) unlock(t *Task) {
	if t == nil {
		misuse(opSpinUnlock, nil, "", "nil task")
	}
	t.checkCaller(opSpinUnlock)
	switch owner := l.word.Load(); {
	case owner == 0:
		misuse(opSpinUnlock, t, "", "nobody holds it")
	case owner != t.id:
		misuse(opSpinUnlock, t, "", "another task holds it")
	}
	t.spinlocks--
	if n := l.again.Load(); n > 0 {
		l.again.Store(n - 1)
		return
	}
	l.word.Store(0)
	if t.k.sched && t.spinlocks == 0 {
		t.k.port.Release(t)
	}
}

// LockFromISR takes the lock in an interrupt. It spins, and does not nest with other
// holders. Blocking: it spins. Mirrors portENTER_CRITICAL_ISR.
func (l *Spinlock) LockFromISR(isr *ISR) {
	isr.check("Spinlock.LockFromISR")
	if isr.k.sched {
		if !l.word.CompareAndSwap(0, spinlockISR) {
			misuse("Spinlock.LockFromISR", nil, "", "held by the interrupted task: it would spin for ever")
		}
		return
	}
	_ = l.acquire(spinlockISR, Forever, nil)
}

// TryLockFromISR takes the lock in an interrupt if it is free. Wait-free.
func (l *Spinlock) TryLockFromISR(isr *ISR) bool {
	isr.check("Spinlock.TryLockFromISR")
	return l.word.CompareAndSwap(0, spinlockISR)
}

// UnlockFromISR gives back what an interrupt has taken. Wait-free. Mirrors
// portEXIT_CRITICAL_ISR.
func (l *Spinlock) UnlockFromISR(isr *ISR) {
	isr.check("Spinlock.UnlockFromISR")
	if !l.word.CompareAndSwap(spinlockISR, 0) {
		misuse("Spinlock.UnlockFromISR", nil, "", "no interrupt holds it")
	}
}

// Holder is the task that holds the lock, nil if none does. A snapshot. Wait-free, in the
// number of kernels.
func (l *Spinlock) Holder() *Task {
	id := l.word.Load()
	if id < firstID {
		return nil
	}
	return lookup(id)
}

// Bare is the lock without tasks, for goroutines that have none: a sync.Locker. It does
// not nest, and excludes tasks as well. Wait-free; its Lock blocks, spinning.
func (l *Spinlock) Bare() sync.Locker { return (*bareSpinlock)(l) }

type bareSpinlock Spinlock

func (b *bareSpinlock) Lock() { _ = (*Spinlock)(b).acquire(spinlockBare, Forever, nil) }

func (b *bareSpinlock) Unlock() {
	if !b.word.CompareAndSwap(spinlockBare, 0) {
		misuse(opSpinUnlock, nil, "", "no bare holder holds it")
	}
}
