//go:build !explore && !wasm && (!gc || tinygo || rtos_purego)

package spin

import (
	"runtime"
	"sync/atomic"
)

// Native tells whether the runtime's own functions are in use.
const Native = false

// parallel is whether GOMAXPROCS was above 1 at the last Refresh.
//
// Asking takes the scheduler's lock: 6 to 20 ns alone, and a line that all spinning
// processors would fight for if they asked in every loop. So only a failed wait
// asks, on its way to park, where it is about to take that lock anyway. A stale yes
// thus costs one budget and a stale no one wait without a spin; then it is
// corrected for all.
var parallel atomic.Bool

func init() { Refresh() }

// Can reports whether there is more than one processor.
func Can() bool { return parallel.Load() }

// Yield lets other goroutines run first.
func Yield() {
	Refresh()
	runtime.Gosched()
}

// Refresh makes Can and Budget see a changed GOMAXPROCS. Yield includes it; who
// parks without a yield calls it before.
func Refresh() {
	if p := runtime.GOMAXPROCS(0) > 1; p != parallel.Load() {
		parallel.Store(p)
	}
}

// Budget is the number of pauses before parking in a hand-over.
func Budget(locked bool) int {
	if locked && parallel.Load() {
		return Locked
	}
	return 0
}
