package realtime

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const supported = true

// Threads are known by the system's numbers; 0 is the calling one.

func gettid() int { return unix.Gettid() }

// isInitial tells whether the calling thread is the one that the process began with. It
// does not end with the goroutine that is locked to it.
func isInitial() bool { return unix.Gettid() == unix.Getpid() }

// schedule sets policy and priority of a thread. Threads and processes that it makes
// begin as ordinary ones.
func schedule(tid int, p Policy, prio int) error {
	param := int32(prio)
	e := setScheduler(tid, systemPolicy(p), &param)
	if e == 0 && p == Other {
		// Without permission it has to stay like that.
		_ = setScheduler(tid, unix.SCHED_NORMAL, &param)
	}
	if e != 0 {
		return e
	}
	return nil
}

func systemPolicy(p Policy) uint32 {
	return [...]uint32{FIFO: unix.SCHED_FIFO, RR: unix.SCHED_RR, Other: unix.SCHED_NORMAL}[p] | unix.SCHED_RESET_ON_FORK
}

// setScheduler is raw, because it does not block.
//
//go:nosplit
//go:norace
func setScheduler(tid int, policy uint32, param *int32) syscall.Errno {
	_, _, e := syscall.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(tid), uintptr(policy), uintptr(unsafe.Pointer(param)))
	return e
}

// scheduled tells policy and priority of a thread.
func scheduled(tid int) (p Policy, prio int, err error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return Other, 0, err
	}
	switch attr.Policy {
	case unix.SCHED_FIFO:
		return FIFO, int(attr.Priority), nil
	case unix.SCHED_RR:
		return RR, int(attr.Priority), nil
	}
	return Other, 0, nil
}

// niceness tells the nice value of a thread, and whether it is an ordinary one.
func niceness(tid int) (nice int, ordinary bool, err error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return 0, false, err
	}
	return int(attr.Nice), attr.Policy == unix.SCHED_NORMAL, nil
}

// setNiceness sets the nice value of an ordinary thread.
func setNiceness(tid, nice int) error {
	return unix.SchedSetAttr(tid, &unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: int32(nice)}, 0)
}

func affinity(tid int) (m mask, err error) {
	if _, _, e := syscall.RawSyscall(unix.SYS_SCHED_GETAFFINITY, uintptr(tid), unsafe.Sizeof(m), uintptr(unsafe.Pointer(&m))); e != 0 {
		return m, e
	}
	return m, nil
}

func setAffinity(tid int, m mask) error {
	if _, _, e := syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, uintptr(tid), unsafe.Sizeof(m), uintptr(unsafe.Pointer(&m))); e != 0 {
		return e
	}
	return nil
}

// sharpen lets the limits of the calling thread be as exact as they can. It matters to
// ordinary threads only.
func sharpen() error { return unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// cede lets other threads of the caller's priority run first. It is raw, because it is no
// other than being preempted.
func cede() { _, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// lockMemory keeps the memory of the process, present and future, from being paged out.
// What is there is brought in at once, or when it is used; what comes later when it is
// used: else the stack of a new thread would be brought in as a whole, which takes
// milliseconds, and somebody may be waiting for that thread.
func lockMemory(whenUsed bool) error {
	if !whenUsed {
		if err := unix.Mlockall(unix.MCL_CURRENT); err != nil {
			return err
		}
		err := unix.Mlockall(unix.MCL_FUTURE | unix.MCL_ONFAULT)
		if err != nil {
			unlockMemory()
		}
		return err
	}
	return unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
}

func unlockMemory() { _ = unix.Munlockall() }

// memoryIsLocked tells whether any memory of the process is, as far as can be told.
func memoryIsLocked() bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, rest, found := strings.Cut(string(status), "\nVmLck:")
	fields := strings.Fields(rest)
	return found && len(fields) > 0 && fields[0] != "0"
}

// openLatency asks the system for a latency of 0 for as long as the file is open, so
// that no core falls into a sleep from which it is slow to wake.
func openLatency() (*os.File, error) {
	f, err := os.OpenFile("/dev/cpu_dma_latency", os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write([]byte{0, 0, 0, 0}); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// threadIDs lists the threads of the process.
func threadIDs() (list []int, err error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("listing the threads: %w", err)
	}
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, id)
		}
	}
	return list, nil
}
