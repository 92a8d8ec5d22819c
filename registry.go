package rtos

import (
	"weak"

	"github.com/tickwake/rtos/internal/atomic"
)

// kernels lists the kernels of the process, so that a task can be found by its number
// where no object leads to its kernel: queries and refusals, never a path that has to
// be fast. It keeps no kernel alive.
var kernels atomic.Pointer[[]weak.Pointer[Kernel]]

func init() { kernels.Store(new([]weak.Pointer[Kernel])) }

func register(k *Kernel) {
	for {
		old := kernels.Load()
		list := make([]weak.Pointer[Kernel], 0, len(*old)+1)
		for _, p := range *old {
			if q := p.Value(); q != nil && (q.phase.Load() != phaseEnded || q.NumTasks() > 0) {
				list = append(list, p)
			}
		}
		list = append(list, weak.Make(k))
		if kernels.CompareAndSwap(old, &list) {
			return
		}
	}
}

// lookup finds the living task with this number in any kernel.
func lookup(id uint64) *Task {
	for _, p := range *kernels.Load() {
		if k := p.Value(); k != nil {
			if t := k.byID(id); t != nil {
				return t
			}
		}
	}
	return nil
}
