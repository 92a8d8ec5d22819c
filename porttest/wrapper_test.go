package porttest

import (
	"context"
	"time"

	"github.com/tickwake/rtos"
)

// A wrapper is a port of which every method can be replaced.
type wrapper struct {
	bind   func(k *rtos.Kernel) (rtos.Traits, error)
	run    func(ctx context.Context) error
	start  func(t *rtos.Task, body func()) error
	end    func(t *rtos.Task)
	unwind func(t *rtos.Task)
	evict  func(t *rtos.Task)
	kill   func(t *rtos.Task)
	park   func(t *rtos.Task)
	ready  func(t *rtos.Task, from rtos.Origin) bool
	turn   func(t *rtos.Task, why rtos.Why) // Switch
	arm    func(t *rtos.Task, epoch uint64, deadline time.Duration)
	disarm func(t *rtos.Task)
	retune func(t *rtos.Task)
	hold   func(t *rtos.Task)
	resume func(t *rtos.Task) bool // Release
	now    func() time.Duration
	spin   func(t *rtos.Task, n int) bool
	work   func(t *rtos.Task, d time.Duration)
}

// wrap is p, changed.
func wrap(p rtos.Port, change func(w *wrapper)) rtos.Port {
	w := &wrapper{
		p.Bind, p.Run, p.Start, p.End, p.Unwind, p.Evict, p.Kill, p.Park, p.Ready, p.Switch,
		p.Arm, p.Disarm, p.Retune, p.Hold, p.Release, p.Now, p.Spin, p.Work,
	}
	change(w)
	return w
}

func (w *wrapper) Bind(k *rtos.Kernel) (rtos.Traits, error)    { return w.bind(k) }
func (w *wrapper) Run(ctx context.Context) error               { return w.run(ctx) }
func (w *wrapper) Start(t *rtos.Task, body func()) error       { return w.start(t, body) }
func (w *wrapper) End(t *rtos.Task)                            { w.end(t) }
func (w *wrapper) Unwind(t *rtos.Task)                         { w.unwind(t) }
func (w *wrapper) Evict(t *rtos.Task)                          { w.evict(t) }
func (w *wrapper) Kill(t *rtos.Task)                           { w.kill(t) }
func (w *wrapper) Park(t *rtos.Task)                           { w.park(t) }
func (w *wrapper) Ready(t *rtos.Task, from rtos.Origin) bool   { return w.ready(t, from) }
func (w *wrapper) Switch(t *rtos.Task, why rtos.Why)           { w.turn(t, why) }
func (w *wrapper) Arm(t *rtos.Task, e uint64, d time.Duration) { w.arm(t, e, d) }
func (w *wrapper) Disarm(t *rtos.Task)                         { w.disarm(t) }
func (w *wrapper) Retune(t *rtos.Task)                         { w.retune(t) }
func (w *wrapper) Hold(t *rtos.Task)                           { w.hold(t) }
func (w *wrapper) Release(t *rtos.Task) bool                   { return w.resume(t) }
func (w *wrapper) Now() time.Duration                          { return w.now() }
func (w *wrapper) Spin(t *rtos.Task, n int) bool               { return w.spin(t, n) }
func (w *wrapper) Work(t *rtos.Task, d time.Duration)          { w.work(t, d) }
