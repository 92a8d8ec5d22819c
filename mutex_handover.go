package rtos

import "time"

// overtaking counts how often a woken task found the mutex taken again.
type overtaking struct {
	times   int
	since   time.Duration
	overdue bool
}

const (
	maxOvertaken    = 3
	maxOvertakenFor = time.Millisecond
)

func (f *overtaking) again(m *Mutex, t *Task) {
	now := t.k.port.Now()
	if f.times++; f.times == 1 {
		f.since = now
	}
	h := t.k.byID(m.o.word.Load() & ownerMask)
	if f.times >= maxOvertaken || now-f.since >= maxOvertakenFor ||
		h != nil && h.Priority() < t.Priority() {
		f.overdue = true
	}
}

// handOver makes the first waiter the owner if it has been overtaken too often. The
// claim comes first, so that the waiter can no longer time out; then the owner word;
// then the waiter is told.
func (m *Mutex) handOver(t *Task, left int) bool {
	if m.o.word.Load()&overdueBit == 0 {
		return false
	}
	b := m.o.body.Load()
	c, ok := m.o.first(b)
	if !ok {
		return false
	}
	w := &b.k.waiters[c.slot]
	if w.overdue.Load() == 0 {
		return false
	}
	heir := b.k.tasks[c.slot].Load()
	if !w.word.CompareAndSwap(c.word, withState(c.word, stGranting)) {
		return false
	}
	if nestOf(heir.prio.Load()) == nestWait {
		heir.setNest(nestMany)
	}
	m.o.word.Add(heir.id - t.id)
	fell := false
	switch left {
	case 0:
		fell = t.disinherit()
	case 1:
		t.setNest(nestNone)
	}
	w.word.Store(withState(c.word, stGranted))
	b.k.port.Ready(heir, FromTask)
	if fell {
		t.lowered()
	}
	t.yieldTo(heir)
	return true
}
