package realtime

import (
	"time"

	"github.com/tickwake/rtos"
	osthread "github.com/tickwake/rtos/internal/thread"
)

// Work implements [rtos.Port]: it uses d of the thread's own processor time, so that time
// in which more urgent tasks have the core does not count. An adopted task computes for d
// of wall time.
func (p *Port) Work(t *rtos.Task, d time.Duration) {
	used := p.Now
	if th := p.threadOf(t); th != nil {
		if _, ok := osthread.CPUTime(th.id); ok {
			used = func() time.Duration {
				d, _ := osthread.CPUTime(th.id)
				return d
			}
		}
	}
	for end := used() + d; used() < end; {
		if t.Checkpoint() != nil {
			return
		}
	}
}
