package realtime

import (
	"errors"
	"fmt"
	"runtime"
)

// Cores lists the cores of the machine that the process may use, by the system's numbers,
// in rising order. On another system than Linux it is [errors.ErrUnsupported].
func Cores() ([]int, error) {
	if !supported {
		return nil, fmt.Errorf("realtime: the cores of the process on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	usable, err := usableCores()
	return usable.cores(), err
}

func usableCores() (mask, error) {
	usable, err := others.usable()
	if err != nil {
		err = fmt.Errorf("realtime: asking for the cores of the process: %w", err)
	}
	return usable, err
}
