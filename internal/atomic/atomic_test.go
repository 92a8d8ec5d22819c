package atomic_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/tickwake/rtos/internal/atomic"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// A 64-bit word works wherever it stands in a struct, on 32-bit machines too.
func TestUint64IsAlignedAnywhere(t *testing.T) {
	var s struct {
		_ uint32
		a atomic.Uint64
		_ uint32
		b atomic.Uint64
	}
	s.a.Add(1)
	s.b.Add(2)
	if s.a.Load() != 1 || s.b.Swap(0) != 2 || !s.a.CompareAndSwap(1, 3) {
		t.Error("wrong values")
	}
}
