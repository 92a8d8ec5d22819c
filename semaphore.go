package rtos

import (
	"context"
	"fmt"
	"time"
)

// A Semaphore counts tokens: a task takes one, anybody gives one. [NewBinary] and
// [NewCounting] make one; the zero value is misuse.
//
// A give does not hand its token over: it stays in the count, and the first waiter is
// woken to take it, so a task that comes in between may be faster. No priority is
// inherited.
//
// A Give synchronizes before the Take that gets its token, and if the semaphore is
// binary before every later Take.
//
// The word of a semaphore is the count (32 bits), the maximum being a field, under
// the number of tasks in its waiter set (16 bits).
type Semaphore struct {
	o   object
	max uint64
}

const (
	countMask = 1<<32 - 1
	opTake    = "Semaphore.Take"
)

// NewBinary makes a semaphore of at most one token, empty at first. Mirrors
// xSemaphoreCreateBinary.
func NewBinary(name string) *Semaphore { return newSemaphore("binary", name, 1, 0) }

// NewCounting makes a semaphore of at most max tokens, initial of them there. A max
// of less than 1 or more than 2^31-1, or an initial count outside 0 to max, is misuse.
// Mirrors xSemaphoreCreateCounting.
func NewCounting(name string, max, initial int) *Semaphore {
	const most = 1<<31 - 1
	if max < 1 || max > most {
		misuse("NewCounting", nil, name, fmt.Sprintf("maximum %d, want 1 to %d", max, most))
	}
	if initial < 0 || initial > max {
		misuse("NewCounting", nil, name, fmt.Sprintf("initial count %d, want 0 to %d", initial, max))
	}
	return newSemaphore("counting", name, max, initial)
}

func newSemaphore(kind, name string, max, initial int) *Semaphore {
	s := &Semaphore{max: uint64(max)}
	s.o.word.Store(uint64(initial))
	s.o.body.Store(newBody(kind, name, s))
	return s
}

// Take takes a token and waits for one as long as it takes. The error is nil,
// [ErrAborted] or [ErrDeleted]. Waiting where that is forbidden is misuse.
//
// Lock-free while there are tokens; it blocks while there are none. Mirrors
// xSemaphoreTake with portMAX_DELAY.
func (s *Semaphore) Take(t *Task) error {
	if t != nil && t.gate.Load() == 0 {
		if w := s.o.word.Load(); w&countMask != 0 && s.o.word.CompareAndSwap(w, w-1) {
			return nil
		}
	}
	return s.takeSlow(t)
}

func (s *Semaphore) takeSlow(t *Task) error { return s.take(t, Forever, nil) }

// TakeFor is [Semaphore.Take] with a limit; 0 polls and fails with [ErrWouldBlock].
// After d it fails with [ErrTimeout]; the semaphore is unchanged. Lock-free while there
// are tokens, and if it polls; else it blocks for d at most. Mirrors xSemaphoreTake.
func (s *Semaphore) TakeFor(t *Task, d time.Duration) error {
	if t != nil && t.gate.Load() == 0 && d >= 0 && s.try(t) {
		return nil
	}
	return s.take(t, d, nil)
}

// TakeCtx is [Semaphore.Take] until ctx is done: then it fails with the context's cause
// and leaves the semaphore unchanged. A context that is done already fails even if
// there are tokens. Blocking.
func (s *Semaphore) TakeCtx(ctx context.Context, t *Task) error {
	return s.take(t, Forever, ctx)
}

// TryTake takes a token if there is one. Lock-free. Mirrors xSemaphoreTake with a
// limit of 0.
func (s *Semaphore) TryTake(t *Task) bool {
	if t != nil && t.gate.Load() == 0 && s.try(t) {
		return true
	}
	return s.take(t, 0, nil) == nil
}

