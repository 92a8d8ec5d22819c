// Package thread does to the calling thread what package runtime cannot.
package thread

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// CanPin tells whether Pin can work here.
const CanPin = true

// Pin lets the calling thread run on this core only.
func Pin(core int) error {
	var mask [16]uint64 // 1,024 cores
	if core < 0 || core >= len(mask)*64 {
		return fmt.Errorf("thread: core %d out of range 0 to %d", core, len(mask)*64-1)
	}
	mask[core/64] = 1 << (core % 64)
	if _, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))); e != 0 {
		return fmt.Errorf("thread: pinning to core %d: %w", core, e)
	}
	return nil
}

// ID is the system's number of the calling thread.
func ID() int { return syscall.Gettid() }

// CPUTime is the processor time that the thread with this number has used; false if
// it cannot be told.
func CPUTime(id int) (time.Duration, bool) {
	// The clock of another thread: its number, inverted, over the flags "per thread"
	// and "scheduler's time".
	const perThread, scheduler = 4, 2
	var ts syscall.Timespec
	clock := ^id<<3 | perThread | scheduler
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
