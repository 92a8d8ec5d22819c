package conformance

import "maps"

// taskControlOps are the operations on tasks, time and the scheduler. How a delay or a
// suspension ends is not part of a trace, so their errors are dropped.
var taskControlOps = map[string]func(*call){
	"delay": func(c *call) { _ = c.task.Delay(c.ticks(c.op.N)) },
	"delayuntil": func(c *call) {
		waited, _ := c.task.DelayUntil(&c.self.reference, c.ticks(c.op.N))
		c.ret = success(waited)
	},
	"wakemark": func(c *call) {
		c.self.reference = c.run.kernel.Now()
		c.ret = number(c.run.kernel.TickCount())
	},
	"work":      func(c *call) { c.task.Work(c.ticks(c.op.N)) },
	"yield":     func(c *call) { c.task.Yield() },
	"tickcount": func(c *call) { c.ret = number(c.run.kernel.TickCount()) },
	"catchup":   func(c *call) { c.ret = success(c.run.sim.CatchUp(c.op.N)) },

	"suspend": func(c *call) {
		if c.target == c.task {
			_ = c.task.SuspendSelf()
			return
		}
		c.target.Suspend()
	},
	"resume":      func(c *call) { c.target.Resume() },
	"prioset":     func(c *call) { c.target.SetPriority(int(c.op.N)) },
	"prioget":     func(c *call) { c.ret = number(c.target.Priority()) },
	"baseprioget": func(c *call) { c.ret = number(c.target.BasePriority()) },
	"abortdelay":  func(c *call) { c.ret = success(c.target.AbortDelay()) },
	"state":       func(c *call) { c.val = text(c.target.State().String()) },
	"create": func(c *call) {
		c.run.create(c.op.To)
		c.ret = number(1)
	},
	"delete": func(c *call) {
		if c.target == c.task {
			// The call does not return, so the event comes first.
			c.record()
		}
		c.run.gone(c.op.To, c.self)
		c.target.Delete()
	},
	"suspendall": func(c *call) { c.run.kernel.SuspendScheduler(c.task) },
	"resumeall":  func(c *call) { c.ret = success(c.run.kernel.ResumeScheduler(c.task)) },
}

// taskControlISROps are those in interrupts.
var taskControlISROps = map[string]func(*call){
	"resume":    func(c *call) { c.ret = success(c.target.ResumeFromISR(c.isr)) },
	"prioget":   taskControlOps["prioget"],
	"tickcount": taskControlOps["tickcount"],
}

// taskOps and isrOps are the operations by name. A new kind of object adds its tables here.
var (
	taskOps = merge(taskControlOps, notifyOps, semaphoreOps, mutexOps, queueOps)
	isrOps  = merge(taskControlISROps, notifyISROps, semaphoreISROps, mutexISROps, queueISROps)
)

func merge(tables ...map[string]func(*call)) map[string]func(*call) {
	all := map[string]func(*call){}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
