package stress

import (
	"fmt"

	"github.com/tickwake/rtos/internal/atomic"
)

// adder adds up the numbers that a worker writes, one a line.
type adder struct {
	sum  *atomic.Uint64
	part uint64 // of a number whose end has not come yet
}

func (a *adder) Write(p []byte) (int, error) {
	for i, c := range p {
		switch {
		case c == '\n':
			a.sum.Add(a.part)
			a.part = 0
		case '0' <= c && c <= '9':
			a.part = 10*a.part + uint64(c-'0')
		default:
			return i, fmt.Errorf("a worker wrote %q", p)
		}
	}
	return len(p), nil
}
