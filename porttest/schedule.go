package porttest

import (
	"slices"
	"strings"

	"github.com/tickwake/rtos"
)

func scheduleChecks() []check {
	return []check{{
		name:     "StartOrder",
		methods:  "Start, Run",
		contract: "the most urgent task runs first",
		of:       schedulingPort,
		body:     checkStartOrder,
	}, {
		name:     "SwitchToMoreUrgent",
		methods:  "Switch",
		contract: "a port that preempts switches at the end of every call that readies a more urgent task; one that does not, at none",
		of:       schedulingPort,
		body:     func(tr *trial) { checkSwitches(tr, tr.preempts(), 5) },
	}, {
		name:     "NoSwitchToEqual",
		methods:  "Switch",
		contract: "Switch with Woke or Section switches only if somebody is more urgent than the caller, not to equals",
		of:       schedulingPort,
		body:     func(tr *trial) { checkSwitches(tr, false, 3) },
	}, {
		name:     "NoSwitchToLessUrgent",
		methods:  "Switch",
		contract: "Switch with Woke or Section switches only if somebody is more urgent than the caller",
		of:       schedulingPort,
		body:     func(tr *trial) { checkSwitches(tr, false, 1) },
	}, {
		name:     "Turns",
		methods:  "Switch",
		contract: "Switch with Again lets each ready task of the same level run before the caller, and none of a lower level",
		of:       schedulingPort,
		body:     checkTurns,
	}, {
		name:     "RetuneReady",
		methods:  "Retune",
		contract: "a ready task whose priority is set joins the back of its level",
		of:       schedulingPort,
		body:     checkRetuneReady,
	}, {
		name:     "RetuneWaiting",
		methods:  "Retune",
		contract: "Retune of a task that waits does not let it run; woken, it has its new priority",
		of:       schedulingPort,
		body:     checkRetuneWaiting,
	}, {
		name:     "PriorityChange",
		methods:  "Switch",
		contract: "Switch with Preempt chooses again if the port preempts: when another one is made more urgent, or the caller less",
		of:       schedulingPort,
		body:     checkPriorityChange,
	}, {
		name:     "MostUrgentRuns",
		methods:  "Switch, Ready, Work",
		contract: "where the port preempts, the most urgent of the ready tasks runs",
		of:       preemptingPort,
		body:     checkMostUrgent,
	}}
}

// before tells whether a comes before b in what has been logged, and both do.
func (w *world) before(a, b string) bool {
	lines := w.logged()
	i, j := slices.Index(lines, a), slices.Index(lines, b)
	return i >= 0 && i < j
}

func (w *world) story() string { return strings.Join(w.logged(), ", ") }

func checkStartOrder(tr *trial) {
	w := tr.world(rtos.Config{})
	for _, prio := range []int{2, 7, 0, 31, 5} {
		w.spawn("a", prio, func(t *rtos.Task) { w.log(string(rune('A' + prio))) })
	}
	w.finish()
	lines := w.logged()
	slices.Reverse(lines)
	w.expect(slices.IsSorted(lines), "Start, Run", "tasks of priorities 31, 7, 5, 2, 0 (A is 0) ran in the order %v", w.story())
}

func checkTurns(tr *trial) {
	w := tr.world(rtos.Config{})
	const tasks, turns = 3, 10
	for _, name := range []string{"a", "b", "c"} {
		w.spawn(name, 3, func(t *rtos.Task) {
			for range turns {
				w.log(name)
				t.Yield()
			}
		})
	}
	w.spawn("low", 1, func(*rtos.Task) { w.log("low") })
	w.finish()
	lines := w.logged()
	for i := 0; i+tasks <= len(lines); i += tasks {
		round := slices.Sorted(slices.Values(lines[i : i+tasks]))
		if !slices.Equal(round, []string{"a", "b", "c"}) {
			w.failf("Switch", "three equal tasks that yield do not take turns: %s", w.story())
			return
		}
	}
}

