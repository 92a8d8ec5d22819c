package porttest

import (
	"time"

	"github.com/tickwake/rtos"
)

func clockChecks() []check {
	return []check{{
		name:     "Clock",
		methods:  "Now",
		contract: "Now never goes backwards, from whatever task or goroutine, and time passes while tasks wait",
		body:     checkClock,
	}, {
		name:     "Delays",
		methods:  "Arm, Now",
		contract: "a delay, and any limited wait, never ends before its limit",
		body:     checkDelays,
	}}
}

// The spy compares all readings; the tasks hand theirs on, so that they follow each other.
func checkClock(tr *trial) {
	w := tr.world(rtos.Config{})
	var a, b *rtos.Task
	var latest time.Duration
	read := func() {
		now := w.k.Now()
		w.expect(now >= latest, "Now", "is %v in a task that was woken at %v", now, latest)
		latest = now
	}
	turn := func(peer **rtos.Task) func(*rtos.Task) {
		return func(t *rtos.Task) {
			for i := range tr.rounds {
				if _, err := t.NotifyTake(true, rtos.Forever); err != nil {
					return
				}
				read()
				if i%100 == 0 {
					_ = t.Delay(1)
					read()
				}
				_ = (*peer).NotifyGive()
			}
		}
	}
	a = w.spawn("a", 1, turn(&b))
	b = w.spawn("b", 1, turn(&a))
	_ = a.NotifyGive()
	w.finish()
	w.expect(latest > 0, "Now", "no time has passed although tasks have waited")
}

func checkDelays(tr *trial) {
	w := tr.world(rtos.Config{})
	never := rtos.NewBinary("never")
	for i, prio := range []int{1, 1, 2, 3} {
		w.spawn("a", prio, func(t *rtos.Task) {
			for n := range 8 {
				d := time.Duration(n*(i+1)) * span / 7
				start := w.k.Now()
				wait := t.Delay
				if n%2 == 1 {
					wait = func(d time.Duration) error {
						if err := never.TakeFor(t, d); err != rtos.ErrTimeout {
							w.failf("Arm, Expire", "TakeFor with a limit of %v: %v, want ErrTimeout", d, err)
						}
						return nil
					}
				}
				if err := wait(d); err != nil {
					w.failf("Arm, Expire", "Delay of %v: %v", d, err)
				}
				if took := w.k.Now() - start; took < d {
					w.failf("Arm, Expire", "a wait of %v has ended after %v", d, took)
				}
			}
		})
	}
	w.finish()
}
