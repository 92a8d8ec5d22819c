//go:build linux && race && gc && !tinygo && !rtos_purego && (amd64 || arm64)

package realtime

// With the race detector those of package sync/atomic call it.

//go:noescape
func load(w *uint32) uint32

//go:noescape
func store(w *uint32, v uint32)

//go:noescape
func store64(w *int64, v int64)

//go:noescape
func swap(w *uint32, v uint32) uint32

//go:noescape
func cas(w *uint32, old, v uint32) bool

//go:noescape
func add(w *uint32, d uint32) uint32
