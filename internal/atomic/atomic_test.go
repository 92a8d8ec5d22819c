//go:build !explore

package atomic_test

import (
	"sync"
	std "sync/atomic"
	"testing"

	uber "go.uber.org/atomic"
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

// The types of a normal build are aliases: the compiler sees the same types, so that what an
// explorer needs costs nothing where there is none.
func TestTypesAreAliases(t *testing.T) {
	var (
		_ *std.Uint64        = (*atomic.Uint64)(nil)
		_ *uber.Uint32       = (*atomic.Uint32)(nil)
		_ *uber.Int32        = (*atomic.Int32)(nil)
		_ *uber.Bool         = (*atomic.Bool)(nil)
		_ *uber.Pointer[int] = (*atomic.Pointer[int])(nil)
		_ *sync.Mutex        = (*atomic.Mutex)(nil)
	)
}
