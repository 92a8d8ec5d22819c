//go:build gc && !tinygo && !wasm && !rtos_purego && !explore

package spin

import "testing"

func TestDefaultBuildIsNative(t *testing.T) {
	if !Native {
		t.Error("Native is false")
	}
	if got := Budget(false); got != Free {
		t.Errorf("Budget(false) = %d, want %d", got, Free)
	}
	if got := Budget(true); got != Locked {
		t.Errorf("Budget(true) = %d, want %d", got, Locked)
	}
}
