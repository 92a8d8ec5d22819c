package rtos

// This file is priority inheritance by FreeRTOS's rule (model/mutex.pml,
// model/mutex2.pml); inherit_chained.go is the other policy. The priority word of a task is
//
//	bits  0-7   base priority
//	bits  8-15  effective priority
//	bits 16-17  nest: 0 holds at most one mutex; 1 holds more than one, or is just
//	            trying to; 2 waits for a mutex while it holds one. Written only by
//	            tasks that nest.
//	bit  18     the effective priority differs from the base
//	bits 19-63  version: changes with every write, so that a loan which was decided
//	            on an older state of affairs fails
//
// The orders of steps are not free; the models find the failing run for any other.
const (
	baseShift    = 0
	effShift     = 8
	nestShift    = 16
	boostedBit   = 1 << 18
	versionShift = 19

	nestNone = 0
	nestMany = 1
	nestWait = 2
)

func packPrio(base, eff, nest, version uint64) uint64 {
	p := base<<baseShift | eff<<effShift | nest<<nestShift | version<<versionShift
	if base != eff {
		p |= boostedBit
	}
	return p
}

func basePrio(p uint64) int   { return int(p >> baseShift & 0xff) }
func effPrio(p uint64) int    { return int(p >> effShift & 0xff) }
func nestOf(p uint64) uint64  { return p >> nestShift & 3 }
func nextVer(p uint64) uint64 { return p>>versionShift + 1 }
func withEff(p uint64, eff int) uint64 {
	return packPrio(uint64(basePrio(p)), uint64(eff), nestOf(p), nextVer(p))
}

// Priority is the task's effective priority, with what it has inherited. From
// anywhere; wait-free. Mirrors uxTaskPriorityGet.
func (t *Task) Priority() int { return effPrio(t.prio.Load()) }

// BasePriority is the priority the task has of its own. From anywhere; wait-free.
// Mirrors uxTaskBasePriorityGet.
func (t *Task) BasePriority() int { return basePrio(t.prio.Load()) }

// SetPriority sets the base priority, from anywhere. The effective priority follows
// unless an inherited one is higher. A priority out of range is misuse. Who already
// waits keeps its place, unless the policy is [InheritChained]. Lock-free. Mirrors
// vTaskPrioritySet.
func (t *Task) SetPriority(prio int) {
	t.refuseNil("Task.SetPriority")
	k := t.k
	if prio < 0 || prio >= k.cfg.Priorities {
		k.checkPriority("Task.SetPriority", t.name, prio)
	}
	if k.chained && !t.ended.Load() {
		t.rebase(prio)
		return
	}
	var base, eff int
	for {
		p := t.prio.Load()
		base = basePrio(p)
		if base == prio {
			return
		}
		eff = effPrio(p)
		if eff == base || prio > eff {
			eff = prio
		}
		if t.prio.CompareAndSwap(p, packPrio(uint64(prio), uint64(eff), nestOf(p), nextVer(p))) {
			break
		}
	}
	if k.cfg.Compat&CompatBasePriorityQueue != 0 {
		eff = prio
	}
	t.order.Store(int32(eff))
	if !k.retune || t.ended.Load() {
		return
	}
	if !t.ended.Load() { // else the slot may be another task's
		k.port.Retune(t)
	}
	cur := k.Current()
	switch {
	case cur == nil:
	case cur == t:
		if prio < base {
			k.port.Switch(nil, Preempt)
		}
	case prio > base && prio > cur.Priority():
		k.port.Switch(nil, Preempt)
	}
}

func (t *Task) setNest(n uint64) {
	for {
		p := t.prio.Load()
		if nestOf(p) == n || t.prio.CompareAndSwap(p, packPrio(uint64(basePrio(p)), uint64(effPrio(p)), n, nextVer(p))) {
			return
		}
	}
}

// disinherit ends all loans to t and the nesting, at the give of its last mutex.
// It always makes a new version: who decided to lend before the give must fail.
//
// Where tasks run in parallel the port is told by lowered, once the heir has been
// woken: a thread that fell back before could be kept from waking it by any other one.
func (t *Task) disinherit() (lowered bool) {
	for {
		p := t.prio.Load()
		base := uint64(basePrio(p))
		if t.prio.CompareAndSwap(p, packPrio(base, base, nestNone, nextVer(p))) {
			if p&boostedBit != 0 {
				t.order.Store(int32(base))
				if t.k.sched {
					t.k.port.Retune(t)
				}
				return true
			}
			return false
		}
	}
}

// lowered is what disinherit owes the port.
func (t *Task) lowered() {
	if t.k.retune && !t.k.sched {
		t.k.port.Retune(t)
	}
}