// TryTakeFromISR takes a token if there is one, from an interrupt. Lock-free. Mirrors
// xSemaphoreTakeFromISR.
func (s *Semaphore) TryTakeFromISR(isr *ISR) bool {
	isr.check("Semaphore.TryTakeFromISR")
	s.refuseZero("Semaphore.TryTakeFromISR", nil)
	return s.try(nil)
}

// Give gives a token and wakes the first waiter; false: the semaphore was full. It
// may be called from anywhere but an interrupt, and never waits. Lock-free. Mirrors
// xSemaphoreGive.
func (s *Semaphore) Give() bool {
	// An empty semaphore without waiters is the usual case of a binary one. To swap
	// without looking first moves the cache line once instead of twice.
	if s.max == 1 && s.o.word.CompareAndSwap(0, 1) {
		return true
	}
	return s.giveSlow()
}

func (s *Semaphore) giveSlow() bool {
	for {
		w := s.o.word.Load()
		if w&countMask >= s.max {
			s.refuseZero("Semaphore.Give", nil)
			return false
		}
		if w >= oneWaiter {
			s.o.refuseInterrupt("Semaphore.Give")
		}
		if s.o.word.CompareAndSwap(w, w+1) {
			if w >= oneWaiter {
				s.o.wake(FromTask)
				s.o.yieldTo()
			}
			return true
		}
	}
}

// GiveFromISR is [Semaphore.Give] from an interrupt. Lock-free. Mirrors
// xSemaphoreGiveFromISR.
func (s *Semaphore) GiveFromISR(isr *ISR) bool {
	isr.check("Semaphore.GiveFromISR")
	s.refuseZero("Semaphore.GiveFromISR", nil)
	for {
		w := s.o.word.Load()
		if w&countMask >= s.max {
			return false
		}
		if s.o.word.CompareAndSwap(w, w+1) {
			if w >= oneWaiter {
				_, outranks := s.o.wake(FromISR)
				isr.note(outranks)
			}
			return true
		}
	}
}

// Count is the number of tokens: a snapshot. Wait-free. Mirrors
// uxSemaphoreGetCount.
func (s *Semaphore) Count() int { return int(s.o.word.Load() & countMask) }

// SemaphoreInfo is a snapshot of a semaphore.
type SemaphoreInfo struct {
	Name       string
	Count, Max int
	Waiters    []*Task
}

// Info is a snapshot; exact only in a simulation. Lock-free.
func (s *Semaphore) Info() SemaphoreInfo {
	return SemaphoreInfo{s.o.name(), s.Count(), int(s.max), s.o.waiters()}
}

// try takes a token if there is one. Lock-free: a swap fails only because another
// one has succeeded.
func (s *Semaphore) try(*Task) bool {
	for {
		w := s.o.word.Load()
		if w&countMask == 0 {
			return false
		}
		if s.o.word.CompareAndSwap(w, w-1) {
			return true
		}
	}
}

func (s *Semaphore) refuseZero(op string, t *Task) {
	if s.max == 0 {
		misuse(op, t, "", "zero Semaphore: use NewBinary or NewCounting")
	}
}

func (s *Semaphore) hasSome() bool { return s.o.word.Load()&countMask != 0 }

func (s *Semaphore) again() bool { return true }

func (s *Semaphore) take(t *Task, d time.Duration, ctx context.Context) error {
	s.refuseZero(opTake, t)
	if err := t.enter(opTake, s.o.name(), d, ctx); err != nil {
		return err
	}
	if s.try(t) {
		return nil
	}
	switch {
	case d == 0:
		return ErrWouldBlock
	case t.unwinding:
		return ErrDeleted
	}
	t.mayBlock(opTake, s.o.name())
	if !t.k.sched && s.spin(t) {
		return nil
	}
	b := s.o.body.Load()
	if b.k != t.k {
		b = s.o.bind(t, opTake, b.kind, s)
	}
	t.deadline, t.ctx = t.k.until(d), ctx
	return t.acquire(&s.o, b, s)
}
