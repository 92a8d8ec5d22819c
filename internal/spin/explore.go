//go:build explore

package spin

import "github.com/tickwake/rtos/internal/atomic"

// Under an explorer a thread that spins takes no further step until another one has.

// Native tells whether the runtime's own functions are in use.
const Native = false

func step() {
	if w, ok := atomic.Trace.(interface{ Spin() }); ok {
		w.Spin()
	}
}

// Can reports whether a goroutine may usefully spin.
func Can() bool { return true }

// Yield is a step of a thread that waits for others.
func Yield() { step() }

// Gosched is a step of a thread that waits for others.
func Gosched() { step() }

// Pause is a step of a thread that waits for others.
func Pause(int) { step() }

// Refresh does nothing.
func Refresh() {}

// Budget is the number of pauses before parking: as few as there can be.
func Budget(bool) int { return 1 }

// Polls is the number of tries of a contended mutex.
func Polls(bool) int { return 1 }
