package porttest

import (
	"time"

	"github.com/tickwake/rtos"
)

func brokenSchedulers() []broken {
	return []broken{{
		name: "schedules, and does not tell whom", good: simulation,
		caught: map[string]string{"EmptyRun": "a new port does not take its kernel: rtos: port: Traits.Schedules without"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.bind = func(k *rtos.Kernel) (rtos.Traits, error) {
				traits, err := p.Bind(k)
				traits.Current = nil
				return traits, err
			}
		},
	}, {
		name: "tells that nobody runs", good: simulation,
		caught: map[string]string{"Traits": "is <nil> in task"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.bind = func(k *rtos.Kernel) (rtos.Traits, error) {
				traits, err := p.Bind(k)
				traits.Current = func() *rtos.Task { return nil }
				return traits, err
			}
		},
	}, {
		name: "starts the most urgent task later", good: simulation,
		caught: map[string]string{"StartOrder": "ran in the order"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var late *rtos.Task
			w.start = func(t *rtos.Task, body func()) error {
				err := p.Start(t, body)
				if t.Priority() == 31 {
					late = t
					p.Evict(t)
				}
				return err
			}
			w.end = func(t *rtos.Task) {
				if late != nil {
					p.Ready(late, rtos.FromTask)
					late = nil
				}
				p.End(t)
			}
		},
	}, {
		name: "reports that everybody is more urgent", good: simulation,
		caught: map[string]string{"NoLostReady/Notification": "reported true for a task of priority 1 while one of priority"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.ready = func(t *rtos.Task, from rtos.Origin) bool { return p.Ready(t, from) || true }
		},
	}, {
		name: "switches in Ready", good: simulation,
		caught: map[string]string{"NoLostReady/Semaphore": "Ready: let another task run", "HoldTime": "Ready: let another task run"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				r := p.Ready(t, from)
				p.Switch(nil, rtos.Again)
				return r
			}
		},
	}, {
		name: "switches to equals", good: simulation,
		caught: map[string]string{
			"NoSwitchToEqual": "let one of priority 3 run before it returned",
		},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.turn = func(t *rtos.Task, _ rtos.Why) { p.Switch(t, rtos.Again) }
		},
	}, {
		name: "switches to the least urgent", good: simulation,
		caught: map[string]string{"NoSwitchToLessUrgent": "let one of priority 1 run before it returned"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var k *rtos.Kernel
			w.bind = func(kernel *rtos.Kernel) (rtos.Traits, error) {
				k = kernel
				return p.Bind(k)
			}
			var outdone *rtos.Task
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if cur := k.Current(); why == rtos.Woke && cur != nil && outdone == nil {
					outdone = cur
					p.Evict(cur)
					why = rtos.Again
				}
				p.Switch(t, why)
			}
			w.end = func(t *rtos.Task) {
				if outdone != nil && outdone != t {
					p.Ready(outdone, rtos.FromTask)
					outdone = nil
				}
				p.End(t)
			}
		},
	}, {
		name: "does not know Section", good: simulation,
		caught: map[string]string{
			"SwitchToMoreUrgent": "AbortDelay readied a task of priority 5 and returned",
			"OwedSwitch":         "Section did not make it",
		},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if why != rtos.Section {
					p.Switch(t, why)
				}
			}
		},
	}, {
		name: "does not know Preempt", good: simulation,
		caught: map[string]string{"PriorityChange": "then came: returned, other"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if why != rtos.Preempt {
					p.Switch(t, why)
				}
			}
		},
	}, {
		name: "does not know Again", good: simulation,
		caught: map[string]string{"Turns": "do not take turns"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if why != rtos.Again {
					p.Switch(t, why)
				}
			}
		},
	}, {
		name: "preempts now and then", good: simulation,
		caught: map[string]string{"MostUrgentRuns": "is ready"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			n := 0
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if n++; n%4 != 0 || why != rtos.Woke {
					p.Switch(t, why)
				}
			}
		},
	}, {
		name: "does not switch after Kill", good: simulation,
		caught: map[string]string{"Delete/WithWaiters": "did not run before Delete returned"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			killed := false
			w.kill = func(t *rtos.Task) {
				p.Kill(t)
				killed = true
			}
			w.turn = func(t *rtos.Task, why rtos.Why) {
				if killed {
					killed = false
				} else {
					p.Switch(t, why)
				}
			}
		},
	}, {
		name: "kills only what has run", good: simulation,
		caught: map[string]string{"Delete/NotStarted": "a task that was deleted before it ran is"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var begun tasks
			w.start = func(t *rtos.Task, body func()) error {
				return p.Start(t, func() {
					begun.set(t, true)
					body()
				})
			}
			w.kill = func(t *rtos.Task) {
				if begun.has(t) {
					p.Kill(t)
				}
			}
		},
	}, {
		name: "does not evict", good: simulation,
		caught: map[string]string{"Evict": "a task ran after it had been suspended"},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) { w.evict = func(*rtos.Task) {} },
	}, {
		name: "does not retune", good: simulation,
		caught: map[string]string{"RetuneReady": "they ran in the order"},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) { w.retune = func(*rtos.Task) {} },
	}, {
		name: "is late with tasks that it has retuned", good: simulation,
		caught: map[string]string{"RetuneWaiting": "one of priority 2 ran first"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var retuned, late *rtos.Task
			w.retune = func(t *rtos.Task) {
				retuned = t
				p.Retune(t)
			}
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				if t == retuned {
					late = t
					return outranks(t)
				}
				return p.Ready(t, from)
			}
			w.end = func(t *rtos.Task) {
				if late != nil && t.Name() == "other" {
					p.Ready(late, rtos.FromTask)
				}
				p.End(t)
			}
		},
	}, {
		name: "readies what it retunes", good: simulation,
		caught: map[string]string{"Evict": "a task ran after it had been suspended"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.retune = func(t *rtos.Task) { p.Ready(t, rtos.FromTask) }
		},
	}, {
		name: "does not hold", good: simulation,
		caught: map[string]string{
			"Hold": "while the scheduler was held twice", "HoldFromInterrupt": "at a yield while the scheduler was held",
			"HoldTime": "while the scheduler was held twice",
		},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) {
			w.hold = func(*rtos.Task) {}
			w.resume = func(*rtos.Task) bool { return false }
		},
	}, {
		name: "does not nest", good: simulation,
		caught: map[string]string{"Hold": "after the first of two Releases"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			held := false
			w.hold = func(t *rtos.Task) {
				if !held {
					held = true
					p.Hold(t)
				}
			}
			w.resume = func(t *rtos.Task) bool {
				if !held {
					return false
				}
				held = false
				return p.Release(t)
			}
		},
	}, {
		name: "does not report what Release did", good: simulation,
		caught: map[string]string{"Hold": "let another task run and reported false"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.resume = func(t *rtos.Task) bool { return p.Release(t) && false }
		},
	}, {
		name: "holds while it works", good: simulation,
		caught: map[string]string{"WorkIsPreempted": "did not run while another one worked"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.work = func(t *rtos.Task, d time.Duration) {
				p.Hold(t)
				p.Work(t, d)
				p.Release(t)
			}
		},
	}}
}
