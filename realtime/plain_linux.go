//go:build !gc || tinygo || rtos_purego || (race && !amd64 && !arm64)

package realtime

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bare tells that waits hold no processor of Go's scheduler from end to end. Here they
// give it away while the system has them sleep, and no longer.
const bare = false

func entersyscall() {}
func exitsyscall()  {}

// The clock of package time counts from the start of the program. Read before the
// system's, it never makes an instant of that look earlier than it is.
var (
	began  = time.Now()
	offset = systemClock()
)

func systemClock() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0
	}
	return ts.Nano()
}

func nanotime() int64 { return offset + int64(time.Since(began)) }

func sleepInside(w *uint32, v uint32, till *instant) syscall.Errno { return sleep(w, v, till) }

func napInside(*instant) {} // only the guard does, which is not there
