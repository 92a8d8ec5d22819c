package porttest

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tickwake/rtos"
)

// tasks remembers the tasks of a port, so that all can be woken in the end.
type tasks struct {
	sync.Mutex
	m map[*rtos.Task]bool
}

func (l *tasks) has(t *rtos.Task) bool {
	l.Lock()
	defer l.Unlock()
	return l.m[t]
}

func (l *tasks) set(t *rtos.Task, has bool) {
	l.Lock()
	defer l.Unlock()
	if l.m == nil {
		l.m = map[*rtos.Task]bool{}
	}
	if has {
		l.m[t] = true
	} else {
		delete(l.m, t)
	}
}

// forgets drops Readies of goroutines as long as the test wants, and makes up for it then.
func forgets(w *wrapper, p rtos.Port, b *breakage, drop func(t *rtos.Task) bool) {
	var mu sync.Mutex
	var forgotten []*rtos.Task
	w.ready = func(t *rtos.Task, from rtos.Origin) bool {
		mu.Lock()
		defer mu.Unlock()
		if !b.isOver() && drop(t) {
			forgotten = append(forgotten, t)
			return true
		}
		return p.Ready(t, from)
	}
	b.atEnd(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, t := range forgotten {
			p.Ready(t, rtos.FromTask)
		}
	})
}

// allOf names the checks that begin so, each with what it says.
func allOf(prefix string, except string, says string) map[string]string {
	m := map[string]string{}
	for _, c := range checks() {
		if strings.HasPrefix(c.name, prefix) && !strings.HasSuffix(c.name, except) {
			m[c.name] = says
		}
	}
	return m
}

func brokenWakes() []broken {
	incomplete := allOf("NoLostReady", "SlowCalls", "did not come to its end")
	for name := range allOf("NoLostReady/Limited", "SlowCalls", "") {
		incomplete[name] = "a wait of an hour at most" // which is soon over in virtual time
	}
	incomplete["ReadyFromInterrupt"] = "not within"
	slow := map[string]string{}
	for name := range allOf("NoLostReady", "-", "") {
		if strings.HasSuffix(name, "SlowCalls") {
			slow[name] = "hung"
		}
	}
	return []broken{{
		name: "forgets every third Ready of a task", good: simulation, caught: incomplete,
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			n := 0
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				if n++; n%3 == 0 && from != rtos.FromTick {
					return outranks(t)
				}
				return p.Ready(t, from)
			}
		},
	}, {
		name: "does not ready what was evicted", good: simulation,
		caught: map[string]string{
			"SuspendWaiting": "did not come to its end", "EvictBeforeStart": "did not come to its end",
			"Evict": "did not run after it had been resumed",
		},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var evicted tasks
			w.evict = func(t *rtos.Task) {
				evicted.set(t, true)
				p.Evict(t)
			}
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				if evicted.has(t) {
					return outranks(t)
				}
				return p.Ready(t, from)
			}
		},
	}, {
		name: "forgets a Ready while tasks run", good: goroutines, hangs: true, caught: slow,
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var n atomic.Int32
			forgets(w, p, b, func(*rtos.Task) bool { return n.Add(1)%3 == 0 })
		},
	}, {
		name: "forgets a Ready that comes before its Park", good: goroutines, hangs: true,
		caught: map[string]string{"ReadyBeforePark": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var parked tasks
			w.park = func(t *rtos.Task) {
				parked.set(t, true)
				p.Park(t)
				parked.set(t, false)
			}
			forgets(w, p, b, func(t *rtos.Task) bool { return !parked.has(t) })
		},
	}, {
		name: "forgets tasks that were not started", good: goroutines, hangs: true,
		caught: map[string]string{"ReadyFromOutside": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var started tasks
			w.start = func(t *rtos.Task, body func()) error {
				started.set(t, true)
				return p.Start(t, body)
			}
			forgets(w, p, b, func(t *rtos.Task) bool { return !started.has(t) })
		},
	}, {
		name: "forgets tasks when the kernel stops", good: goroutines, hangs: true,
		caught: map[string]string{"Stop": "hung", "Cancel": "hung", "CancelFromOutside": "hung", "Delete/Chain": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			forgets(w, p, b, func(t *rtos.Task) bool { return t.Kernel().Stopping() })
		},
	}, {
		name: "knows tasks by their slots", good: goroutines, hangs: true,
		caught: map[string]string{"SlotsAreUsedAgain": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var slots sync.Map
			w.start = func(t *rtos.Task, body func()) error {
				slots.Store(t.Slot(), t)
				return p.Start(t, body)
			}
			w.end = func(t *rtos.Task) {
				slots.Delete(t.Slot())
				p.End(t)
			}
			forgets(w, p, b, func(t *rtos.Task) bool { _, ok := slots.Load(t.Slot()); return !ok })
		},
	}, {
		name: "shares its tasks with other ports", good: goroutines, hangs: true,
		caught: map[string]string{"ManyKernels": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.start = func(t *rtos.Task, body func()) error {
				b.mu.Lock()
				b.shared[t.Slot()] = t
				b.mu.Unlock()
				return p.Start(t, body)
			}
			forgets(w, p, b, func(t *rtos.Task) bool {
				b.mu.Lock()
				defer b.mu.Unlock()
				return b.shared[t.Slot()] != t
			})
		},
	}, {
		name: "waits in Ready", good: goroutines, hangs: true,
		caught: map[string]string{"ReadyNeverWaits": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var n atomic.Int32
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				if n.Add(1) > 50 {
					<-b.over
				}
				return p.Ready(t, from)
			}
		},
	}, {
		name: "cannot bear a Ready of a task that has ended", good: goroutines,
		caught: map[string]string{"ReadyAfterEnd": "gone is gone"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var gone tasks
			w.end = func(t *rtos.Task) {
				gone.set(t, true)
				p.End(t)
			}
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				if gone.has(t) {
					panic("gone is gone")
				}
				return p.Ready(t, from)
			}
		},
	}, {
		name: "tells Ready nothing", good: goroutines,
		caught: map[string]string{"NoLostReady/Semaphore": "reported false"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.ready = func(t *rtos.Task, from rtos.Origin) bool { return p.Ready(t, from) && false }
		},
	}, {
		name: "does not hear contexts", good: goroutines, hangs: true,
		caught: map[string]string{"Context": "hung", "ContextFromOutside": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			var tokens sync.Map
			token := func(t *rtos.Task) chan bool {
				c, _ := tokens.LoadOrStore(t, make(chan bool, 1))
				return c.(chan bool)
			}
			w.park = func(t *rtos.Task) {
				if t.Context() == nil {
					p.Park(t)
					return
				}
				select {
				case <-token(t):
				case <-b.over:
				}
			}
			w.ready = func(t *rtos.Task, from rtos.Origin) bool {
				select {
				case token(t) <- true:
				default:
				}
				return p.Ready(t, from)
			}
		},
	}}
}

// outranks is what Ready reports.
func outranks(t *rtos.Task) bool {
	cur := t.Kernel().Current()
	return cur == nil || t.Priority() > cur.Priority()
}
