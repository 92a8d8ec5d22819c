package rtos

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tickwake/rtos/internal/thread"
)

// NotifyInfo is a snapshot of a notification slot.
type NotifyInfo struct {
	Value uint32
	State NotifyState
}

// TaskInfo is a snapshot of a task. Mirrors vTaskGetInfo.
type TaskInfo struct {
	Name         string
	ID           uint64
	State        State
	Priority     int // effective
	BasePriority int
	// Held is the number of mutexes held. Where tasks run in parallel only those
	// are counted that somebody waits for.
	Held     int
	Notify   []NotifyInfo
	WaitsFor string // the object waited for, "" if none
	WaitsOn  *Task  // its holder, if it is a mutex that is held
	RunTime  time.Duration
	Adopted  bool
}

// Info is a snapshot; exact only in a simulation.
func (t *Task) Info() TaskInfo {
	i := TaskInfo{
		Name:         t.name,
		ID:           t.id,
		State:        t.State(),
		Priority:     t.Priority(),
		BasePriority: t.BasePriority(),
		RunTime:      t.RunTime(),
		Adopted:      t.adopted,
	}
	for n := range t.numSlots() {
		s := t.slotAt(n).Load()
		ni := NotifyInfo{Value: slotValue(s), State: NotifyState(s & slotState)}
		if ni.State == slotClosed {
			ni.State = NotifyNone
		}
		i.Notify = append(i.Notify, ni)
	}
	if i.State == StateBlocked {
		i.WaitsFor, i.WaitsOn = t.waitsFor()
	}
	if t.k.sched {
		i.Held = t.heldCount()
	} else {
		i.Held = len(t.contended())
	}
	return i
}

// waitsFor describes what a blocked task waits for.
func (t *Task) waitsFor() (what string, holder *Task) {
	o := t.w.obj.Load()
	if o == nil {
		for i := range t.numSlots() {
			if t.slotAt(i).Load()&slotState == slotWaiting {
				return fmt.Sprintf("notification in slot %d", i), nil
			}
		}
		return "time", nil
	}
	b := o.body.Load()
	if b == nil {
		return "", nil
	}
	if m, ok := b.self.(*Mutex); ok {
		holder = m.Holder()
	}
	if b.name == "" {
		return "a " + b.kind, holder
	}
	return fmt.Sprintf("%s %q", b.kind, b.name), holder
}

// A Wait says what a blocked task waits for.
type Wait struct {
	Task *Task
	For  string // kind and name, as in TaskInfo.WaitsFor
	// Held: a task has what is waited for, and must give it back itself.
	Held       bool
	Holder     *Task  // that task, nil if it has ended
	HolderName string // its name
}

// Waits lists who waits for what, and who holds that, in the order in which the tasks
// were made; exact only in a simulation. From anywhere; takes a short lock.
func (k *Kernel) Waits() []Wait {
	var list []Wait
	for _, t := range k.snapshot() {
		if t.State() != StateBlocked {
			continue
		}
		w := Wait{Task: t}
		w.For, w.Holder = t.waitsFor()
		if o := t.w.obj.Load(); o != nil {
			if b := o.body.Load(); b != nil {
				w.Held, w.HolderName = k.holds(b.self)
			}
		}
		if w.Holder != nil {
			w.HolderName = w.Holder.name
		}
		list = append(list, w)
	}
	return list
}

// holds tells whether an object is held, and by which task if that has ended.
func (k *Kernel) holds(object any) (held bool, orphaned string) {
	m, ok := object.(*Mutex)
	if !ok || m.o.word.Load()&ownerMask < firstID {
		return false, ""
	}
	for n := k.orphans.Load(); n != nil; n = n.next {
		if n.m == m {
			return true, n.Owner
		}
	}
	return true, ""
}

// contended lists the mutexes of t that somebody waits for.
func (t *Task) contended() (list []*Mutex) {
	seen := map[*Mutex]bool{}
	for i := range t.k.waiters {
		w := &t.k.waiters[i]
		o := w.obj.Load()
		if stateOf(w.word.Load()) != stWaiting || o == nil {
			continue
		}
		b := o.body.Load()
		if b == nil {
			continue
		}
		if m, ok := b.self.(*Mutex); ok && m.o.word.Load()&ownerMask == t.id && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	return list
}

func (k *Kernel) countBlocked() (n int) {
	for _, t := range k.snapshot() {
		if t.State() == StateBlocked {
			n++
		}
	}
	return n
}

// WriteTo writes a report: every task with what it waits for and who holds that, and
// orphaned mutexes. From anywhere, at any time. Mirrors vTaskListTasks.
func (k *Kernel) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %-9s %4s %4s  %s\n", "task", "state", "prio", "base", "waits for")
	for _, t := range k.snapshot() {
		i := t.Info()
		fmt.Fprintf(&b, "%-16s %-9s %4d %4d  %s", i.Name, i.State, i.Priority, i.BasePriority, i.WaitsFor)
		if i.WaitsOn != nil {
			fmt.Fprintf(&b, ", held by %q", i.WaitsOn.name)
		}
		if k.cfg.RunTime {
			fmt.Fprintf(&b, "  ran %v", i.RunTime)
		}
		b.WriteByte('\n')
	}
	for _, o := range k.Orphans() {
		fmt.Fprintln(&b, o)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// String is the report that [Kernel.WriteTo] writes.
func (k *Kernel) String() string {
	var b strings.Builder
	_, _ = k.WriteTo(&b)
	return b.String()
}

// RunTime is the processor time that the task has used, if [Config].RunTime is set: the
// thread's where the task owns one, exact in a simulation, the wall time outside waits
// elsewhere. Mirrors
// ulTaskGetRunTimeCounter.
func (t *Task) RunTime() time.Duration {
	if !t.k.cfg.RunTime {
		return 0
	}
	if f := t.k.traits.RunTime; f != nil && !t.ended.Load() {
		return f(t)
	}
	if id := t.thread.Load(); id != 0 && !t.ended.Load() {
		if d, ok := thread.CPUTime(int(id)); ok {
			return d
		}
	}
	used := time.Duration(t.used.Load())
	if begun := t.begun.Load(); begun != 0 {
		used += t.k.port.Now() - time.Duration(begun-1)
	}
	return used
}

// pauseClock ends a stretch of running. Only the task writes its clock; a reader in
// between may count the present stretch twice or not at all.
func (t *Task) pauseClock() {
	if f := t.k.traits.RunTime; f != nil {
		if t.unwinding {
			t.used.Store(uint64(f(t)))
		}
		return
	}
	if begun := t.begun.Load(); begun != 0 {
		if id := t.thread.Load(); id != 0 && t.unwinding {
			if d, ok := thread.CPUTime(int(id)); ok {
				t.used.Store(uint64(d))
			}
		} else {
			t.used.Add(uint64(t.k.port.Now()) - (begun - 1))
		}
		t.begun.Store(0)
	}
}

func (t *Task) resumeClock() {
	if t.k.cfg.RunTime && t.k.traits.RunTime == nil {
		t.begun.Store(uint64(t.k.port.Now()) + 1)
	}
}
