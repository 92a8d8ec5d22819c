package jitter

import "github.com/tickwake/rtos"

// MqLoad is two equal tasks that send each other one byte through two queues, in turn. An
// operation is a byte sent and received.
func MqLoad() *TaskLoad {
	there, back := rtos.NewQueue[byte]("mq load, there", 1), rtos.NewQueue[byte]("mq load, back", 1)
	const last = 0
	l := newTaskLoad("mq load", leastOps)
	ask := func(t *rtos.Task, c *opCounter) {
		for !l.stop.Load() {
			if there.Send(t, 1) != nil {
				return
			}
			if _, err := back.Recv(t); err != nil {
				return
			}
			if !c.done(t) {
				return
			}
		}
		_ = there.Send(t, last)
	}
	answer := func(t *rtos.Task, c *opCounter) {
		for {
			v, err := there.Recv(t)
			if err != nil || v == last {
				return
			}
			if !c.done(t) || back.Send(t, v) != nil {
				return
			}
		}
	}
	return l.run(ask, answer)
}
