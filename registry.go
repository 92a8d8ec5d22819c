package rtos

import (
	"sync"
	"weak"
)

// kernels lists the kernels of the process, so that a task can be found by its number
// where no object leads to its kernel: queries and refusals, never a path that has to
// be fast. It keeps no kernel alive.
var kernels struct {
	sync.Mutex
	list []weak.Pointer[Kernel]
}

func register(k *Kernel) {
	kernels.Lock()
	defer kernels.Unlock()
	kept := kernels.list[:0]
	for _, p := range kernels.list {
		if q := p.Value(); q != nil && q.phase.Load() != phaseEnded {
			kept = append(kept, p)
		}
	}
	kernels.list = append(kept, weak.Make(k))
}

// lookup finds the living task with this number in any kernel.
func lookup(id uint64) *Task {
	kernels.Lock()
	defer kernels.Unlock()
	for _, p := range kernels.list {
		if k := p.Value(); k != nil {
			if t := k.byID(id); t != nil {
				return t
			}
		}
	}
	return nil
}
