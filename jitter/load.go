package jitter

import (
	"fmt"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/atomic"
)

// A Load is work beside a measurement, which counts what it does so that a figure "under
// load" can be told from one where the load stood still. Those of this package are
// [TaskLoad]s, those of package [github.com/tickwake/rtos/jitter/stress] processes.
type Load interface {
	// Name is what the load is called in reports.
	Name() string
	// Ops is the number of operations so far. From anywhere.
	Ops() uint64
	// Least is the number of operations a second below which it is no load.
	Least() float64
}

// leastOps is what a load has to do in a second to be called one.
const leastOps = 1000

// A TaskLoad is a load of tasks of a kernel. It runs once: Start, then Stop.
type TaskLoad struct {
	name    string
	least   float64
	bodies  []func(t *rtos.Task, c *opCounter)
	counts  []opCounter
	started atomic.Bool
	stop    atomic.Bool
}

// opCounter counts the operations of one task, on a cache line of its own.
type opCounter struct {
	n atomic.Uint64
	_ [56]byte
}

// done counts an operation and tells whether there is to be another one. In a simulation
// it takes a tick: there nothing else would let time pass.
func (c *opCounter) done(t *rtos.Task) bool {
	c.n.Add(1)
	if k := t.Kernel(); k.Current() != nil {
		t.Work(k.Ticks(1))
	}
	return t.Checkpoint() == nil
}

func newTaskLoad(name string, least float64) *TaskLoad { return &TaskLoad{name: name, least: least} }

// run adds the bodies of the load's tasks.
func (l *TaskLoad) run(bodies ...func(t *rtos.Task, c *opCounter)) *TaskLoad {
	l.bodies, l.counts = bodies, make([]opCounter, len(bodies))
	return l
}

// Start spawns the tasks of the load, all of the same priority, on any kernel: on that of
// the measured task, or on one of its own. The error is that of Spawn. A second Start is
// misuse. Spawn takes a short lock.
func (l *TaskLoad) Start(k *rtos.Kernel, prio int, opts ...rtos.SpawnOption) error {
	if !l.started.CompareAndSwap(false, true) {
		panic(&rtos.MisuseError{Op: "TaskLoad.Start", Object: l.name, Reason: "it was started before"})
	}
	for i, body := range l.bodies {
		name := fmt.Sprintf("%s %d", l.name, i+1)
		if _, err := k.Spawn(name, prio, func(t *rtos.Task) { body(t, &l.counts[i]) }, opts...); err != nil {
			l.Stop()
			return err
		}
	}
	return nil
}

// Stop lets the tasks end after their present operation. It does not wait for them;
// [rtos.Kernel.Run] does. A kernel that ends also ends them. From anywhere. Wait-free.
func (l *TaskLoad) Stop() { l.stop.Store(true) }

// Name implements [Load].
func (l *TaskLoad) Name() string { return l.name }

// Ops implements [Load].
func (l *TaskLoad) Ops() (n uint64) {
	for i := range l.counts {
		n += l.counts[i].n.Load()
	}
	return n
}

// Least implements [Load].
func (l *TaskLoad) Least() float64 { return l.least }

var _ Load = (*TaskLoad)(nil)
