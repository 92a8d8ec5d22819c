package stress

import (
	"encoding/hex"
	"os/exec"
	"syscall"
	"unsafe"
)

// mask is a set of up to 1,024 processors.
type mask [128]byte

// programMask is the processors that the program may use, as it was when it began. It is
// read on the first thread.
var programMask = readMask()

func readMask() string {
	var m mask
	n, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(m), uintptr(unsafe.Pointer(&m)))
	if e != 0 {
		return ""
	}
	return hex.EncodeToString(m[:n])
}

// beOrdinary gives the calling thread the ordinary policy, and the processors of the
// program. What cannot be had is left as it is.
func beOrdinary(processors string) {
	const ordinary = 0 // SCHED_OTHER
	var priority int32
	syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, ordinary, uintptr(unsafe.Pointer(&priority)))
	var m mask
	if b, err := hex.DecodeString(processors); err == nil && len(b) > 0 {
		copy(m[:], b)
		syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(m), uintptr(unsafe.Pointer(&m)))
	}
}

// dieWithParent lets the kernel kill the process when the thread that starts it ends.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// mapped maps fresh memory, so that every page is a fault.
func mapped(size int) (mem []byte, unmap func() error, err error) {
	mem, err = syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	return mem, func() error { return syscall.Munmap(mem) }, err
}
