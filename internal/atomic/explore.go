//go:build explore

// Package atomic has types that hand control to a Tracer at every access. The build
// without the tag explore documents them.
package atomic

import (
	"sync"
	std "sync/atomic"
)

// A Kind is what an access does.
type Kind uint8

// The kinds.
const (
	Load Kind = iota
	Store
	Update // reads and writes in one step; may fail, and then only reads
)

// A Tracer is told of every access: before it, when others may still come first, and after
// it. The variable is a pointer to one of this package's types.
type Tracer interface {
	Before(variable any, k Kind)
	After(variable any, k Kind, wrote bool)
}

// Trace is the tracer, nil for none. It is set while nothing runs in parallel.
var Trace Tracer

// quiet counts the mutexes held: what they guard is one step.
var quiet int

func before(v any, k Kind) {
	if Trace != nil && quiet == 0 {
		Trace.Before(v, k)
	}
}

func after(v any, k Kind, wrote bool) {
	if Trace != nil {
		Trace.After(v, k, wrote)
	}
}

// Uint64 is a 64-bit word.
type Uint64 struct{ v std.Uint64 }

func (x *Uint64) Load() uint64 {
	before(x, Load)
	v := x.v.Load()
	after(x, Load, false)
	return v
}

func (x *Uint64) Store(v uint64) {
	before(x, Store)
	x.v.Store(v)
	after(x, Store, true)
}

func (x *Uint64) Swap(v uint64) uint64 {
	before(x, Update)
	old := x.v.Swap(v)
	after(x, Update, true)
	return old
}

func (x *Uint64) CompareAndSwap(old, v uint64) bool {
	before(x, Update)
	ok := x.v.CompareAndSwap(old, v)
	after(x, Update, ok)
	return ok
}

func (x *Uint64) Add(d uint64) uint64 {
	before(x, Update)
	v := x.v.Add(d)
	after(x, Update, true)
	return v
}

func (x *Uint64) And(mask uint64) uint64 {
	before(x, Update)
	old := x.v.And(mask)
	after(x, Update, true)
	return old
}

func (x *Uint64) Or(mask uint64) uint64 {
	before(x, Update)
	old := x.v.Or(mask)
	after(x, Update, true)
	return old
}

// Uint32 is a 32-bit word.
type Uint32 struct{ v std.Uint32 }

func (x *Uint32) Load() uint32 {
	before(x, Load)
	v := x.v.Load()
	after(x, Load, false)
	return v
}

func (x *Uint32) Store(v uint32) {
	before(x, Store)
	x.v.Store(v)
	after(x, Store, true)
}

func (x *Uint32) Swap(v uint32) uint32 {
	before(x, Update)
	old := x.v.Swap(v)
	after(x, Update, true)
	return old
}

func (x *Uint32) CompareAndSwap(old, v uint32) bool {
	before(x, Update)
	ok := x.v.CompareAndSwap(old, v)
	after(x, Update, ok)
	return ok
}

func (x *Uint32) Add(d uint32) uint32 {
	before(x, Update)
	v := x.v.Add(d)
	after(x, Update, true)
	return v
}

func (x *Uint32) Inc() uint32 { return x.Add(1) }

func (x *Uint32) Dec() uint32 { return x.Add(^uint32(0)) }

// Int32 is a signed 32-bit word.
type Int32 struct{ v std.Int32 }

func (x *Int32) Load() int32 {
	before(x, Load)
	v := x.v.Load()
	after(x, Load, false)
	return v
}

func (x *Int32) Store(v int32) {
	before(x, Store)
	x.v.Store(v)
	after(x, Store, true)
}

// Bool is a flag.
type Bool struct{ v std.Bool }

func (x *Bool) Load() bool {
	before(x, Load)
	v := x.v.Load()
	after(x, Load, false)
	return v
}

func (x *Bool) Store(v bool) {
	before(x, Store)
	x.v.Store(v)
	after(x, Store, true)
}

func (x *Bool) CompareAndSwap(old, v bool) bool {
	before(x, Update)
	ok := x.v.CompareAndSwap(old, v)
	after(x, Update, ok)
	return ok
}

// Pointer holds a *T.
type Pointer[T any] struct{ v std.Pointer[T] }

func (x *Pointer[T]) Load() *T {
	before(x, Load)
	v := x.v.Load()
	after(x, Load, false)
	return v
}

func (x *Pointer[T]) Store(v *T) {
	before(x, Store)
	x.v.Store(v)
	after(x, Store, true)
}

func (x *Pointer[T]) Swap(v *T) *T {
	before(x, Update)
	old := x.v.Swap(v)
	after(x, Update, true)
	return old
}

func (x *Pointer[T]) CompareAndSwap(old, v *T) bool {
	before(x, Update)
	ok := x.v.CompareAndSwap(old, v)
	after(x, Update, ok)
	return ok
}

// Mutex makes what it guards one step.
type Mutex struct{ mu sync.Mutex }

func (m *Mutex) Lock() {
	m.mu.Lock()
	if Trace != nil {
		quiet++
	}
}

func (m *Mutex) Unlock() {
	if Trace != nil {
		quiet--
	}
	m.mu.Unlock()
}
