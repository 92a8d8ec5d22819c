package rtos

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Mutex is owned by the task that took it and lends it the priority of those who
// wait: FreeRTOS's xSemaphoreCreateMutex. The zero value is free and ready to use;
// it must not be copied. It belongs to the kernel of the first task that has to
// wait on it.
//
// A free mutex goes to whoever comes first, even if a woken waiter is on its way;
// that is what makes it fast, and FreeRTOS does the same. Where tasks run in
// parallel overtaking is bounded: a waiter that was overtaken three times, or for a
// millisecond, or once by a less urgent task, is handed the mutex at the next give.
//
// The n-th Unlock synchronizes before the m-th Lock returns, for any n < m. A
// TryLock or a limited Lock that fails synchronizes nothing.
//
// The word of a mutex is the number of its owner (47 bits), a mark that a waiter may be
// overdue (1 bit), and the number of tasks in its waiter set (16 bits).
type Mutex struct {
	o object
}

const (
	opLock    = "Mutex.Lock"
	opUnlock  = "Mutex.Unlock"
	kindMutex = "mutex"

	// ownerDied stands in place of the owner when a robust mutex was left by a
	// task that ended. Larger than any ask, smaller than any task number.
	ownerDied = 1 << 15

	// overdueBit makes a give look for a waiter to hand the mutex to before it frees
	// it. An overdue waiter sets it whenever it begins to wait and clears it when it
	// has the mutex or gives up; should that hide another overdue one, that one sets it
	// again after its next wake.
	overdueBit = 1 << 47
)

// NewMutex makes a mutex with a name for reports. Mirrors xSemaphoreCreateMutex.
func NewMutex(name string) *Mutex {
	m := &Mutex{}
	m.o.body.Store(newBody(kindMutex, name, m))
	return m
}

// Lock takes the mutex and waits for as long as it takes. The error is nil, or
// [ErrOwnerDied] (the mutex is taken), [ErrAborted], [ErrDeleted], or under
// [InheritChained] [ErrDeadlock]. Taking a mutex that the task holds already is misuse,
// and so is waiting where that is forbidden.
//
// Uncontended it is wait-free, and lock-free if the task holds another one; it blocks
// while another task holds the mutex. Mirrors xSemaphoreTake with portMAX_DELAY.
func (m *Mutex) Lock(t *Task) error {
	if t != nil && t.holds == nil && m.o.word.CompareAndSwap(t.gate.Load(), t.id) {
		t.holds = m
		return nil
	}
	return m.lockSlow(t)
}

// lockSlow first does once more what Lock does, on a mutex that has waiters.
func (m *Mutex) lockSlow(t *Task) error {
	if t != nil && t.holds == nil && t.gate.Load() == 0 && !t.k.chained {
		if w := m.o.word.Load(); w&ownerMask == 0 && m.o.word.CompareAndSwap(w, w|t.id) {
			t.holds = m
			return nil
		}
	}
	return m.lock(opLock, t, Forever, nil)
}

// LockFor is [Mutex.Lock] with a limit; 0 polls and fails with [ErrWouldBlock], also on
// a mutex that the task itself holds. After d it fails with [ErrTimeout]; the holder
// then falls back to what its other waiters lend. Lock-free while it is free, and if it
// polls; else it blocks for d at most. Mirrors xSemaphoreTake.
func (m *Mutex) LockFor(t *Task, d time.Duration) error {
	if t != nil && t.holds == nil && d >= 0 && m.o.word.CompareAndSwap(t.gate.Load(), t.id) {
		t.holds = m
		return nil
	}
	return m.lock(opLock, t, d, nil)
}

// LockCtx is [Mutex.Lock] until ctx is done: then it fails with the context's cause. A
// context that is done already fails even if the mutex is free. Blocking.
func (m *Mutex) LockCtx(ctx context.Context, t *Task) error {
	return m.lock(opLock, t, Forever, ctx)
}

// TryLock takes the mutex if it is free; it lends nothing to the holder. It does not
// tell whether the last owner of a robust mutex died: LockFor with a limit of 0 does.
// Lock-free. Mirrors xSemaphoreTake with a limit of 0.
func (m *Mutex) TryLock(t *Task) bool {
	if t != nil && t.holds == nil && m.o.word.CompareAndSwap(t.gate.Load(), t.id) {
		t.holds = m
		return true
	}
	return took(m.lock(opLock, t, 0, nil))
}

// took tells whether an outcome means that the mutex is taken.
func took(err error) bool { return err == nil || err == ErrOwnerDied }

