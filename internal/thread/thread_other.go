//go:build !linux

// Package thread does to the calling thread what package runtime cannot.
package thread

import (
	"errors"
	"fmt"
	"time"
)

// CanPin tells whether Pin can work here.
const CanPin = false

// Pin lets the calling thread run on this core only.
func Pin(core int) error {
	return fmt.Errorf("thread: pinning to core %d: %w", core, errors.ErrUnsupported)
}

// ID is the system's number of the calling thread, 0 if it cannot be told.
func ID() int { return 0 }

// CPUTime is the processor time that the thread with this number has used; false if
// it cannot be told.
func CPUTime(id int) (time.Duration, bool) { return 0, false }
