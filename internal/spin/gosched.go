//go:build !explore

package spin

import "runtime"

// Gosched lets all other goroutines run first; see [Yield].
func Gosched() { runtime.Gosched() }

// Polls is the number of tries of a contended mutex.
func Polls(locked bool) int {
	if locked {
		return LockedMutexPolls
	}
	return MutexPolls
}
