//go:build !(linux && race && gc && !tinygo && !rtos_purego && (amd64 || arm64))

package realtime

import "sync/atomic"

// The words of waits, changed in the state of a system call.

//go:nosplit
func load(w *uint32) uint32 { return atomic.LoadUint32(w) }

//go:nosplit
func store(w *uint32, v uint32) { atomic.StoreUint32(w, v) }

//go:nosplit
func store64(w *int64, v int64) { atomic.StoreInt64(w, v) }

//go:nosplit
func swap(w *uint32, v uint32) uint32 { return atomic.SwapUint32(w, v) }

//go:nosplit
func cas(w *uint32, old, v uint32) bool { return atomic.CompareAndSwapUint32(w, old, v) }

//go:nosplit
func add(w *uint32, d uint32) uint32 { return atomic.AddUint32(w, d) }
