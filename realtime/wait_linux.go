package realtime

import (
	"math"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A futex is a word on which threads sleep. Its limit here is an instant of the monotonic
// clock.
const (
	futexWaitUntil = 9 | 128 // FUTEX_WAIT_BITSET, private to the process
	futexWake      = 1 | 128 // FUTEX_WAKE
	futexAnyone    = 1<<32 - 1
)

// sleep waits as long as the word says v, until the instant, for ever if it is nil. It
// gives the processor of Go's scheduler away.
func sleep(w *uint32, v uint32, till *instant) syscall.Errno {
	_, _, e := syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWaitUntil, uintptr(v),
		uintptr(unsafe.Pointer(till)), 0, futexAnyone)
	return e
}

// wake wakes a thread that sleeps on the word. The call is raw, because it does not block:
// at most the woken one is more urgent and takes the core, which may happen at any moment.
//
//go:nosplit
//go:norace
func wake(w *uint32) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWake, 1, 0, 0, 0)
}

// wakeAll wakes all of them, the most urgent first.
func wakeAll(w *uint32) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWake, math.MaxInt32, 0, 0, 0)
}

// call ends the present wait, or the next one if there is none.
func (w *wait) call() {
	if atomic.SwapUint32(&w.word, called) == parked {
		wake(&w.word)
	}
}

// demote makes the calling thread an ordinary one.
//
//go:nosplit
//go:norace
func demote() {
	var param int32
	_ = setScheduler(0, unix.SCHED_NORMAL|unix.SCHED_RESET_ON_FORK, &param)
}

// block waits until somebody calls, and at most until the clock says until, 0 meaning for
// ever. From rest on, which is before until, as long as the clock says less than spin, it
// looks instead of sleeping. It may return early. It returns what the clock said when the thread went on,
// and leaves the word quiet.
//
// It looks as ordinary code does, which the collector can stop. So when it is called it
// has a processor of Go's scheduler already, and need not come to terms with that first.
func (w *wait) block(rest, spin, until int64) (woken int64) {
	if rest != 0 {
		w.rest.set(rest)
		w.restInside()
	}
	for now := int64(0); now < spin && (until == 0 || now < until); {
		now = nanotime()
		if atomic.LoadUint32(&w.word) == called {
			atomic.StoreUint32(&w.word, quiet)
			return now
		}
	}
	w.till.set(until)
	till := &w.till
	if until == 0 {
		till = nil
	}
	return w.blockInside(till)
}

// restInside sleeps until rest. If it is called meanwhile the word says so afterwards.
//
//go:nosplit
//go:norace
func (w *wait) restInside() {
	entersyscall()
	w.sleepInside(&w.rest)
	cas(&w.word, parked, quiet)
	exitsyscall()
}

//go:nosplit
//go:norace
func (w *wait) blockInside(till *instant) (woken int64) {
	entersyscall()
	w.sleepInside(till)
	woken = nanotime()
	store(&w.word, quiet)
	exitsyscall()
	return woken
}

// sleepInside sleeps, unless it has been called.
//
//go:nosplit
//go:norace
func (w *wait) sleepInside(till *instant) {
	if cas(&w.word, quiet, parked) {
		for sleepInside(&w.word, parked, till) == unix.EINTR && load(&w.word) == parked {
		}
	}
}
