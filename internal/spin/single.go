//go:build wasm && !explore

package spin

import "runtime"

// Native tells whether the runtime's own functions are in use.
const Native = false

// Can reports whether a goroutine may usefully spin now: never on one thread.
func Can() bool { return false }

// Yield lets the other goroutines run first.
func Yield() { runtime.Gosched() }

// Refresh makes Can and Budget see a changed GOMAXPROCS, which is always 1 here.
func Refresh() {}

// Budget is the number of pauses before parking in a hand-over.
func Budget(locked bool) int { return 0 }
