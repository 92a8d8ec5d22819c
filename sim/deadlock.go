package sim

import (
	"fmt"
	"strings"

	"github.com/tickwake/rtos"
)

// A DeadlockError says that nothing can happen any more, and that tasks wait for what
// others must give back who will not: because they wait in turn, are suspended or have
// ended.
type DeadlockError struct {
	Time  uint64 // virtual time
	Waits []DeadlockWait
	// Cycle is the tasks that wait for each other: each for what the next one holds, the
	// last for what the first holds. It is empty if there is no such cycle.
	Cycle []string
}

// A DeadlockWait is one of the waits of a [DeadlockError].
type DeadlockWait struct {
	Task   string // who waits
	Object string // for what: kind and name
	Holder string // who holds it
	Why    string // why that one does not give it: such as "suspended"
}

// Unwrap is [rtos.ErrDeadlock].
func (e *DeadlockError) Unwrap() error { return rtos.ErrDeadlock }

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sim: deadlock at tick %d:", e.Time)
	for i, w := range e.Waits {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " %q waits for %s, held by %q, which %s", w.Task, w.Object, w.Holder, w.Why)
	}
	if len(e.Cycle) > 0 {
		fmt.Fprintf(&b, "; they wait for each other: %s", strings.Join(append(e.Cycle, e.Cycle[0]), " → "))
	}
	return b.String()
}

// deadlock looks for waits that nothing will end, when nothing can happen any more. If
// somebody outside may still do something, only those count that nobody outside can end
// by giving, notifying or resuming: a cycle, and what a task that has ended holds.
func (s *Sim) deadlock(final bool) error {
	waits := map[*rtos.Task]rtos.Wait{}
	var order []*rtos.Task
	for _, w := range s.k.Waits() {
		waits[w.Task] = w
		if w.Held {
			order = append(order, w.Task)
		}
	}
	e := &DeadlockError{Time: s.time}
	for _, t := range order {
		w := waits[t]
		if !final && !hopeless(waits, t) {
			continue
		}
		d := DeadlockWait{Task: t.Name(), Object: w.For, Holder: w.HolderName, Why: "has ended"}
		if w.Holder != nil {
			d.Why = describe(w.Holder)
		}
		e.Waits = append(e.Waits, d)
		if e.Cycle == nil {
			e.Cycle = cycle(waits, t)
		}
	}
	if e.Waits == nil {
		return nil
	}
	return e
}

func describe(t *rtos.Task) string {
	switch standing, i := t.State(), t.Info(); standing {
	case rtos.StateBlocked:
		return "waits for " + i.WaitsFor
	case rtos.StateSuspended:
		return "is suspended"
	default:
		return "is " + standing.String()
	}
}

// hopeless follows the holders from t on, to one that has ended or has been met before.
func hopeless(waits map[*rtos.Task]rtos.Wait, t *rtos.Task) bool {
	for seen := map[*rtos.Task]bool{}; !seen[t]; {
		seen[t] = true
		w, waiting := waits[t]
		switch {
		case !waiting || !w.Held:
			return false
		case w.Holder == nil:
			return true
		}
		t = w.Holder
	}
	return true
}

// cycle lists the cycle of holders that t is in, nil if it is in none.
func cycle(waits map[*rtos.Task]rtos.Wait, t *rtos.Task) (names []string) {
	for at := t; ; {
		names = append(names, at.Name())
		w := waits[at]
		if at = w.Holder; at == t {
			return names
		}
		if at == nil || len(names) > len(waits) {
			return nil
		}
	}
}
