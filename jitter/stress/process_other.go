//go:build !linux

package stress

import "os/exec"

const programMask = ""

func beOrdinary(string) {}

func dieWithParent(*exec.Cmd) {}

var kept []byte

// mapped has one piece of memory and gives it out again: the collector is off, and would
// not give it back.
func mapped(size int) (mem []byte, unmap func() error, err error) {
	if kept == nil {
		kept = make([]byte, size)
	}
	return kept, func() error { return nil }, nil
}
