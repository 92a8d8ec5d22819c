package conformance

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tickwake/rtos"
)

// call is one operation while it is carried out.
type call struct {
	run    *runner
	op     *Op
	event  Event      // who acts, and where in its script
	self   *scripted  // in a task: its script
	task   *rtos.Task // in a task: the caller
	isr    *rtos.ISR  // in an interrupt
	target *rtos.Task // whom op.To means, if anybody
	obj    object     // what op.Obj means, if anything
	ret    Value
	val    Value
	done   bool // the event has been recorded
}

// perform carries out the operation and records its event, or that of an assertion.
func (c *call) perform(ops map[string]func(*call)) {
	misuse := c.run.assertion(func() { c.execute(ops) })
	switch {
	case c.run.halted:
	case misuse != nil:
		c.run.assert(c.event, misuse)
	default:
		c.record()
	}
}

// execute finds what the operation is about, and skips it if the harness rules of the format say so.
func (c *call) execute(ops map[string]func(*call)) {
	if c.op.Obj >= 0 {
		c.obj = c.run.objects[c.op.Obj]
	}
	c.target = c.task
	if c.op.To != Self {
		to := &c.run.tasks[c.op.To]
		if to.exists == (c.op.Name == "create") {
			c.event.Skip = true
			return
		}
		c.target = to.task
	}
	if c.op.Guard {
		holds := c.obj.(holder).holder() == c.task
		if holds != (c.op.Name == "give") {
			c.event.Skip = true
			return
		}
	}
	f := ops[c.op.Name]
	if f == nil {
		c.fail(fmt.Errorf("op %q is not supported", c.op.Name))
		return
	}
	f(c)
}

// fail ends the run with an error in this operation.
func (c *call) fail(err error) {
	where := fmt.Sprintf("task %q", c.event.ID)
	if c.isr != nil {
		where = fmt.Sprintf("isrs[%d]", c.event.ISR)
	}
	c.run.fail(fmt.Errorf("%s op %d: %w", where, c.event.PC, err))
}

// record adds the event of the operation to the trace, once.
func (c *call) record() {
	if c.done {
		return
	}
	c.done = true
	c.event.Ret, c.event.Val = c.ret, c.val
	if c.isr != nil {
		c.event.Woken = success(c.isr.TakeWoken())
	}
	c.run.record(c.event)
}

// limit is the wait limit as the package takes it.
func (c *call) limit() time.Duration {
	if c.op.Wait.Forever {
		return rtos.Forever
	}
	return c.ticks(c.op.Wait.Ticks)
}

func (c *call) ticks(n uint32) time.Duration { return c.run.kernel.Ticks(uint64(n)) }

// assertion calls f and returns the misuse it panicked with. Other panics go on: the
// simulation unwinds tasks by one.
func (r *runner) assertion(f func()) (misuse *rtos.MisuseError) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *rtos.MisuseError:
			misuse = p
		case runtime.Error:
			r.fail(fmt.Errorf("panic: %w\n%s", p, debug.Stack()))
			panic(p)
		default:
			panic(p)
		}
	}()
	f()
	return nil
}
