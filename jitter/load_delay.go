package jitter

import (
	"fmt"
	"time"

	"github.com/tickwake/rtos"
)

// DelayLoad is a task that delays until the next period, again and again. An operation is a
// period that it has waited for; it is a load if it makes nine of ten. A period that is
// not positive is misuse.
func DelayLoad(period time.Duration) *TaskLoad {
	if period <= 0 {
		panic(&rtos.MisuseError{Op: "jitter.DelayLoad", Reason: fmt.Sprintf("period %v, want a positive one", period)})
	}
	l := newTaskLoad("delay load", 0.9*float64(time.Second)/float64(period))
	body := func(t *rtos.Task, c *opCounter) {
		ref := t.Kernel().Now()
		for !l.stop.Load() {
			waited, err := t.DelayUntil(&ref, period)
			if err != nil {
				return
			}
			if waited {
				c.n.Add(1)
			}
		}
	}
	return l.run(body)
}
