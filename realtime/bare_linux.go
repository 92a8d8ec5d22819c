//go:build gc && !tinygo && !rtos_purego && (!race || amd64 || arm64)

package realtime

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Between entersyscall and exitsyscall a goroutine is in the state of a system call: it
// has no claim to a processor of Go's scheduler. The garbage collector does not wait for
// it, nobody preempts it, and stopping the world does not stop it. In return the code in
// between
//
//   - is nosplit, all of it, since the stack cannot grow, and calls nothing that is not;
//   - stores no pointers and allocates nothing, since the collector does not look;
//   - makes system calls raw, since there is no processor to be held up by them;
//   - is norace, and changes words by functions of its own, since the race detector must
//     not be called there. It does not see what is done; what tasks do to each other goes
//     through the words of package rtos besides, which it does see.
//
// Both functions and nanotime are kept as they are by the runtime for other modules
// (https://go.dev/issue/67401) and link without flags. If a future toolchain drops one,
// the link fails, and the build tag rtos_purego is the way out.

// bare tells that this form is in use.
const bare = true

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

//go:linkname nanotime runtime.nanotime
func nanotime() int64

// sleepInside is sleep for who is in the state of a system call already.
//
//go:nosplit
//go:norace
func sleepInside(w *uint32, v uint32, till *instant) syscall.Errno {
	_, _, e := syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWaitUntil, uintptr(v),
		uintptr(unsafe.Pointer(till)), 0, futexAnyone)
	return e
}

// napInside sleeps for so long.
//
//go:nosplit
//go:norace
func napInside(d *instant) {
	_, _, _ = syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(d)), 0, 0)
}
