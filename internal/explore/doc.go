// Package explore runs a small program of threads under many schedules. A thread gives
// control to the [World] before every step that others can notice; the world decides who
// takes the next one. So a run is a list of decisions, and can be repeated from a string.
//
// [Explore] looks for a schedule that fails, in one of three ways: [Exhaust] tries every
// schedule with at most so many preemptions, depth first; [Random] decides by dice; [PCT]
// gives the threads random priorities and changes them a few times, which finds a bug of
// depth d with a known probability. [Freeze] stops one thread for ever at each of its
// steps in turn and lets the others go on: who is lock-free does not need it.
//
// Time is virtual. It passes only when a timer is chosen, and a timer may be chosen at any
// moment after it was set, or as late as one likes: limits race with everything. When
// nobody else can go on, the earliest timer is.
//
// Threads are coroutines of the goroutine that calls Explore, so there is no parallelism
// and no race; [Cell] watches over plain variables instead: two accesses that no chain of
// synchronization orders are an error.
package explore
