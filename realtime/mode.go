package realtime

import (
	"fmt"
	"strings"
)

// A Mode is what a port has reached of what it was asked for: to be printed beside every
// result, since figures of different modes do not compare.
type Mode struct {
	Policy Policy // Other if real time was refused
	// Lowest and Highest are the real-time priorities of the least and the most urgent
	// task, 0 with Other. Known once the port has its kernel.
	Lowest, Highest int
	Cores           []int // that tasks may run on
	Pinned          bool  // tasks are kept on Cores
	Spinning        []int // cores on which a waiting task may spin
	Bare            bool  // waits hold no processor of Go's scheduler: see build tags

	// During the run, and afterwards what was:
	Memory  bool // locked
	Latency bool // cores are kept from deep sleep
	KeptOff bool // other threads of the process are kept off Cores
	Urged   bool // other threads of the process run before those of other programs
	Slack   bool // limits of ordinary threads are exact to the nanosecond, not to 50 µs
	GCOff   bool // the garbage collector is off, up to Options.Headroom
	Procs   int  // GOMAXPROCS

	// Why lists what was asked for and refused, and what else makes the run less than it
	// seems, one sentence each.
	Why []string
}

// String is one line, and one more for each entry of Why.
func (m Mode) String() string {
	var b strings.Builder
	b.WriteString(m.Policy.String())
	if m.Policy != Other && m.Highest > 0 {
		fmt.Fprintf(&b, " %d-%d", m.Lowest, m.Highest)
	}
	for _, part := range []struct {
		on      bool
		yes, no string
	}{
		{m.Pinned, fmt.Sprintf("on %s", list(m.Cores)), "on any core"},
		{len(m.Spinning) > 0, fmt.Sprintf("spins on %s", list(m.Spinning)), "no spin"},
		{m.Memory, "memory locked", "memory not locked"},
		{m.Latency, "no deep sleep", "deep sleep"},
		{m.KeptOff, "other threads kept off", "other threads anywhere"},
		{m.Urged, "and urged", "not urged"},
		{m.GCOff, "GC off", "GC on"},
		{m.Bare, "bare waits", "plain waits"},
	} {
		b.WriteString(", ")
		if part.on {
			b.WriteString(part.yes)
		} else {
			b.WriteString(part.no)
		}
	}
	fmt.Fprintf(&b, ", GOMAXPROCS %d", m.Procs)
	for _, why := range m.Why {
		fmt.Fprintf(&b, "\ndegraded: %s", why)
	}
	return b.String()
}

// list names cores: "core 1", "cores 1 2".
func list(cores []int) string {
	s := fmt.Sprint(cores)
	s = s[1 : len(s)-1]
	if len(cores) == 1 {
		return "core " + s
	}
	return "cores " + s
}
