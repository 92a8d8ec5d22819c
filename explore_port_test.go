//go:build explore

package rtos

import (
	"context"
	"errors"
	"time"
	"weak"

	"github.com/tickwake/rtos/internal/explore"
)

// explorePort is a port without a scheduler whose tasks are threads of an explorer: they
// run in parallel as far as the primitives can tell. Tokens are as on the goroutine port;
// a limit ends a wait by Expire at any moment after it was set.
type explorePort struct {
	w       *explore.World
	threads map[*Task]*explore.Thread
	limits  map[*Task]*explore.Thread // that are armed
}

func newExplorePort(w *explore.World) *explorePort {
	return &explorePort{w, map[*Task]*explore.Thread{}, map[*Task]*explore.Thread{}}
}

func (p *explorePort) Bind(k *Kernel) (Traits, error) { return Traits{}, nil }

func (p *explorePort) Run(context.Context) error { return errors.New("an explorer runs the tasks") }

func (p *explorePort) Start(t *Task, body func()) error {
	p.threads[t] = p.w.Go(t.name, body)
	return nil
}

func (p *explorePort) End(*Task) {}

func (p *explorePort) Unwind(t *Task) { t.PanicUnwind() }

// It neither schedules nor retunes: these calls are not for it.

func (p *explorePort) Evict(*Task)        { p.uncalled("Evict") }
func (p *explorePort) Kill(*Task)         { p.uncalled("Kill") }
func (p *explorePort) Retune(*Task)       { p.uncalled("Retune") }
func (p *explorePort) Hold(*Task)         { p.uncalled("Hold") }
func (p *explorePort) Release(*Task) bool { p.uncalled("Release"); return false }

func (p *explorePort) uncalled(op string) {
	p.w.Fail(errors.New("a port that does not schedule is told to " + op))
}

// Park comes back early if the context is done, as a select would; who ends a context
// readies the task.
func (p *explorePort) Park(t *Task) {
	if p.threads[t] == nil {
		p.threads[t] = p.w.Current() // adopted
	}
	if t.ctx == nil || t.ctx.Err() == nil {
		p.w.Park()
	}
}

func (p *explorePort) Ready(t *Task, _ Origin) bool {
	p.w.Step()
	if th := p.threads[t]; th != nil {
		p.w.Unpark(th)
	}
	return true
}

func (p *explorePort) Switch(*Task, Why) { p.w.Spin() }

func (p *explorePort) Arm(t *Task, epoch uint64, deadline time.Duration) {
	p.limits[t] = p.w.Timer(deadline, "limit of "+t.name, func() { t.Expire(epoch) })
}

func (p *explorePort) Disarm(t *Task) {
	p.w.Cancel(p.limits[t])
	delete(p.limits, t)
}

func (p *explorePort) Now() time.Duration        { return p.w.Now() }
func (p *explorePort) Spin(*Task, int) bool      { return false }
func (p *explorePort) Work(*Task, time.Duration) { p.w.Step() }
func (p *explorePort) forgetKernels()            { kernels.Store(new([]weak.Pointer[Kernel])) }

// parkedOrEnded tells whether t will not go on by itself.
func (p *explorePort) parkedOrEnded(t *Task) bool {
	th := p.threads[t]
	return th.Parked() || th.Done()
}

var _ Port = (*explorePort)(nil)
