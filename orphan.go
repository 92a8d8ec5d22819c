package rtos

import "github.com/tickwake/rtos/internal/atomic"

// orphan is a list of mutexes whose owner has ended.
type orphan struct {
	Orphan
	id    uint64
	m     *Mutex
	taken atomic.Bool // somebody has taken it since, with ErrOwnerDied
	next  *orphan
}

// orphanMutexes reports what t, which ends, has not given; with Config.Robust the
// next taker gets it.
func (t *Task) orphanMutexes() {
	held := t.held
	if t.holds != nil && t.holds != &several {
		held = []*Mutex{t.holds}
	}
	for _, m := range held {
		n := &orphan{Orphan: Orphan{m.o.name(), t.name, t.k.port.Now()}, id: t.id, m: m}
		for {
			head := t.k.orphans.Load()
			for n.next = head; n.next != nil && n.next.taken.Load(); n.next = n.next.next {
			}
			if t.k.orphans.CompareAndSwap(head, n) {
				break
			}
		}
		t.k.cfg.Logger.Warn("rtos: " + n.String())
		if t.k.cfg.Robust {
			m.bequeath(t)
		}
	}
	t.holds, t.held = nil, nil
}

// claimed notes that the mutex which a dead owner left has been taken.
func (k *Kernel) claimed(m *Mutex) {
	for n := k.orphans.Load(); n != nil; n = n.next {
		if n.m == m {
			n.taken.Store(true)
		}
	}
}

// Orphans lists the mutexes whose owner ended without giving them, newest first.
// With Config.Robust, those that somebody has taken since are left out.
func (k *Kernel) Orphans() []Orphan {
	var list []Orphan
	for n := k.orphans.Load(); n != nil; n = n.next {
		if id := n.m.o.word.Load() & ownerMask; !n.taken.Load() && (id == n.id || id == ownerDied) {
			list = append(list, n.Orphan)
		}
	}
	return list
}

// bequeath leaves a robust mutex of a task that ends to the next taker.
func (m *Mutex) bequeath(t *Task) {
	m.o.word.Add(ownerDied - t.id)
	if waitersIn(m.o.word.Load()) > 0 {
		m.o.wake(FromTask)
	}
}
