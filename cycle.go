package rtos

import (
	"fmt"
	"strings"
)

// A CycleError is what [Mutex.Lock] fails with under [InheritChained] where the wait
// would close a ring: the caller waits for a mutex whose holder waits for a mutex ... that
// the caller holds, and no wait of the ring has a limit or a context that could end it.
// Nothing has been changed; the caller may give what it holds, so that the others go on,
// and try again.
type CycleError struct {
	// Waits is the ring: the holder that one wait names is the task of the next one.
	// The first wait is the caller's, the last is for a mutex that the caller holds.
	Waits []CycleWait
}

// A CycleWait is one wait of a [CycleError], by names.
type CycleWait struct {
	Task   string // who waits
	Mutex  string // for what, "" if it has no name
	Holder string // who holds that
}

func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("rtos: deadlock: ")
	for i, w := range e.Waits {
		if i == 0 {
			fmt.Fprintf(&b, "task %q", w.Task)
		} else {
			b.WriteString(", which")
		}
		b.WriteString(" waits for ")
		if w.Mutex == "" {
			b.WriteString("a mutex")
		} else {
			fmt.Fprintf(&b, "mutex %q", w.Mutex)
		}
		fmt.Fprintf(&b, " of %q", w.Holder)
	}
	return b.String()
}

// Unwrap returns [ErrDeadlock].
func (e *CycleError) Unwrap() error { return ErrDeadlock }
