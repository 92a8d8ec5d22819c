package porttest

import "github.com/tickwake/rtos"

func holdChecks() []check {
	return []check{{
		name:     "Hold",
		methods:  "Hold, Release, Switch",
		contract: "between Hold and Release nobody else runs; they nest; the last Release lets a more urgent task run, and reports whether it chose again",
		of:       schedulingPort,
		body:     checkHold,
	}, {
		name:     "HoldFromInterrupt",
		methods:  "Hold, Ready, Release",
		contract: "a task that an interrupt readies while the scheduler is held is kept until the last Release",
		of:       schedulingPort,
		body:     checkHoldFromInterrupt,
	}, {
		name:     "HoldTime",
		methods:  "Hold, Work, Release",
		contract: "between Hold and Release nobody else runs, even if the limit of a more urgent task is over meanwhile",
		of:       schedulingPort,
		body:     checkHoldTime,
	}, {
		name:     "OwedSwitch",
		methods:  "Switch",
		contract: "Switch with Section makes a switch that is owed, as by an interrupt that has readied a more urgent task",
		of:       preemptingPort,
		body:     checkOwed,
	}}
}

// checkHeld wakes a more urgent task in a nested section.
func checkHeld(tr *trial, w *world, wake func(high, t *rtos.Task), wait func(*rtos.Task)) {
	preempts := tr.preempts()
	high := w.spawn("high", 5, func(t *rtos.Task) {
		wait(t)
		w.log("high")
	})
	w.spawn("low", 1, func(t *rtos.Task) {
		quiet := func(where string) {
			w.expect(len(w.logged()) == 0, "Hold, Switch", "a more urgent task ran %s: %s", where, w.story())
		}
		w.k.SuspendScheduler(t)
		w.k.SuspendScheduler(t)
		wake(high, t)
		quiet("while the scheduler was held twice")
		w.expect(!w.k.ResumeScheduler(t), "Release", "an inner Release reported that it chose again")
		quiet("after the first of two Releases")
		t.Yield()
		quiet("at a yield while the scheduler was held")
		chose := w.k.ResumeScheduler(t)
		w.log("returned")
		ran := w.before("high", "returned")
		w.expect(ran == preempts, "Release", "the last Release, and the port preempts: %v; then came: %s", preempts, w.story())
		w.expect(chose || !ran, "Release", "it let another task run and reported false")
		_ = t.Delay(span)
	})
	w.finish()
}

func checkHold(tr *trial) {
	s := rtos.NewBinary("s")
	checkHeld(tr, tr.world(rtos.Config{}), func(_, _ *rtos.Task) { s.Give() }, func(t *rtos.Task) { _ = s.Take(t) })
	checkHeld(tr, tr.world(rtos.Config{}), func(high, _ *rtos.Task) { high.Resume() }, func(t *rtos.Task) { _ = t.SuspendSelf() })
}

func checkHoldFromInterrupt(tr *trial) {
	s := rtos.NewBinary("s")
	w := tr.world(rtos.Config{})
	wake := func(_, _ *rtos.Task) { w.interrupt(func(isr *rtos.ISR) { s.GiveFromISR(isr) }) }
	checkHeld(tr, w, wake, func(t *rtos.Task) { _ = s.Take(t) })
}

func checkHoldTime(tr *trial) {
	checkHeld(tr, tr.world(rtos.Config{}), func(_, t *rtos.Task) { t.Work(3 * span) }, func(t *rtos.Task) { _ = t.Delay(span) })
}

func checkOwed(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	w.spawn("high", 5, func(t *rtos.Task) {
		_ = s.Take(t)
		w.log("high")
	})
	w.spawn("low", 1, func(t *rtos.Task) {
		w.interrupt(func(isr *rtos.ISR) { s.GiveFromISR(isr) })
		t.AbortDelay() // nobody waits: only the Switch is left of it
		w.log("returned")
		_ = t.Delay(span)
	})
	w.finish()
	w.expect(w.before("high", "returned"), "Switch", "a switch was owed, and Section did not make it: %s", w.story())
}
