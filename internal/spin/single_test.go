//go:build wasm && !explore

package spin

import "testing"

func TestOneThreadNeverSpins(t *testing.T) {
	if Native || Can() || Budget(false) != 0 || Budget(true) != 0 {
		t.Errorf("Native %t, Can %t, Budget %d and %d, want none", Native, Can(), Budget(false), Budget(true))
	}
}
