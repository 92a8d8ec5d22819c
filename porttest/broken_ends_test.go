package porttest

import (
	"context"
	"runtime"
	"time"

	"github.com/tickwake/rtos"
)

func brokenEnds() []broken {
	return []broken{{
		name: "accepts any number of kernels", good: goroutines,
		caught: map[string]string{"OneKernel": "accepted a second kernel"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.bind = func(k *rtos.Kernel) (rtos.Traits, error) {
				traits, _ := p.Bind(k)
				return traits, nil
			}
		},
	}, {
		name: "leaves a goroutine", good: goroutines,
		caught: map[string]string{"EmptyRun": "goroutines are left"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.run = func(ctx context.Context) error {
				go func() { <-b.over }()
				return p.Run(ctx)
			}
		},
	}, {
		name: "does not wait for its tasks", good: goroutines,
		caught: map[string]string{"Bodies": "returned with"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.run = func(ctx context.Context) error {
				go func() { _ = p.Run(ctx) }()
				return nil
			}
		},
	}, {
		name: "does not hear the context of the run", good: goroutines, hangs: true,
		caught: map[string]string{"Cancel": "hung", "CancelFromOutside": "hung"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.run = func(ctx context.Context) error { return p.Run(context.WithoutCancel(ctx)) }
		},
	}, {
		name: "keeps the cause to itself", good: goroutines,
		caught: map[string]string{"Cancel": "returned <nil>", "CancelledBefore": "returned <nil>"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.run = func(ctx context.Context) error {
				_ = p.Run(ctx)
				return nil
			}
		},
	}, {
		name: "does not run what has been stopped", good: goroutines,
		caught: map[string]string{"CancelledBefore": "returned with 7 tasks", "StoppedBefore": "returned with 7 tasks"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var k *rtos.Kernel
			w.bind = func(kernel *rtos.Kernel) (rtos.Traits, error) {
				k = kernel
				return p.Bind(k)
			}
			w.run = func(ctx context.Context) error {
				if k.Stopping() || ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return p.Run(ctx)
			}
		},
	}, {
		name: "calls the body twice", good: goroutines,
		caught: map[string]string{"Bodies": "was called twice"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.start = func(t *rtos.Task, body func()) error {
				return p.Start(t, func() {
					body()
					body()
				})
			}
		},
	}, {
		name: "does not call the body", good: goroutines,
		caught: map[string]string{"Traits": "3 tasks were started, 0 bodies called"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			w.start = func(t *rtos.Task, _ func()) error {
				return p.Start(t, func() { p.End(t) })
			}
		},
	}, {
		name: "does not unwind", good: goroutines,
		caught: map[string]string{
			"Exit": "returned to the task", "Panic": "went on after the panic", "SwallowedUnwind": "went on after a recover",
			"Stop": "went on after the end",
		},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) { w.unwind = func(*rtos.Task) {} },
	}, {
		name: "unwinds once", good: simulation,
		caught: map[string]string{"SwallowedUnwind": "went on after a recover"},
		change: func(w *wrapper, p rtos.Port, _ *breakage) {
			var once tasks
			w.unwind = func(t *rtos.Task) {
				if !once.has(t) {
					once.set(t, true)
					p.Unwind(t)
				}
			}
		},
	}, {
		name: "leaves deferred functions out", good: goroutines, hangs: true,
		caught: map[string]string{"Exit": "hung", "PanicWhileUnwinding": "hung", "Delete/Waiting": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.unwind = func(t *rtos.Task) {
				<-b.over
				p.Unwind(t)
			}
		},
	}, {
		name: "unwinds what unwinds", good: goroutines,
		caught: map[string]string{"UnwindWhilePanicking": "Run returned <nil>", "UnwindingCalls": "did not run to their ends"},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) {
			w.unwind = func(*rtos.Task) { runtime.Goexit() }
		},
	}, {
		name: "spins for ever", good: goroutines,
		caught: map[string]string{"Spin": "still true"},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) {
			w.spin = func(*rtos.Task, int) bool { return true }
		},
	}, {
		name: "does not work", good: goroutines,
		caught: map[string]string{"Work": "has used"},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) { w.work = func(*rtos.Task, time.Duration) {} },
	}, {
		name: "hears nothing while it works", good: goroutines, hangs: true,
		caught: map[string]string{"WorkHearsDelete": "hung"},
		change: func(w *wrapper, p rtos.Port, b *breakage) {
			w.work = func(_ *rtos.Task, d time.Duration) {
				for end := p.Now() + d; p.Now() < end && !b.isOver(); {
					runtime.Gosched()
				}
			}
		},
	}, {
		name: "does not kill", good: simulation,
		caught: map[string]string{
			"Delete/Waiting": "not within", "Delete/Limited": "not within", "Delete/Suspended": "not within",
			"Delete/Computing": "not within", "Delete/NotStarted": "a task that was deleted before it ran is",
		},
		change: func(w *wrapper, _ rtos.Port, _ *breakage) { w.kill = func(*rtos.Task) {} },
	}}
}
