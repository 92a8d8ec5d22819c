package jitter

import (
	"syscall"
	"time"
)

const ofThread = 1 // RUSAGE_THREAD

func processFaults() (Faults, bool) { return faultsOf(syscall.RUSAGE_SELF) }
func threadFaults() (Faults, bool)  { return faultsOf(ofThread) }

func faultsOf(who int) (Faults, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return Faults{}, false
	}
	return Faults{uint64(u.Minflt), uint64(u.Majflt)}, true
}

func processTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
