package porttest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tickwake/rtos"
)

func limitChecks() []check {
	return []check{{
		name:     "Rearm",
		methods:  "Disarm, Arm",
		contract: "Disarm withdraws a limit: it never ends a later wait, whether that has an earlier limit, a later one, or none",
		body:     checkRearm,
	}, {
		name:     "PassedDeadline",
		methods:  "Arm",
		contract: "a deadline that has passed when Arm is called ends the wait at once",
		body:     checkPassed,
	}, {
		name:     "Forever",
		methods:  "Arm",
		contract: "a wait without limit is never armed; a limit of centuries is not over by an overflow",
		body:     checkForever,
	}, {
		name:     "OneOutcome",
		methods:  "Arm, Ready",
		contract: "a wait ends once: by its limit, and the token stays, or with the token, even if both come at one time",
		body:     checkOneOutcome,
	}, {
		name:     "EpochsGoOn",
		methods:  "Arm, Disarm",
		contract: "an expiry carries the epoch that Arm was given; it never ends a wait of a later task in the same slot",
		body:     checkEpochs,
	}, {
		name:     "LimitsInOrder",
		methods:  "Arm",
		contract: "on one processor waits end in the order of their deadlines",
		of:       schedulingPort,
		body:     checkLimitOrder,
	}, {
		name:     "ExpiryAtTheInstant",
		methods:  "Arm",
		contract: "on one processor Expire is called for all deadlines that the clock has reached before any task runs, and not when the waiter runs",
		of:       schedulingPort,
		body:     checkInstant,
	}, {
		name:     "NoWakeAfterExpiry",
		methods:  "Arm",
		contract: "a give after the deadline of one waiter wakes the next one: the first is not in a wait any more",
		of:       schedulingPort,
		body:     checkNoWakeAfterExpiry,
	}}
}

func checkRearm(tr *trial) {
	w := tr.world(rtos.Config{})
	s, turn := rtos.NewBinary("s"), rtos.NewCounting("turn", 100, 0)
	waits := []struct {
		limit time.Duration
		given time.Duration // 0: not given
	}{
		{2 * span, span}, {20 * span, 6 * span}, {span, 0}, {3 * span, 0}, {rtos.Forever, 4 * span}, {span, span / 2},
		{rtos.Forever, 3 * span}, {span, 0}, {10 * span, span}, {span, 0},
	}
	w.spawn("waiter", 2, func(t *rtos.Task) {
		for _, wait := range waits {
			turn.Give()
			start := w.k.Now()
			err := s.TakeFor(t, wait.limit)
			took := w.k.Now() - start
			switch {
			case err == nil:
				w.expect(wait.given > 0, "Ready", "a wait to which nobody has given anything got something")
			case !errors.Is(err, rtos.ErrTimeout):
				w.failf("Park", "TakeFor with a limit of %v: %v", wait.limit, err)
			case took < wait.limit:
				w.failf("Disarm, Arm", "a wait with a limit of %v has ended by it after %v", wait.limit, took)
			}
			if err != nil && wait.given > 0 {
				_ = s.Take(t) // the giver was late
			}
		}
	})
	w.spawn("giver", 1, func(t *rtos.Task) {
		for _, wait := range waits {
			_ = turn.Take(t)
			if wait.given > 0 {
				_ = t.Delay(wait.given)
				s.Give()
			}
		}
	})
	w.finish()
}

func checkPassed(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	w.spawn("a", 1, func(t *rtos.Task) {
		for range 20 {
			if err := s.TakeFor(t, 1); !errors.Is(err, rtos.ErrTimeout) {
				w.failf("Arm", "TakeFor with a limit of 1 ns: %v, want ErrTimeout", err)
			}
			if _, err := t.NotifyTake(true, 1); !errors.Is(err, rtos.ErrTimeout) {
				w.failf("Arm", "NotifyTake with a limit of 1 ns: %v, want ErrTimeout", err)
			}
		}
		ref := time.Duration(0)
		_ = t.Delay(2 * span)
		waited, err := t.DelayUntil(&ref, span)
		w.expect(!waited && err == nil, "Now", "DelayUntil for an instant that has passed: waited %v, %v", waited, err)
	})
	w.finish()
}

func checkForever(tr *trial) {
	w := tr.world(rtos.Config{})
	s, answer := rtos.NewBinary("s"), rtos.NewCounting("answer", 100, 0)
	centuries := []time.Duration{rtos.Forever - 1, rtos.Forever / 2, 200 * 365 * 24 * time.Hour}
	armed := int32(0)
	w.spawn("waiter", 2, func(t *rtos.Task) {
		for range 3 {
			_ = s.Take(t)
			answer.Give()
		}
		armed = w.p.arms.Load()
		for _, d := range centuries {
			if err := s.TakeFor(t, d); err != nil {
				w.failf("Arm", "TakeFor with a limit of %v: %v", d, err)
			}
			answer.Give()
		}
	})
	w.spawn("giver", 1, func(t *rtos.Task) {
		for range 3 + len(centuries) {
			for range 3 {
				t.Yield()
			}
			s.Give()
			_ = answer.Take(t)
		}
	})
	w.finish()
	w.expect(armed == 0, "Arm", "called %d times in waits without limit", armed)
}

