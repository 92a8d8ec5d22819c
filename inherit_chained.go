package rtos

// This file is the policy [InheritChained]. It is for ports that schedule: one task runs
// at a time, so this is plain sequential code. Whenever a call returns and whenever the
// processor changes hands,
//
//   - the effective priority of a task is the highest of its base and of the effective
//     priorities of those that wait for the mutexes it holds;
//   - a task that waits has the rank of its effective priority.
//
// A task waits for one mutex at most and a mutex has one holder, so from every task one
// chain of holders leads on: it ends at a task that does not wait for a mutex, or runs
// into a ring of tasks that wait for each other. A ring has at least one wait that ends
// by itself; one that has none is refused, see deadlock.
//
// Whoever changes what is lent restores that. More is lent when a wait begins (boost) and
// when a mutex is taken for which others wait (holding): raise. It may be less after a give
// (given) and when a wait ends without the mutex (decide), either after SetPriority: relend.

// ahead is the task that holds the mutex for which t waits, nil if there is none.
func (t *Task) ahead() *Task {
	if m := t.wants(); m != nil {
		return t.k.byID(m.o.word.Load() & ownerMask)
	}
	return nil
}

// wants is the mutex for which t waits.
func (t *Task) wants() *Mutex {
	o := t.w.obj.Load()
	if o == nil || stateOf(t.w.word.Load()) != stWaiting {
		return nil
	}
	m, _ := o.body.Load().self.(*Mutex)
	return m
}

// raise gives t, and those on its chain, at least this priority. It stops where that is
// so already, and thus also when it has gone round a ring.
func (t *Task) raise(prio int) {
	for h := t; h != nil && h.Priority() < prio; h = h.ahead() {
		h.lend(prio)
	}
}

// due is the priority that t must have, but for what the task except lends.
func (t *Task) due(except *Task) int {
	prio := t.BasePriority()
	if m := t.holds; m != nil && m != &several {
		prio = max(prio, m.lends(t.k, except))
	}
	for _, m := range t.held {
		prio = max(prio, m.lends(t.k, except))
	}
	return prio
}

// lends is the priority of the most urgent waiter but for one, -1 if there is none.
func (m *Mutex) lends(k *Kernel, except *Task) int {
	prio := -1
	b := m.o.body.Load()
	if b == nil || b.k != k || waitersIn(m.o.word.Load()) == 0 {
		return prio
	}
	m.o.each(b, func(c candidate) {
		if except == nil || c.slot != except.slot {
			prio = max(prio, int(c.rank>>ticketBits))
		}
	})
	return prio
}

// relend gives t the priority that is due to it, and passes a change on along the
// chain. It returns the highest priority to which it has raised somebody, else -1.
func (t *Task) relend() (raised int) {
	raised = -1
	ring := t.ring()
	for h := t; h != nil; h = h.ahead() {
		if ring != nil && ring.rings(h) {
			return max(raised, h.relendRing())
		}
		prio := h.due(nil)
		if prio == h.Priority() {
			return raised
		}
		raised = max(raised, h.lend(prio))
	}
	return raised
}

// relendRing does it for all tasks of a ring. None may be kept up by its own priority
// that has come round, so what they lend each other does not count.
func (t *Task) relendRing() (raised int) {
	prio := -1
	for behind, h := t, t.ahead(); ; behind, h = h, h.ahead() {
		prio = max(prio, h.due(behind))
		if h == t {
			break
		}
	}
	raised = t.lend(prio)
	for h := t.ahead(); h != t; h = h.ahead() {
		raised = max(raised, h.lend(prio))
	}
	return raised
}

// subside is relend of t after it has given a mutex.
func (t *Task) subside() (lowered bool) {
	before := t.Priority()
	t.relend()
	return t.Priority() < before
}

// lend sets the effective priority, and moves t among those that wait with it. It
// returns the priority if it is a raise, else -1.
func (t *Task) lend(prio int) (raised int) {
	p := t.prio.Load()
	if effPrio(p) == prio {
		return -1
	}
	t.prio.Store(withEff(p, prio))
	if t.w.obj.Load() != nil && stateOf(t.w.word.Load()) == stWaiting {
		t.w.rank.Store(rankAt(prio, t.w.rank.Load()))
	}
	t.retuned(prio)
	if prio < effPrio(p) {
		return -1
	}
	return prio
}

// ring is a task of the ring into which the chain from t runs, nil if the chain ends.
func (t *Task) ring() *Task {
	for slow, fast := t, t; ; {
		if fast = fast.ahead(); fast == nil {
			return nil
		}
		if fast = fast.ahead(); fast == nil {
			return nil
		}
		if slow = slow.ahead(); slow == fast {
			return slow
		}
	}
}

// rings reports whether h is a task of the ring of t.
func (t *Task) rings(h *Task) bool {
	for q := t; q != h; {
		if q = q.ahead(); q == t {
			return false
		}
	}
	return true
}

// deadlock tells whether a wait of t for m would never end: it would close a ring in
// which no wait has a limit or a context.
func (m *Mutex) deadlock(t *Task) error {
	next := func(m *Mutex) *Task { return t.k.byID(m.o.word.Load() & ownerMask) }
	for q, h := t, next(m); ; q, h = h, h.ahead() {
		switch {
		case h == nil || q.deadline != Forever || q.ctx != nil && q.ctx.Done() != nil:
			return nil
		case h == t:
			e := &CycleError{}
			for q := t; ; m = q.wants() {
				h := next(m)
				e.Waits = append(e.Waits, CycleWait{Task: q.name, Mutex: m.o.name(), Holder: h.name})
				if q = h; q == t {
					return e
				}
			}
		}
	}
}

// rebase is SetPriority.
func (t *Task) rebase(prio int) {
	before := t.k.running()
	p := t.prio.Load()
	t.prio.Store(packPrio(uint64(prio), uint64(effPrio(p)), nestOf(p), nextVer(p)))
	raised := t.relend()
	if now := t.k.running(); now >= 0 && (now < before || now < raised) {
		t.k.port.Switch(nil, Preempt)
	}
}
