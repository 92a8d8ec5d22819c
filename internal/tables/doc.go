// Package tables measures the rows of the published jitter tables, and sets what it finds
// beside them. The benchmarks of the root package print it.
//
// "Interrupt" is the thread of a timer, which stands in for an interrupt handler: a
// real-time thread of the highest priority, on the first core, where it comes before
// whatever the program and others do there. A task is a real-time thread of the next
// priority that the timer wakes by a notification, on the last core, or where the row says
// so on the core of the timer. On systems without real-time threads, and in a simulation,
// both are tasks of one kernel.
package tables