// Give and limit come at about one time. Each round gives one token, and takes it now or
// after the timeout.
func checkOneOutcome(tr *trial) {
	w := tr.world(rtos.Config{}, late)
	s, turn := rtos.NewBinary("s"), rtos.NewBinary("turn")
	const rounds, limit = 50, span / 5
	var waiter *rtos.Task
	waiter = w.spawn("waiter", 2, func(t *rtos.Task) {
		for range rounds {
			turn.Give()
			start := w.k.Now()
			if err := s.TakeFor(t, limit); err != nil {
				took := w.k.Now() - start
				w.expect(took >= limit, "Arm", "a wait with a limit of %v has ended by it after %v: %v", limit, took, err)
				_ = s.Take(t)
			}
			w.expect(s.Count() == 0, "Arm, Ready", "a token was given and taken, and %d are left", s.Count())
			turn.Give()
			if v, err := t.NotifyTake(true, limit); err != nil {
				_, _ = t.NotifyTake(true, rtos.Forever)
			} else {
				w.expect(v == 1, "Arm, Ready", "one notification was given, and %d came", v)
			}
		}
	})
	w.spawn("giver", 1, func(t *rtos.Task) {
		for range rounds {
			_ = turn.Take(t)
			_ = t.Delay(limit)
			s.Give()
			_ = turn.Take(t)
			_ = t.Delay(limit)
			_ = waiter.NotifyGive()
		}
	})
	w.finish()
}

func checkEpochs(tr *trial) {
	w := tr.world(rtos.Config{Tasks: 2}, late)
	s := rtos.NewBinary("s")
	child := func(i int) func(*rtos.Task) {
		return func(t *rtos.Task) {
			for range i % 3 {
				_ = s.TakeFor(t, span/5) // may be given just then
			}
			if err := s.TakeFor(t, time.Hour); err != nil {
				w.failf("Arm, Disarm", "a wait with a limit of an hour: %v at %v", err, w.k.Now())
			}
		}
	}
	w.spawn("parent", 2, func(t *rtos.Task) {
		for i := range 30 {
			c := w.spawn(fmt.Sprint("child ", i), 1, child(i))
			w.until(t, "Ready", "a task ends that is given what it waits for", func() bool {
				s.Give()
				_ = t.Delay(span / 5)
				return c.State() == rtos.StateDeleted
			})
			s.TryTake(t)
		}
	})
	w.finish()
}

func checkLimitOrder(tr *trial) {
	w := tr.world(rtos.Config{})
	var ended []time.Duration
	for _, d := range []time.Duration{5, 3, 9, 1, 7, 3, 4} {
		w.spawn("a", 1, func(t *rtos.Task) {
			from := time.Duration(0) // all from one instant, by whatever clock
			_, _ = t.DelayUntil(&from, 4*span+d*span)
			ended = append(ended, d)
		})
	}
	w.finish()
	w.expect(slices.IsSorted(ended), "Arm", "waits of these limits ended in this order: %v", ended)
}

// Two tasks wait for one instant, and a third for a later one. When the more urgent one
// runs, the limit of the other is over although that has not run.
func checkInstant(tr *trial) {
	w := tr.world(rtos.Config{})
	until := func(t *rtos.Task, at time.Duration) {
		from := time.Duration(0)
		_, _ = t.DelayUntil(&from, at)
	}
	first := w.spawn("first", 1, func(t *rtos.Task) { until(t, 4*span) })
	second := w.spawn("second", 2, func(t *rtos.Task) { until(t, 5*span) })
	w.spawn("observer", 5, func(t *rtos.Task) {
		look := func(what string, other *rtos.Task) {
			w.expect(other.State() != rtos.StateBlocked, "Arm",
				"a task waits still although its deadline was %s the one that has let a more urgent task run", what)
		}
		until(t, 4*span)
		look("the same as", first)
		until(t, 6*span)
		look("before", second)
	})
	w.finish()
}

func checkNoWakeAfterExpiry(tr *trial) {
	w := tr.world(rtos.Config{})
	s := rtos.NewBinary("s")
	w.spawn("limited", 3, func(t *rtos.Task) {
		if err := s.TakeFor(t, 4*span); err != nil {
			_ = s.Take(t)
		}
	})
	patient := w.spawn("patient", 2, func(t *rtos.Task) { _ = s.Take(t) })
	w.spawn("giver", 5, func(t *rtos.Task) {
		_ = t.Delay(3 * span)
		t.Work(2 * span) // past the deadline
		s.Give()
		w.expect(patient.State() == rtos.StateReady, "Arm", "the give woke a task whose deadline had passed, and not the next waiter")
		_ = t.Delay(span)
		s.Give()
	})
	w.finish()
}
