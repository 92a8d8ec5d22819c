package porttest

import (
	"sync/atomic"

	"github.com/tickwake/rtos"
)

func deleteChecks() (list []check) {
	for _, c := range []struct {
		name string
		most int // priority of the victim; the deleter has 2
		body func(w *world, t *rtos.Task)
		what string
	}{
		{"Waiting", 3, func(_ *world, t *rtos.Task) { _ = rtos.NewBinary("never").Take(t) }, "waits"},
		{"Limited", 3, func(_ *world, t *rtos.Task) { _ = t.Delay(1000 * span) }, "waits with a limit"},
		{"Suspended", 3, func(_ *world, t *rtos.Task) { _ = t.SuspendSelf() }, "is suspended"},
		{"Computing", 1, func(w *world, t *rtos.Task) {
			for w.ctx.Err() == nil && t.Checkpoint() == nil {
				t.Work(span / 5)
				t.Yield()
			}
		}, "computes"},
	} {
		list = append(list, check{
			name:    "Delete/" + c.name,
			methods: "Kill, Evict, Unwind",
			contract: "a task that has been told to end unwinds, within Kill or when it next runs; Kill follows Evict and lets it run again. " +
				"This one " + c.what,
			body: func(tr *trial) { checkDelete(tr, c.most, c.body) },
		})
	}
	return append(list, check{
		name:     "Delete/NotStarted",
		methods:  "Kill, Start",
		contract: "a task that has not run yet is deleted as any other, before the run and in it: its body is called in order to unwind",
		body:     checkDeleteNotStarted,
	}, check{
		name:     "Delete/WithWaiters",
		methods:  "Kill, Ready, Switch",
		contract: "what deferred functions of a deleted task give lets others run",
		body:     checkDeleteWithWaiters,
	}, check{
		name:     "Delete/Chain",
		methods:  "Kill, Run",
		contract: "deferred functions of a task that is unwound may delete and stop others, which unwind in turn",
		body:     checkDeleteChain,
	}, check{
		name:     "AfterEnd",
		methods:  "Evict, Kill, Retune",
		contract: "nothing is asked of a port that schedules for a task that has ended; every call for such a task does nothing",
		body:     checkAfterEnd,
	})
}

func checkDelete(tr *trial, most int, body func(*world, *rtos.Task)) {
	for prio := 1; prio <= most; prio++ {
		w := tr.world(rtos.Config{})
		unwound := 0
		victim := w.doom("victim", prio, func(t *rtos.Task) {
			defer func() { unwound++ }()
			defer func() { unwound++ }()
			body(w, t)
		})
		w.spawn("deleter", 2, func(t *rtos.Task) {
			_ = t.Delay(span)
			victim.Delete()
			w.until(t, "Kill, Evict", "a task that has been deleted ends", func() bool { return victim.State() == rtos.StateDeleted })
		})
		w.finish()
		w.expect(unwound == 2, "Unwind", "%d of 2 deferred functions of a deleted task ran", unwound)
	}
}

func checkDeleteNotStarted(tr *trial) {
	w := tr.world(rtos.Config{})
	var ran atomic.Int32
	body := func(*rtos.Task) { ran.Add(1) }
	w.doom("before the run", 3, body).Delete()
	suspended := w.doom("suspended before the run", 3, body)
	suspended.Suspend()
	suspended.Delete()
	w.spawn("chief", 5, func(t *rtos.Task) {
		young := w.doom("young", 1, body)
		young.Delete()
		if w.schedules() {
			_ = t.Delay(span)
			w.expect(young.State() == rtos.StateDeleted, "Kill", "a task that was deleted before it ran is %v", young.State())
			w.expect(ran.Load() == 0, "Kill", "a task ran that was deleted before it could run")
		}
	})
	w.finish()
}

func checkDeleteWithWaiters(tr *trial) {
	w := tr.world(rtos.Config{})
	s, never := rtos.NewBinary("s"), rtos.NewBinary("never")
	victim := w.doom("victim", 1, func(t *rtos.Task) {
		defer s.Give()
		_ = never.Take(t)
	})
	for _, prio := range []int{1, 5} {
		w.spawn("waiter", prio, func(t *rtos.Task) {
			_ = s.Take(t)
			w.log("waiter")
			s.Give()
		})
	}
	w.spawn("deleter", 3, func(t *rtos.Task) {
		_ = t.Delay(span)
		victim.Delete()
		w.log("returned")
	})
	w.finish()
	if tr.preempts() {
		w.expect(w.before("waiter", "returned"), "Kill, Switch", "a deferred function of a deleted task readied a more urgent task, which did not run before Delete returned: %s", w.story())
	}
}

// Of four tasks each deletes the next one as it is unwound, and the last one stops the
// kernel; it begins with the deletion of the first one, or with a stop.
func checkDeleteChain(tr *trial) {
	for i, prio := range []int{1, 4, 1, 4} {
		w := tr.world(rtos.Config{})
		never := rtos.NewBinary("never")
		tasks := make([]*rtos.Task, 4)
		var unwound atomic.Int32
		for i := range tasks {
			tasks[i] = w.doom(string(rune('a'+i)), 3, func(t *rtos.Task) {
				defer unwound.Add(1)
				defer func() {
					if i+1 < len(tasks) {
						tasks[i+1].Delete()
					} else {
						w.k.Stop()
					}
				}()
				_ = never.Take(t)
			})
		}
		w.doom("bystander", 2, func(t *rtos.Task) {
			defer unwound.Add(1)
			_ = t.Delay(10_000 * span)
		})
		w.doom("deleter", prio, func(t *rtos.Task) {
			defer unwound.Add(1)
			_ = t.Delay(span)
			if i < 2 {
				tasks[0].Delete()
			} else {
				w.k.Stop()
			}
			_ = t.Delay(10_000 * span)
		})
		w.finish()
		w.expect(unwound.Load() == 6, "Kill, Run", "of 6 tasks %d were unwound", unwound.Load())
	}
}

func checkAfterEnd(tr *trial) {
	w := tr.world(rtos.Config{})
	gone := w.spawn("gone", 1, func(*rtos.Task) {})
	w.spawn("caller", 2, func(t *rtos.Task) {
		_ = t.Delay(span)
		w.spawn("next in the slot", 1, func(t *rtos.Task) { _ = t.Delay(span) })
		gone.SetPriority(5)
		gone.Suspend()
		gone.Resume()
		gone.AbortDelay()
		_ = gone.NotifyGive()
		gone.Delete()
	})
	w.finish()
	gone.SetPriority(3)
	gone.Resume()
	gone.Delete()
}
