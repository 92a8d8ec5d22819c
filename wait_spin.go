package rtos

import (
	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/internal/spin"
)

// This file is what a wait does before it parks, where tasks run in parallel: it spins, in the
// hope that it will be short. Package spin has the policy.

// spin tries for a while in the hope that the mutex is given soon; see package spin. A
// task that is more urgent than the holder does not spin unseen: it publishes its wait
// and lends its priority at once.
func (m *Mutex) spin(t *Task) (ok bool, err error) {
	word := m.o.word.Load()
	if h := t.k.byID(word & ownerMask); h == nil || h.Priority() < t.Priority() {
		return m.try(t)
	}
	if !t.k.native {
		for n := 0; t.k.port.Spin(t, n); n++ {
			if ok, err = m.try(t); ok {
				return ok, err
			}
		}
		return false, nil
	}
	free := word &^ ownerMask // what the word will be when it is given
	for n, pause := 0, spin.MutexPause; n < spin.Polls(t.own) && spin.Can(); n, pause = n+1, spin.MutexPauses {
		spin.Pause(pause)
		if m.o.word.CompareAndSwap(free, free|t.id) {
			return true, nil
		}
		free = m.o.word.Load() &^ ownerMask
	}
	spin.Refresh()
	return m.try(t)
}

// yieldTo lets a more urgent goroutine that t has just woken have t's processor. It is
// in t's run queue now; left there it may wait for as long as another thread takes to
// come for it, which is milliseconds if that thread gets no processor of its own.
func (t *Task) yieldTo(heir *Task) {
	if heir != nil && t.k.native && !t.own && heir.Priority() > t.Priority() {
		spin.Yield()
	}
}

// spin polls for as long as parking would cost; see package spin.
func (s *Semaphore) spin(t *Task) bool {
	if !t.k.native {
		for n := 0; t.k.port.Spin(t, n); n++ {
			if s.hasSome() && s.try(t) {
				return true
			}
		}
		return false
	}
	for n := range spin.Budget(t.own) {
		if n%spin.Stride == 0 && !spin.Can() {
			break
		}
		// The last token of a semaphore without waiters is the usual case: see NotifyGive.
		if s.o.word.CompareAndSwap(1, 0) || s.try(t) {
			return true
		}
		spin.Pause(1)
	}
	for range spin.Yields {
		spin.Yield()
		if s.try(t) {
			return true
		}
	}
	return false
}

// spin polls for as long as parking would cost; see package spin.
func (c *notifyCall) spin(t *Task, s *atomic.Uint64) (value uint32, ok bool) {
	if !t.k.native {
		for n := 0; t.k.port.Spin(t, n); n++ {
			if v, ok := c.finish(s, false); ok {
				return v, true
			}
		}
		return 0, false
	}
	for n := range spin.Budget(t.own) {
		if n%spin.Stride == 0 && !spin.Can() {
			break
		}
		// One give to an empty slot is the usual case. A swap that succeeds moves the cache
		// line once, a look and a swap twice; one that fails costs nobody anything, since
		// the line stays here until the next give.
		if c.take && s.CompareAndSwap(1<<valueShift|slotReceived, slotNone) {
			return 1, true
		}
		if v, ok := c.finish(s, false); ok {
			return v, true
		}
		spin.Pause(1)
	}
	for range spin.Yields {
		spin.Yield()
		if v, ok := c.finish(s, false); ok {
			return v, true
		}
	}
	return 0, false
}
