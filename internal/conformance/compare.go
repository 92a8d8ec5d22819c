package conformance

import (
	"fmt"
	"strings"
)

// A Difference is the first place at which two traces are not equal.
type Difference struct {
	Index     int      // of the event
	Want, Got string   // the events; "nothing" after the end of a trace
	Before    []string // the events before it, ten at most
}

const (
	nothing = "nothing"
	before  = 10
)

// Compare returns the first difference, or nil if the traces are equal event
// by event.
func Compare(want, got []Event) *Difference {
	for i := range max(len(want), len(got)) {
		w, g := nth(want, i), nth(got, i)
		if w == g {
			continue
		}
		d := &Difference{Index: i, Want: w, Got: g}
		for _, e := range want[max(0, i-before):i] {
			d.Before = append(d.Before, e.String())
		}
		return d
	}
	return nil
}

func nth(trace []Event, i int) string {
	if i >= len(trace) {
		return nothing
	}
	return trace[i].String()
}

// String returns the difference as a block of lines.
func (d *Difference) String() string {
	var b strings.Builder
	for i, e := range d.Before {
		fmt.Fprintf(&b, "  %5d           %s\n", d.Index-len(d.Before)+i, e)
	}
	fmt.Fprintf(&b, "  %5d expected  %s\n", d.Index, d.Want)
	fmt.Fprintf(&b, "  %5d got       %s\n", d.Index, d.Got)
	return b.String()
}
