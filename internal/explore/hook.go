//go:build explore

package explore

import (
	"fmt"

	"github.com/tickwake/rtos/internal/atomic"
)

// attach makes w the tracer of all atomics.
func attach(w *World) {
	if w == nil {
		atomic.Trace = nil
		return
	}
	atomic.Trace = w
}

var kindNames = [...]string{"load", "store", "update"}

// Before implements [atomic.Tracer]: others may come first.
func (w *World) Before(v any, k atomic.Kind) {
	t := w.current
	if t == nil {
		return
	}
	if w.record != nil {
		fn, file, line := caller()
		w.record(Access{t.name, kindNames[k], w.nameOf(v), fn, file, line})
	}
	t.pause()
}

// After implements [atomic.Tracer]. Every access acquires what the variable has; a store
// leaves what the thread has, an update adds it.
func (w *World) After(v any, k atomic.Kind, wrote bool) {
	t := w.current
	if t == nil || w.clocks == nil {
		return
	}
	c := w.clocks[v]
	if c == nil {
		c = &clock{}
		w.clocks[v] = c
	}
	if k != atomic.Store {
		t.clock.join(*c)
	}
	if !wrote {
		return
	}
	t.tick()
	if k == atomic.Store {
		c.set(t.clock)
	} else {
		c.join(t.clock)
	}
}

func (w *World) nameOf(v any) string {
	if w.names == nil {
		w.names = map[any]string{}
	}
	n, known := w.names[v]
	if !known {
		n = fmt.Sprintf("v%d", len(w.names))
		w.names[v] = n
	}
	return n
}
