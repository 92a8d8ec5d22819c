package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tickwake/rtos"
)

// Lockstep is a cooperative port in virtual time. One task runs at a time, until it waits,
// yields or ends; then it is the turn of the most urgent task that is ready. Time stands
// still meanwhile, but for Work, and jumps to the next deadline when no task is ready.
//
// A task is a goroutine. The turn is handed to it through a channel, and back to Run. Only
// who has the turn calls the port, so nothing needs a lock.
type Lockstep struct {
	k       *rtos.Kernel
	tasks   map[*rtos.Task]*task
	current *rtos.Task // whose turn it is
	ready   []*task    // in the order in which they became so, the current one too
	alarms  []*task    // who waits with a limit
	now     time.Duration
	held    int // Holds without their Release
}

type task struct {
	*rtos.Task
	turn  chan struct{} // to the task, and back
	body  func()        // nil once it has begun
	due   time.Duration // the limit of its wait
	epoch uint64        // the wait that this is the limit of
	dying bool          // it has the turn in order to unwind
}

// NewLockstep makes the port of one kernel.
func NewLockstep() *Lockstep { return &Lockstep{tasks: map[*rtos.Task]*task{}} }

func (p *Lockstep) Bind(k *rtos.Kernel) (rtos.Traits, error) {
	if p.k != nil {
		return rtos.Traits{}, errors.New("a Lockstep is the port of one kernel only")
	}
	p.k = k
	return rtos.Traits{
		Schedules:   true,
		Current:     func() *rtos.Task { return p.current },
		InInterrupt: func() bool { return false }, // this world has none
	}, nil
}

// Run hands the turn to the most urgent task, as long as there are tasks.
func (p *Lockstep) Run(ctx context.Context) (err error) {
	for len(p.tasks) > 0 {
		switch {
		case err == nil && ctx.Err() != nil:
			err = context.Cause(ctx)
			p.k.Stop() // kills all tasks
		case len(p.ready) > 0:
			t := slices.MaxFunc(p.ready, func(a, b *task) int { return cmp.Compare(a.Priority(), b.Priority()) })
			p.current = t.Task
			t.resume()
			p.current = nil
		case !p.idle():
			err = errors.New("deadlock: every task waits for another one")
			p.k.Stop()
		}
	}
	return err
}

// idle makes a task ready, if anything ever will.
func (p *Lockstep) idle() (found bool) {
	for t := range p.k.Tasks() {
		found = t.ExpireContext() || found
	}
	if !found && len(p.alarms) > 0 {
		p.pass(max(p.now, p.earliest().due))
		return true
	}
	return found
}

// pass lets the clock reach now, and ends the waits whose limits are over.
func (p *Lockstep) pass(now time.Duration) {
	for p.now = now; len(p.alarms) > 0 && p.earliest().due <= now; {
		t := p.earliest()
		p.Disarm(t.Task)
		t.Expire(t.epoch) // calls Ready
	}
}

func (p *Lockstep) earliest() *task {
	return slices.MinFunc(p.alarms, func(a, b *task) int { return cmp.Compare(a.due, b.due) })
}

// resume hands t the turn and takes it back: called by Run, and by Kill.
func (t *task) resume() {
	if body := t.body; body != nil {
		t.body = nil
		go func() {
			defer func() { t.turn <- struct{}{} }() // also when it is unwound
			<-t.turn
			body()
		}()
	}
	t.turn <- struct{}{}
	<-t.turn
}

// pause hands the turn back and takes it again: called by t.
func (t *task) pause() {
	t.turn <- struct{}{}
	<-t.turn
	if t.dying {
		_ = t.Checkpoint() // unwinds it, wherever it was
	}
}

func (p *Lockstep) Start(t *rtos.Task, body func()) error {
	p.tasks[t] = &task{Task: t, body: body, turn: make(chan struct{})}
	p.Ready(t, rtos.FromTask)
	return nil
}

func (p *Lockstep) End(t *rtos.Task) {
	p.Evict(t)
	delete(p.tasks, t)
}

// Park returns when somebody has called Ready.
func (p *Lockstep) Park(t *rtos.Task) {
	p.ready = without(p.ready, p.tasks[t])
	p.tasks[t].pause()
}

// Ready puts t last, also if it is ready already.
func (p *Lockstep) Ready(t *rtos.Task, _ rtos.Origin) bool {
	p.Evict(t)
	p.ready = append(p.ready, p.tasks[t])
	return p.current == nil || t.Priority() > p.current.Priority()
}

func (p *Lockstep) Evict(t *rtos.Task) {
	p.ready = without(p.ready, p.tasks[t])
	p.Disarm(t)
}

// Kill gives t the turn in which it unwinds, in the middle of somebody else's.
func (p *Lockstep) Kill(t *rtos.Task) {
	if s := p.tasks[t]; !s.dying { // else it does that already
		s.dying = true
		s.resume()
	}
}

func (p *Lockstep) Unwind(t *rtos.Task) { t.GoexitUnwind() }

// Switch heeds a yield only, since this port preempts nobody. A task that dies has its turn
// to the end.
func (p *Lockstep) Switch(t *rtos.Task, why rtos.Why) {
	if why == rtos.Again && p.held == 0 && !p.tasks[t].dying {
		p.Retune(t)
		p.tasks[t].pause()
	}
}

// Retune only has to care for the order: priorities are looked up when they are needed.
func (p *Lockstep) Retune(t *rtos.Task) {
	if slices.Contains(p.ready, p.tasks[t]) {
		p.Ready(t, rtos.FromTask)
	}
}

func (p *Lockstep) Arm(t *rtos.Task, epoch uint64, deadline time.Duration) {
	s := p.tasks[t]
	s.epoch, s.due = epoch, deadline
	p.alarms = append(p.alarms, s)
}

func (p *Lockstep) Disarm(t *rtos.Task) { p.alarms = without(p.alarms, p.tasks[t]) }

func (p *Lockstep) Hold(*rtos.Task)           { p.held++ }
func (p *Lockstep) Release(*rtos.Task) bool   { p.held--; return false }
func (p *Lockstep) Now() time.Duration        { return p.now }
func (p *Lockstep) Spin(*rtos.Task, int) bool { return false } // nobody else runs meanwhile

func (p *Lockstep) Work(_ *rtos.Task, d time.Duration) {
	p.pass(p.now + min(d, rtos.Forever-p.now))
}

func without(list []*task, t *task) []*task {
	return slices.DeleteFunc(list, func(u *task) bool { return u == t })
}
