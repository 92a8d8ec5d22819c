package realtime

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// missing says what it takes to be allowed what the system has refused with err; n is
// the priority or the core.
func missing(what string, n int, err error) string {
	switch what {
	case toSchedule:
		switch {
		case !errors.Is(err, unix.EPERM):
			return "the system cannot do it"
		case capable(unix.CAP_SYS_NICE):
			return "the process has CAP_SYS_NICE: its control group has no real-time budget (cpu.rt_runtime_us), or a filter of system calls forbids it"
		}
		return fmt.Sprintf("it takes the capability CAP_SYS_NICE, or a limit RLIMIT_RTPRIO of %d at least (it is %d)", n, limitOf(unix.RLIMIT_RTPRIO))
	case toPin:
		return fmt.Sprintf("core %d is not there, or not in the set of cores (cpuset) of the process's control group", n)
	case toLock:
		return fmt.Sprintf("it takes the capability CAP_IPC_LOCK, or a limit RLIMIT_MEMLOCK above the size of the process (it is %d KiB)", limitOf(unix.RLIMIT_MEMLOCK)/1024)
	}
	return "it takes the right to write to /dev/cpu_dma_latency, which containers lack unless they are given the device"
}

func capable(c int) bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&head, &data[0]) == nil && data[c/32].Effective&(1<<(c%32)) != 0
}

func limitOf(resource int) uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil {
		return 0
	}
	return l.Cur
}
