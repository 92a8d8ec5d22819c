package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A LivelockError says that virtual time stands still although tasks run: they hand the
// processor to each other, or one keeps yielding, and nobody waits or works.
type LivelockError struct {
	Time    uint64   // virtual time
	Choices int      // of the scheduler at that time
	Tasks   []string // those that took turns at the end, some of them if they are many
}

func (e *LivelockError) Error() string {
	names := make([]string, len(e.Tasks))
	for i, t := range e.Tasks {
		names[i] = fmt.Sprintf("%q", t)
	}
	return fmt.Sprintf("sim: livelock: the scheduler chose %d times and virtual time stayed at tick %d; in turn ran %s",
		e.Choices, e.Time, strings.Join(names, ", "))
}

// livelock counts the choices of the scheduler at one instant.
type livelock struct {
	limit int // negative: none
	from  int // choices from which on tasks are noted
	n     int
	tasks []string
}

// Of the last choices before the limit the tasks are noted, up to a number of names.
const (
	notedChoices = 1000
	notedTasks   = 16
)

func newLivelock(limit int) livelock {
	if limit < 0 {
		return livelock{limit: limit, from: math.MaxInt}
	}
	return livelock{limit: limit, from: max(limit-notedChoices, limit/2)}
}

func (l *livelock) moved() { l.n = 0 }

// count notes that st was chosen, and reports whether that was once too often.
func (l *livelock) count(st *simTask) bool {
	l.n++
	return l.n > l.from && l.note(st.name())
}

func (l *livelock) note(name string) bool {
	if l.n == l.from+1 {
		l.tasks = nil
	}
	if len(l.tasks) < notedTasks && !slices.Contains(l.tasks, name) {
		l.tasks = append(l.tasks, name)
	}
	return l.n > l.limit
}

// livelocked ends the drive.
func (s *Sim) livelocked() {
	s.cause = &LivelockError{Time: s.time, Choices: s.livelock.n, Tasks: s.livelock.tasks}
	s.halt = stopped
}
