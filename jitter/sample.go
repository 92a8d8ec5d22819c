package jitter

import "time"

// A Sample is one of the worst activations of a run.
type Sample struct {
	// Index is its number, from 1; those of the warm-up and those that were skipped
	// count.
	Index uint64 `json:"index"`
	// Planned is when it was planned, from the beginning of its run.
	Planned time.Duration `json:"planned_ns"`
	// By is how late it began.
	By time.Duration `json:"late_ns"`
	// At is Planned by the clock on the wall; the zero time in virtual time.
	At time.Time `json:"at,omitzero"`
	// Pause is for how long the collector had stopped the program in the pauses that
	// fall between the planned time and the beginning.
	Pause time.Duration `json:"pause_ns,omitempty"`
	// Faults is the number of page faults of the process in the stretch between two
	// take-overs in which the activation falls.
	Faults uint64 `json:"faults,omitempty"`
}
