//go:build !linux

package jitter

import "time"

func processFaults() (Faults, bool)      { return Faults{}, false }
func threadFaults() (Faults, bool)       { return Faults{}, false }
func processTime() (time.Duration, bool) { return 0, false }
