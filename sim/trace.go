package sim

import (
	"fmt"
	"io"

	"github.com/tickwake/rtos"
)

// tracer writes the timeline of a simulation, one line and one call of Write for each
// event: see the package documentation. Lines hold nothing but names, numbers of the
// simulation and what the program logs, so that equal runs have equal traces.
type tracer struct {
	w    io.Writer
	name string // of the simulation
	buf  []byte
	err  error // the first one of w
}

const (
	markSwitch    = '>'
	markInterrupt = '!'
	markLog       = '.'
	markReset     = '*'
)

const (
	nameIdle      = "idle"
	nameInterrupt = "isr"
	nameNobody    = "-"
)

func (r *tracer) on() bool { return r.w != nil && r.err == nil }

// line writes one line.
func (r *tracer) line(time uint64, mark byte, who, what string) {
	r.buf = r.buf[:0]
	if r.name != "" {
		r.buf = fmt.Appendf(r.buf, "%-8s ", r.name)
	}
	if what == "" {
		r.buf = fmt.Appendf(r.buf, "%8d %c %s\n", time, mark, who)
	} else {
		r.buf = fmt.Appendf(r.buf, "%8d %c %-10s %s\n", time, mark, who, what)
	}
	_, r.err = r.w.Write(r.buf)
}

// traceSwitch writes that the processor goes from one task to another.
func (s *Sim) traceSwitch(from, to *simTask) {
	what := ""
	if to.t != nil {
		if eff, base := to.t.Priority(), to.t.BasePriority(); eff != base {
			what = fmt.Sprintf("priority %d, base %d", eff, base)
		}
	}
	if from != nil && from.t != nil {
		if what != "" {
			what += " "
		}
		what += "(" + from.name() + " " + standing(from.t) + ")"
	}
	s.trace.line(s.time, markSwitch, to.name(), what)
}

// standing tells in words how it stands with a task that does not run.
func standing(t *rtos.Task) string {
	switch t.State() {
	case rtos.StateBlocked:
		i := t.Info()
		if i.WaitsOn == nil {
			return "waits for " + i.WaitsFor
		}
		return fmt.Sprintf("waits for %s, held by %s", i.WaitsFor, i.WaitsOn.Name())
	case rtos.StateSuspended:
		return "suspended"
	case rtos.StateDeleted:
		return "ended"
	}
	return "ready"
}

func (st *simTask) name() string {
	if st.t == nil {
		return nameIdle
	}
	return st.t.Name()
}

// Logf writes a line to [Options].Trace, if that is set, with the virtual time and who
// calls: a task, or an interrupt by its name.
func (s *Sim) Logf(format string, args ...any) {
	if !s.trace.on() {
		return
	}
	who := nameNobody
	switch {
	case s.active != nil:
		who = s.active.name()
	case s.irq != nil:
		who = s.irq.name
	}
	s.trace.line(s.time, markLog, who, fmt.Sprintf(format, args...))
}
