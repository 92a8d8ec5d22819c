package porttest

import "github.com/tickwake/rtos"

// A wakeWay is a call by which a task readies another one.
type wakeWay struct {
	name    string
	prepare func(t *rtos.Task) // by the caller, before the other one waits
	wait    func(t *rtos.Task)
	wake    func(other, t *rtos.Task)
}

// wakeWays are those that end with Switch, with Woke or Section.
func wakeWays() []wakeWay {
	s := rtos.NewBinary("s")
	var m rtos.Mutex
	return []wakeWay{{
		name: "Give",
		wait: func(t *rtos.Task) { _ = s.Take(t) },
		wake: func(_, _ *rtos.Task) { s.Give() },
	}, {
		name: "NotifyGive",
		wait: func(t *rtos.Task) { _, _ = t.NotifyTake(true, rtos.Forever) },
		wake: func(other, _ *rtos.Task) { _ = other.NotifyGive() },
	}, {
		name:    "Unlock",
		prepare: func(t *rtos.Task) { _ = m.Lock(t) },
		wait: func(t *rtos.Task) {
			_ = m.Lock(t)
			_ = m.Unlock(t)
		},
		wake: func(_, t *rtos.Task) { _ = m.Unlock(t) },
	}, {
		name: "Resume",
		wait: func(t *rtos.Task) { _ = t.SuspendSelf() },
		wake: func(other, _ *rtos.Task) { other.Resume() },
	}, {
		name: "AbortDelay",
		wait: func(t *rtos.Task) { _ = t.Delay(1000 * span) },
		wake: func(other, _ *rtos.Task) { other.AbortDelay() },
	}}
}

// checkSwitches wakes a task of priority prio from one of priority 3, in all ways, and
// looks whether it runs before the call returns.
func checkSwitches(tr *trial, want bool, prio int) {
	for _, way := range wakeWays() {
		w := tr.world(rtos.Config{})
		other := w.spawn("other", prio, func(t *rtos.Task) {
			_ = t.Delay(span)
			way.wait(t)
			w.log("woken")
		})
		w.spawn("caller", 3, func(t *rtos.Task) {
			if way.prepare != nil {
				way.prepare(t)
			}
			_ = t.Delay(2 * span) // the other one waits
			way.wake(other, t)
			w.log("returned")
			_ = t.Delay(span)
		})
		w.finish()
		w.judge(way.name, want, prio)
	}
	w := tr.world(rtos.Config{})
	w.spawn("caller", 3, func(t *rtos.Task) {
		w.spawn("new", prio, func(*rtos.Task) { w.log("woken") })
		w.log("returned")
		_ = t.Delay(span)
	})
	w.finish()
	w.judge("Spawn", want, prio)
}

func (w *world) judge(call string, want bool, prio int) {
	switch got := w.before("woken", "returned"); {
	case got == want && len(w.logged()) == 2:
	case want:
		w.failf("Switch", "%s readied a task of priority %d and returned to its caller, of priority 3, before that ran: %s", call, prio, w.story())
	default:
		w.failf("Switch", "%s by a task of priority 3 let one of priority %d run before it returned: %s", call, prio, w.story())
	}
}
