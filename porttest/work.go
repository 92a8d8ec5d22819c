package porttest

import (
	"time"

	"github.com/tickwake/rtos"
)

func workChecks() []check {
	return []check{{
		name:     "Work",
		methods:  "Work",
		contract: "Work uses the time it is told to use, less only if the task is to end",
		body:     checkWork,
	}, {
		name:     "WorkIsPreempted",
		methods:  "Work",
		contract: "where the port preempts, a more urgent task runs as soon as its limit is over, while others work; Work then does the rest",
		of:       preemptingPort,
		body:     checkWorkPreempted,
	}, {
		name:     "WorkHearsDelete",
		methods:  "Work, Kill",
		contract: "a task that works obeys a deletion: Work calls Checkpoint, or the port unwinds the task",
		body:     checkWorkDelete,
	}}
}

func checkWork(tr *trial) {
	w := tr.world(rtos.Config{})
	for _, prio := range []int{1, 1, 3} {
		w.spawn("worker", prio, func(t *rtos.Task) {
			for i := range 4 {
				d := time.Duration(i) * span / 5
				start := w.k.Now()
				t.Work(d)
				took := w.k.Now() - start
				w.expect(took >= d, "Work", "has used %v instead of %v", took, d)
			}
		})
	}
	w.finish()
}

func checkWorkPreempted(tr *trial) {
	w := tr.world(rtos.Config{})
	working, used := false, time.Duration(0)
	w.spawn("high", 5, func(t *rtos.Task) {
		for range 5 {
			_ = t.Delay(span)
			w.expect(working, "Work, Switch", "a more urgent task did not run while another one worked")
			start := w.k.Now()
			t.Work(span)
			used += w.k.Now() - start
		}
	})
	w.spawn("worker", 1, func(t *rtos.Task) {
		start := w.k.Now()
		working = true
		t.Work(50 * span)
		working = false
		took := w.k.Now() - start
		w.expect(took >= 50*span+used, "Work", "has used %v instead of %v: the time that others had meanwhile does not count", took-used, 50*span)
	})
	w.finish()
}

func checkWorkDelete(tr *trial) {
	w := tr.world(rtos.Config{})
	if w.schedules() && !tr.preempts() {
		tr.skipped = "the port does not preempt: nobody could ask"
		return
	}
	unwound, begun := false, rtos.NewBinary("begun")
	worker := w.doom("worker", 1, func(t *rtos.Task) {
		defer func() { unwound = true }()
		begun.Give()
		for w.ctx.Err() == nil {
			t.Work(1000 * time.Hour)
			_ = t.Delay(1)
		}
	})
	w.spawn("chief", 2, func(t *rtos.Task) {
		_ = begun.Take(t)
		_ = t.Delay(span)
		worker.Delete()
	})
	w.finish()
	w.expect(unwound, "Work", "the deferred function of a task that was deleted in Work did not run")
}
