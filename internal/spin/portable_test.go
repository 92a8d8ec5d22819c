//go:build !explore && !wasm && (!gc || tinygo || rtos_purego)

package spin

import (
	"runtime"
	"testing"
)

func TestPortableFormIsNotNative(t *testing.T) {
	if Native {
		t.Error("Native is true")
	}
}

func TestOnlyLockedTasksSpinForAHandOver(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		procs(t, n)
		want := 0
		if runtime.GOMAXPROCS(0) > 1 {
			want = Locked
		}
		if got := Budget(true); got != want {
			t.Errorf("%d processors: Budget(true) = %d, want %d", n, got, want)
		}
		if got := Budget(false); got != 0 {
			t.Errorf("%d processors: Budget(false) = %d, want 0", n, got)
		}
	}
}

// Can may be stale until somebody has waited in vain, not longer.
func TestOneYieldSeesAChangeOfProcessors(t *testing.T) {
	procs(t, 1) // restores
	for _, n := range []int{2, 1, 3, 1} {
		runtime.GOMAXPROCS(n)
		Yield()
		if got, want := Can(), runtime.GOMAXPROCS(0) > 1; got != want {
			t.Errorf("%d processors: Can() = %t, want %t", n, got, want)
		}
	}
}
