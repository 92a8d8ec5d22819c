// Package loans judges priority inheritance from outside, by what the public
// snapshots of tasks and mutexes tell. It is for tests.
package loans

import (
	"fmt"
	"slices"

	"github.com/tickwake/rtos"
)

// Waits tells who waits for whom at one moment.
type Waits struct {
	tasks []*rtos.Task
	ahead map[*rtos.Task]*rtos.Task // of a waiter: the holder
	wants map[*rtos.Task]rtos.MutexInfo
}

// Look takes the snapshot of a kernel with these mutexes.
func Look(k *rtos.Kernel, mutexes []rtos.MutexInfo) Waits {
	w := Waits{slices.Collect(k.Tasks()), map[*rtos.Task]*rtos.Task{}, map[*rtos.Task]rtos.MutexInfo{}}
	for _, m := range mutexes {
		for _, t := range m.Waiters {
			w.wants[t] = m
			if m.Owner != nil {
				w.ahead[t] = m.Owner
			}
		}
	}
	return w
}

// Due is the priority that the chained policy gives t: the highest base of the task
// itself and of all that wait for it, directly or through others.
func (w Waits) Due(t *rtos.Task) int {
	prio := t.BasePriority()
	for from := range w.ahead {
		h := from
		for range len(w.ahead) { // a chain that is longer runs into a ring
			if h = w.ahead[h]; h == nil {
				break
			}
			if h == t {
				prio = max(prio, from.BasePriority())
				break
			}
		}
	}
	return prio
}

// Chained returns an error that names the tasks whose effective priority is not the one
// that the chained policy gives them, nil if there are none.
func (w Waits) Chained() error {
	wrong := ""
	for _, t := range w.tasks {
		if due := w.Due(t); t.Priority() != due {
			wrong += fmt.Sprintf(" %s is e%d/b%d, want e%d;", t, t.Priority(), t.BasePriority(), due)
		}
	}
	if wrong != "" {
		return fmt.Errorf("chained policy:%s %v", wrong, w)
	}
	return nil
}

// Ring is the ring that t would close or has closed by waiting for m, nil if there is
// none: t, the holder of m, whom that waits for, and so on.
func (w Waits) Ring(t *rtos.Task, m rtos.MutexInfo) []*rtos.Task {
	ring := []*rtos.Task{t}
	for h := m.Owner; h != nil && len(ring) <= len(w.ahead)+1; h = w.ahead[h] {
		if h == t {
			return ring
		}
		ring = append(ring, h)
	}
	return nil
}

// String lists who waits for what.
func (w Waits) String() string {
	text := ""
	for _, t := range w.tasks {
		if m, ok := w.wants[t]; ok {
			owner := "nobody"
			if m.Owner != nil {
				owner = m.Owner.Name()
			}
			text += fmt.Sprintf("(%s waits for %s of %s)", t, m.Name, owner)
		}
	}
	return text
}
