package jitter

import "github.com/tickwake/rtos"

// SemLoad is two equal tasks that take and give one semaphore. An operation is a take and
// a give.
func SemLoad() *TaskLoad {
	sem := rtos.NewBinary("sem load")
	sem.Give()
	l := newTaskLoad("sem load", leastOps)
	body := func(t *rtos.Task, c *opCounter) {
		for more := true; more && !l.stop.Load() && sem.Take(t) == nil; {
			more = c.done(t)
			sem.Give()
		}
	}
	return l.run(body, body)
}
