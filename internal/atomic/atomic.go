//go:build !explore

// Package atomic names the atomic types that the primitives use. It is the
// seam for proof: in a normal build every type is an alias and costs nothing;
// under the build tag explore every access hands control to an explorer first.
//
// Words of 64 bits are the standard library's, because only those are aligned
// wherever they stand on a 32-bit machine. The rest is go.uber.org/atomic.
//
// All operations are sequentially consistent; the protocols in package rtos
// rely on it and say where.
package atomic

import (
	"sync"
	std "sync/atomic"

	uber "go.uber.org/atomic"
)

type (
	// Uint64 is a 64-bit word, aligned on every machine.
	Uint64 = std.Uint64
	// Uint32 is a 32-bit word.
	Uint32 = uber.Uint32
	// Int32 is a signed 32-bit word.
	Int32 = uber.Int32
	// Bool is a flag.
	Bool = uber.Bool
	// Pointer holds a *T.
	Pointer[T any] = uber.Pointer[T]
	// Mutex guards the making, ending and listing of tasks. To an explorer what it
	// guards is one step.
	Mutex = sync.Mutex
)
