//go:build gc && !tinygo && !wasm && !rtos_purego && !explore

package spin

import _ "unsafe" // for go:linkname

// Native tells whether the runtime's own functions are in use.
const Native = true

// Can reports whether a goroutine may usefully spin now: more than one processor,
// another one busy, and nobody waiting in the run queue of this one.
func Can() bool { return canSpin(0) }

// Yield lets the other goroutines of this processor run first.
func Yield() { goyield() }

// Refresh makes Can and Budget see a changed GOMAXPROCS. Yield includes it; who
// parks without a yield calls it before. Here there is nothing to refresh.
func Refresh() {}

// Budget is the number of pauses before parking in a hand-over.
func Budget(locked bool) int {
	if locked {
		return Locked
	}
	return Free
}

// The argument counts earlier spins; from 4 on the answer is no. Callers here have
// budgets of their own.
//
//go:linkname canSpin sync.runtime_canSpin
func canSpin(i int) bool

//go:linkname goyield runtime.goyield
func goyield()