func (t *Task) retuned(prio int) {
	t.order.Store(int32(prio))
	if t.k.retune {
		t.k.port.Retune(t)
	}
}

// boost lends t's priority to the holder of m: it reads the holder, its priority
// word, and checks that it still holds before the swap. It reports whether the
// holder is of lower base, so that the end of this wait may have to take it back.
func (m *Mutex) boost(t *Task) bool {
	if t.k.chained {
		if h := t.ahead(); h != nil {
			h.raise(t.Priority())
		}
		return false // whoever ends the wait takes it back
	}
	prio := t.Priority()
	for {
		id := m.o.word.Load() & ownerMask
		if id < firstID {
			return false
		}
		h := t.k.byID(id)
		if h == nil {
			return false // an orphan; or its give has woken t, or one before t who will lend as much
		}
		p := h.prio.Load()
		if effPrio(p) >= prio {
			return basePrio(p) < prio
		}
		if m.o.word.Load()&ownerMask != id {
			continue
		}
		if h.prio.CompareAndSwap(p, withEff(p, prio)) {
			h.retuned(prio)
			return true
		}
	}
}

// settle gives the holder of m the higher of its base and its first waiter,
// repeated until a pass has nothing to change: a waiter that came meanwhile may
// have relied on what an earlier pass saw. A holder of more than one mutex is not
// lowered; it is raised by a pass that follows a lowering of ours (somebody may
// have relied on what we took away), and by itself.
func (m *Mutex) settle(t *Task, b *objectBody) {
	lowered := false
	for {
		id := m.o.word.Load() & ownerMask
		if id < firstID {
			return
		}
		h := t.k.byID(id)
		if h == nil {
			return // an orphan; or whoever holds it since its give has all that is due
		}
		p := h.prio.Load()
		many := nestOf(p) == nestMany
		if many && h != t && !lowered {
			return
		}
		want := max(basePrio(p), m.waiterPrio(b))
		if many {
			want = max(want, effPrio(p))
		}
		if m.o.word.Load()&ownerMask != id {
			continue
		}
		if want == effPrio(p) {
			return
		}
		if h == t && t.k.sched && t.k.cfg.Compat&CompatSelfTake != 0 {
			misuse(opLock, t, b.name, "waits for its own mutex and would lower its own priority")
		}
		if h.prio.CompareAndSwap(p, withEff(p, want)) {
			lowered = lowered || want < effPrio(p)
			h.retuned(want)
		}
	}
}

// waiterPrio is the priority of the first waiter, -1 if there is none.
func (m *Mutex) waiterPrio(b *objectBody) int {
	for {
		c, ok := m.o.first(b)
		switch {
		case !ok:
			return -1
		case b.k.cfg.Compat&CompatOrder == 0:
			return int(c.rank >> ticketBits)
		}
		if t := b.k.tasks[c.slot].Load(); t != nil {
			return int(t.order.Load())
		}
		// It has ended since: the wait is over.
	}
}

// several marks a task that holds more than one mutex: its fast paths are closed.
var several Mutex

// holding notes that t has taken m.
func (t *Task) holding(m *Mutex) {
	switch t.holds {
	case nil:
		t.holds = m
	case &several:
		t.held = append(t.held, m)
	default:
		t.held = append(t.held[:0], t.holds, m)
		t.holds = &several
	}
	if t.k.chained {
		t.raise(m.lends(t.k, nil)) // others may wait already
	}
}

// dropped notes that t has given m, and returns how many it still holds.
func (t *Task) dropped(m *Mutex) int {
	if t.holds == m {
		t.holds = nil
		return 0
	}
	last := len(t.held) - 1
	for i, h := range t.held {
		if h == m {
			t.held[i], t.held[last] = t.held[last], nil
			t.held = t.held[:last]
			break
		}
	}
	if last == 1 {
		t.holds, t.held[0] = t.held[0], nil
		t.held = t.held[:0]
	}
	return last
}

func (t *Task) heldCount() int {
	switch t.holds {
	case nil:
		return 0
	case &several:
		return len(t.held)
	}
	return 1
}

// unnest says that t's try for another mutex has not succeeded, or not yet. A limit
// that ended meanwhile on the mutex it holds has done nothing; t makes up for it.
func (t *Task) unnest(nest uint64) {
	if t.holds == &several {
		return
	}
	t.setNest(nest)
	if t.k.sched || t.prio.Load()&boostedBit == 0 {
		return
	}
	if b := t.holds.o.body.Load(); b != nil && b.k == t.k {
		t.holds.settle(t, b)
	}
}
