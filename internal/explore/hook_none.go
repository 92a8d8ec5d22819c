//go:build !explore

package explore

// attach does nothing: the atomics of this build do not tell of their accesses. Threads
// call [World.Step] themselves.
func attach(*World) {}