// Unlock gives the mutex back and wakes the first waiter, who then has to take it.
// What the task had inherited ends with the last mutex it gives. [ErrNotOwner]:
// nobody held it. Giving a mutex that another task holds is misuse, and so is
// giving one in an interrupt.
//
// Lock-free; wait-free if nobody waits. Mirrors xSemaphoreGive.
func (m *Mutex) Unlock(t *Task) error {
	if debugGate != 0 || t == nil || t.holds != m || t.inInterrupt() || !m.o.word.CompareAndSwap(t.id, 0) {
		return m.unlockSlow(t)
	}
	t.holds = nil
	if t.prio.Load()&boostedBit != 0 { // left by a waiter that was suspended or deleted
		return m.given(t, 0, 0)
	}
	return nil
}

// unlockSlow first looks for the usual case, waiters of which none is overdue.
func (m *Mutex) unlockSlow(t *Task) error {
	if debugGate == 0 && t != nil && t.holds == m && !t.k.sched && m.o.word.Load()&(ownerMask|overdueBit) == t.id {
		t.holds = nil
		return m.given(t, m.o.word.Add(-t.id), 0)
	}
	return m.unlock(t, opUnlock)
}

// Holder is the task that holds the mutex, nil if it is free or its owner has ended.
// A snapshot: only "is it me" is reliable. Wait-free, in the number of kernels. Mirrors
// xSemaphoreGetMutexHolder.
func (m *Mutex) Holder() *Task {
	id := m.o.word.Load() & ownerMask
	if id < firstID {
		return nil
	}
	if b := m.o.body.Load(); b != nil && b.k != nil {
		if t := b.k.byID(id); t != nil {
			return t
		}
	}
	return lookup(id)
}

// MutexInfo is a snapshot of a mutex.
type MutexInfo struct {
	Name    string
	Locked  bool
	Owner   *Task // nil if free, or if the owner has ended
	Depth   int   // how often the owner has taken it
	Waiters []*Task
}

// Info is a snapshot; exact only in a simulation. Lock-free.
func (m *Mutex) Info() MutexInfo {
	i := MutexInfo{Name: m.o.name(), Owner: m.Holder(), Waiters: m.o.waiters()}
	if i.Locked = m.o.word.Load()&ownerMask >= firstID; i.Locked {
		i.Depth = 1
	}
	return i
}

// Locker binds the mutex to a task, for code that wants a sync.Locker. Its methods must
// be called by that task; they panic with the error that Lock or Unlock returns, but
// for [ErrOwnerDied]. Wait-free; its methods are as Lock and Unlock.
func (m *Mutex) Locker(t *Task) sync.Locker { return &locker{m, t} }

// try takes the mutex if it is free. Lock-free.
func (m *Mutex) try(t *Task) (ok bool, err error) {
	for {
		w := m.o.word.Load()
		switch w & ownerMask {
		case 0:
		case ownerDied:
			err = ErrOwnerDied
		default:
			return false, nil
		}
		if m.o.word.CompareAndSwap(w, w&^ownerMask|t.id) {
			if err != nil {
				t.k.claimed(m)
			}
			return true, err
		}
		err = nil
	}
}

var _ giver = (*Mutex)(nil)

func (m *Mutex) isFree() bool { return m.o.word.Load()&ownerMask < firstID }

func (m *Mutex) hasSome() bool { return m.isFree() }

func (m *Mutex) lock(op string, t *Task, d time.Duration, ctx context.Context) error {
	if err := t.enter(op, m.o.name(), d, ctx); err != nil {
		return err
	}
	id := m.o.word.Load() & ownerMask
	if id == t.id {
		switch {
		case d == 0:
			return ErrWouldBlock
		case t.k.cfg.Compat&CompatSelfTake == 0:
			misuse(op, t, m.o.name(), "the task holds it already")
		}
	}
	single := t.holds != nil && t.holds != &several && !t.k.chained
	if single {
		t.setNest(nestMany) // before the swap that takes a second one
	}
	if ok, err := m.try(t); ok {
		t.holding(m)
		return err
	}
	if single {
		t.unnest(nestNone)
	}
	switch {
	case d == 0:
		return ErrWouldBlock
	case t.unwinding:
		return ErrDeleted
	}
	t.mayBlock(op, m.o.name())
	if id >= firstID && t.k.byID(id) == nil {
		if h := lookup(id); h != nil && h.k != t.k {
			misuse(op, t, m.o.name(), fmt.Sprintf("held by task %q of another kernel", h.name))
		}
	}
	b := m.o.bind(t, op, kindMutex, m)
	t.deadline, t.ctx = t.k.until(d), ctx
	return m.wait(t, b, single)
}

