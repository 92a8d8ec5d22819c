package porttest

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tickwake/rtos"
)

// expireIn calls t.Expire after d of wall time; nothing withdraws it.
func expireIn(b *breakage, d time.Duration, expire func()) {
	timer := time.AfterFunc(d, expire)
	b.atEnd(func() { timer.Stop() })
}

func brokenLimits() []broken {
	const early = "has ended by it after"
	return []broken{{
		name: "never expires", good: goroutines, hangs: true,
		caught: map[string]string{"Delays": "hung", "Delete/Limited": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var stuck tasks
			w.arm = func(t *rtos.Task, _ uint64, _ time.Duration) { stuck.set(t, true) }
			w.disarm = func(*rtos.Task) {}
		},
	}, {
		name: "expires at once", good: goroutines,
		caught: map[string]string{"Delays": "has ended after", "OneOutcome": early},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				p.Arm(t, epoch, deadline)
				if t.Name() != "giver" {
					t.Expire(epoch)
				}
			}
		},
	}, {
		name: "expires whatever wait the task is in", good: goroutines,
		caught: map[string]string{"Rearm": early},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var epochs sync.Map
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				epochs.Store(t, epoch)
				p.Arm(t, epoch, deadline)
				expireIn(b, deadline-p.Now(), func() {
					latest, _ := epochs.Load(t)
					t.Expire(latest.(uint64))
				})
			}
		},
	}, {
		name: "expires whatever wait is in the slot", good: goroutines,
		caught: map[string]string{"EpochsGoOn": "a wait with a limit of an hour"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			type wait struct {
				t     *rtos.Task
				epoch uint64
			}
			var waits sync.Map
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				slot := t.Slot()
				waits.Store(slot, wait{t, epoch})
				p.Arm(t, epoch, deadline)
				expireIn(b, deadline-p.Now(), func() {
					latest, _ := waits.Load(slot)
					latest.(wait).t.Expire(latest.(wait).epoch)
				})
			}
		},
	}, {
		name: "overflows", good: goroutines,
		caught: map[string]string{"Forever": "TakeFor with a limit of"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				p.Arm(t, epoch, deadline)
				if deadline+deadline < 0 {
					t.Expire(epoch)
				}
			}
		},
	}, {
		name: "ignores deadlines that have passed", good: goroutines, hangs: true,
		caught: map[string]string{"PassedDeadline": "hung"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var armed tasks
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				if p.Now() < deadline {
					armed.set(t, true)
					p.Arm(t, epoch, deadline)
				}
			}
			w.disarm = func(t *rtos.Task) {
				if armed.has(t) {
					p.Disarm(t)
				}
			}
		},
	}, {
		name: "has a clock that goes back", good: goroutines,
		caught: map[string]string{"Clock": "Now: went back", "Work": "Now: went back"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.now = func() time.Duration { return max(p.Now()-time.Duration(rand.IntN(100_000)), 0) }
		},
	}, {
		name: "leaves timers", good: goroutines,
		caught: map[string]string{"NothingLeft": "something refers to the kernel"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				p.Arm(t, epoch, deadline)
				timer := time.AfterFunc(deadline-p.Now(), func() { t.Expire(epoch) })
				b.atEnd(func() { timer.Stop() })
			}
		},
	}, {
		name: "is late with limits of the less urgent", good: simulation,
		caught: map[string]string{"ExpiryAtTheInstant": "waits still", "NoWakeAfterExpiry": "whose deadline had passed"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				if t.Priority() <= 3 {
					deadline += 10 * span
				}
				p.Arm(t, epoch, deadline)
			}
		},
	}, {
		name: "mixes up limits", good: simulation,
		caught: map[string]string{"LimitsInOrder": "ended in this order"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.arm = func(t *rtos.Task, epoch uint64, deadline time.Duration) {
				p.Arm(t, epoch, deadline+time.Duration(t.Slot()%2)*3*span)
			}
		},
	}}
}