// Of four ready tasks one leaves its level and comes back, and one joins from below.
func checkRetuneReady(tr *trial) {
	w := tr.world(rtos.Config{})
	tasks := map[string]*rtos.Task{}
	w.spawn("chief", 5, func(t *rtos.Task) {
		for _, name := range []string{"a", "b", "c", "d"} {
			prio := 2
			if name == "d" {
				prio = 1
			}
			tasks[name] = w.spawn(name, prio, func(*rtos.Task) { w.log(name) })
		}
		tasks["a"].SetPriority(3)
		tasks["a"].SetPriority(2)
		tasks["d"].SetPriority(2)
	})
	w.finish()
	w.expect(w.before("b", "a") && w.before("c", "a") && w.before("a", "d"), "Retune",
		"of the ready tasks a, b, c of priority 2, a was set to 3 and back, then d from 1 to 2, and they ran in the order %s", w.story())
}

func checkRetuneWaiting(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	waiter := w.spawn("waiter", 1, func(t *rtos.Task) {
		_ = s.Take(t)
		w.log("waiter")
	})
	w.spawn("chief", 5, func(t *rtos.Task) {
		_ = t.Delay(span)
		waiter.SetPriority(3)
		_ = t.Delay(span)
		w.expect(waiter.State() == rtos.StateBlocked, "Retune", "has ended a wait")
		w.spawn("other", 2, func(*rtos.Task) { w.log("other") })
		s.Give()
	})
	w.finish()
	w.expect(w.before("waiter", "other"), "Retune, Ready",
		"a task was set from priority 1 to 3 in its wait, then woken, and one of priority 2 ran first: %s", w.story())
}

func checkPriorityChange(tr *trial) {
	preempts := tr.preempts()
	for _, c := range []struct {
		name   string
		change func(caller, other *rtos.Task)
	}{
		{"another task is raised above the caller", func(_, other *rtos.Task) { other.SetPriority(5) }},
		{"the caller is lowered below another one", func(caller, _ *rtos.Task) { caller.SetPriority(1) }},
	} {
		w := tr.world(rtos.Config{})
		w.spawn("caller", 3, func(t *rtos.Task) {
			other := w.spawn("other", 2, func(*rtos.Task) { w.log("other") })
			c.change(t, other)
			w.log("returned")
		})
		w.finish()
		w.expect(w.before("other", "returned") == preempts, "Switch", "%s, and the port preempts: %v; then came: %s", c.name, preempts, w.story())
	}
}

// After every call of its body a task is the most urgent of those that are ready.
func checkMostUrgent(tr *trial) {
	for range 10 {
		w := tr.world(rtos.Config{}, twice|late)
		s := rtos.NewCounting("s", 100, 0)
		var m rtos.Mutex
		peers := make([]*rtos.Task, 5)
		for i := range peers {
			peers[i] = w.spawn(string(rune('a'+i)), 1+i/2, func(t *rtos.Task) {
				for range min(w.rounds, 100) {
					step := chanceOf(7)
					switch step {
					case 0:
						s.Give()
					case 1:
						_ = s.TakeFor(t, span/5)
					case 2:
						_ = peers[chanceOf(len(peers))].NotifyGive()
					case 3:
						_, _ = t.NotifyTake(true, span/5)
					case 4:
						t.Yield()
					case 5:
						t.Work(span / 5)
					case 6:
						_ = m.Lock(t)
						t.Work(span / 5)
						_ = m.Unlock(t)
					}
					for q := range w.k.Tasks() {
						if q != t && q.State() == rtos.StateReady && q.Priority() > t.Priority() {
							w.failf("Switch, Ready, Work", "task %v of priority %d runs (after step %d) while %v of priority %d is ready",
								t, t.Priority(), step, q, q.Priority())
						}
					}
				}
			})
		}
		w.finish()
	}
}