// wait takes the mutex or tells why not. The set is left when it ends, after the
// priority of the holder was settled: a bit that is set makes every give look.
func (m *Mutex) wait(t *Task, b *objectBody, single bool) (err error) {
	k := t.k
	joined, lent, taken := false, false, false
	var fair overtaking
	defer func() { // also when t is unwound
		if joined {
			if fair.overdue {
				t.w.overdue.Store(0)
				m.o.word.And(^uint64(overdueBit))
			}
			m.o.leave(b, t.slot)
		}
		if taken {
			t.holding(m)
		} else if single {
			t.unnest(nestNone)
		}
		t.exitWait()
	}()
	for s := stIdle; ; {
		if single {
			t.setNest(nestMany)
		}
		if taken, err = m.try(t); taken {
			return err
		}
		if s == stWoken && !k.sched {
			fair.again(m, t)
		}
		if err = t.over(s); err != nil {
			if k.sched {
				k.port.Switch(t, Section)
			}
			var died error
			if taken, died = m.try(t); taken {
				return died
			}
			if joined && (lent || !k.sched) {
				if single {
					t.setNest(nestWait)
				}
				m.settle(t, b)
			}
			return err
		}
		if t.unwinding {
			if s == stWoken {
				m.settle(t, b)
			}
			return ErrDeleted
		}
		if !k.sched {
			if taken, err = m.spin(t); taken {
				return err
			}
		}
		if single {
			t.unnest(nestWait) // before the wait is published
		}
		if k.chained {
			if err = m.deadlock(t); err != nil {
				return err
			}
		}
		t.abortMark = false
		if fair.overdue {
			t.w.overdue.Store(1)
			m.o.word.Or(overdueBit)
		}
		word := t.publish(&m.o, t.newRank(&m.o, b))
		if !joined {
			m.o.join(b, t.slot)
			joined = true
		}
		if m.isFree() {
			if single {
				// Only a look: to take it the task must be marked first.
				if t.w.word.CompareAndSwap(word, withState(word, stIdle)) {
					s = stIdle
					continue
				}
			} else if taken, err = m.try(t); taken {
				t.unpublish(word)
				return err
			}
		}
		lent = m.boost(t)
		if t.gate.Load()&(askSuspend|askEnd) != 0 && t.decide(word, stIdle) {
			s = stAsked
		} else {
			s = t.sleep(word)
			t.unpublish(word)
		}
		switch s {
		case stGranted:
			taken = true
			m.settle(t, b) // those who came meanwhile may have lent to the giver
			return nil
		case stAborted:
			t.abortMark = true
		}
		if g := t.gate.Load() & (askSuspend | askEnd); g != 0 {
			if t.adopted && g&askEnd != 0 {
				t.unwinding = true // looks once more, then fails
				continue
			}
			if s == stWoken && k.cfg.Compat&CompatLostWake == 0 {
				m.pass()
				if !k.sched {
					m.settle(t, b) // to whoever was faster those behind t have lent nothing yet
				}
			}
			if err = t.heed(); err != nil {
				return err
			}
		}
	}
}

// pass gives a wake that its task does not use to the next waiter.
func (m *Mutex) pass() {
	if m.isFree() {
		m.o.wake(FromTask)
	}
}

func (m *Mutex) unlock(t *Task, op string) error {
	if t == nil {
		misuse(op, nil, m.o.name(), "nil task")
	}
	t.checkCaller(op)
	if t.inInterrupt() {
		misuse(op, t, m.o.name(), "called in an interrupt")
	}
	switch id := m.o.word.Load() & ownerMask; {
	case id == t.id && !t.ended.Load():
	case id < firstID || id == t.id || op == opRecursiveUnlock:
		return ErrNotOwner
	default:
		by := "a task that has ended"
		if h := m.Holder(); h != nil {
			by = fmt.Sprintf("task %q", h.name)
		}
		misuse(op, t, m.o.name(), "held by "+by)
	}
	left := t.dropped(m)
	if !t.k.sched && m.handOver(t, left) {
		return nil
	}
	return m.given(t, m.o.word.Add(-t.id), left)
}

// given ends a give that left word behind: first the waiters (they are counted in
// word), then the own priority, then the wake. Where the end of a loan coincides with
// a wake, FreeRTOS switches only to a more urgent waiter, even if others are ready.
func (m *Mutex) given(t *Task, word uint64, left int) error {
	waited := waitersIn(word) > 0
	why, fell := Woke, false
	switch {
	case t.k.chained:
		if waited && t.subside() {
			why = Preempt
		}
	case left == 0:
		if (waited || t.prio.Load()&boostedBit != 0) && t.disinherit() {
			why, fell = Preempt, true
		}
	case left == 1:
		t.setNest(nestNone)
	}
	var heir *Task
	if waited {
		if heir, _ = m.o.wake(FromTask); heir != nil {
			why = Woke
		}
	}
	if fell {
		t.lowered()
	}
	if t.k.sched {
		t.k.port.Switch(t, why)
	} else {
		t.yieldTo(heir)
	}
	return nil
}
