// Package conformance reads recorded scenarios of the reference kernel, runs
// them on package rtos with the simulation port, and compares the traces.
//
// A scenario is a small program of tasks, objects and interrupts in one JSON
// file, with the trace the reference produced for it. [Read] turns a file into
// a [Scenario] and never trusts it: whatever is malformed is reported with file,
// line, column and place. [Run] executes a scenario through the public API of the
// kernel alone and returns its trace; it cannot see the stored one. [Compare]
// demands equality of the two lists. [Check] does all three.
//
// Every kind of object has a file of its own (object_mutex.go, ...) that says how it is
// created, what its operations do and what the end of a trace tells about it. A kind
// that is missing in objectKinds is reported as unsupported and its scenarios are skipped.
//
// The tests run every scenario in every form that calls have, with every flag of
// [rtos.Compat] changed (compat.txt lists what differs then), shuffled, and as programs for
// goroutines, where a ledger takes the place of the trace.
package conformance
