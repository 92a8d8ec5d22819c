package conformance

import (
	"fmt"
	"time"

	"github.com/tickwake/rtos"
)

// scripted is a task of the scenario.
type scripted struct {
	task       *rtos.Task
	generation int // how often it has been created
	exists     bool
	pc         int // operation in progress
	done       bool
	reference  time.Duration // of delayuntil
}

// create makes a task that does not exist.
func (r *runner) create(index int) {
	def, st := &r.scenario.Tasks[index], &r.tasks[index]
	*st = scripted{generation: st.generation + 1, exists: true}
	generation := st.generation
	task, err := r.kernel.Spawn(def.ID, def.Priority, func(t *rtos.Task) {
		st.task = t
		r.script(t, def, st)
	})
	if err != nil {
		r.fail(fmt.Errorf("task %q: %w", def.ID, err))
		return
	}
	// A more important task has run by now, and may be gone or have been created again.
	if st.generation == generation {
		st.task = task
	}
}

// gone notes that the target of a delete does not exist any more.
func (r *runner) gone(to int, caller *scripted) {
	st := caller
	if to != Self {
		st = &r.tasks[to]
	}
	st.exists = false
}

// script is the body of a task.
func (r *runner) script(t *rtos.Task, def *Task, st *scripted) {
	st.reference = r.kernel.Now()
	for pc := range def.Script {
		if r.halted {
			return
		}
		st.pc = pc
		c := call{run: r, op: &def.Script[pc], self: st, task: t}
		c.event = Event{Actor: TaskActor, ID: def.ID, PC: pc, Op: c.op.Name}
		c.perform(r.taskOps)
	}
	st.pc, st.done = len(def.Script), true
	done := Event{Kind: DoneEvent, Actor: TaskActor, ID: def.ID}
	r.record(done)
	for !r.halted {
		misuse := r.assertion(func() { _ = t.SuspendSelf() })
		if misuse != nil && !r.halted {
			r.assert(Event{Actor: TaskActor, ID: def.ID, PC: st.pc, Op: "park"}, misuse)
		}
	}
}
