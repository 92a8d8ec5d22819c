//go:build !linux

package stress_test

import (
	"os"
	"runtime"
	"syscall"
)

// alive tells whether a process runs.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && (runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil)
}
