package conformance

import "github.com/tickwake/rtos"

// actions translates the names of the format.
var actions = map[string]rtos.Action{
	"none":        rtos.NoAction,
	"setbits":     rtos.SetBits,
	"increment":   rtos.Increment,
	"overwrite":   rtos.Overwrite,
	"nooverwrite": rtos.SetIfClear,
}

// notifyOps are the operations on notification slots.
var notifyOps = map[string]func(*call){
	"notify": func(c *call) {
		c.ret = success(c.target.NotifyAt(c.op.Index, c.op.Value, actions[c.op.Action]) == nil)
	},
	"notifyquery": func(c *call) {
		prev, err := c.target.NotifyQueryAt(c.op.Index, c.op.Value, actions[c.op.Action])
		c.ret, c.val = success(err == nil), number(prev)
	},
	"notifygive": func(c *call) { c.ret = success(c.target.NotifyGiveAt(c.op.Index) == nil) },
	"notifytake": func(c *call) {
		before, _ := c.task.NotifyTakeAt(c.op.Index, c.op.Clear, c.limit())
		c.ret = number(before)
	},
	"notifywait": func(c *call) {
		before, err := c.task.NotifyWait(rtos.NotifyWait{
			Slot:         c.op.Index,
			ClearOnEntry: c.op.Entry,
			ClearOnExit:  c.op.Exit,
		}, c.limit())
		c.ret, c.val = success(err == nil), number(before)
	},
	"notifystateclear": func(c *call) { c.ret = success(c.target.NotifyStateClear(c.op.Index)) },
	"notifyvalueclear": func(c *call) { c.ret = number(c.target.NotifyValueClear(c.op.Index, c.op.Bits)) },
}

// notifyISROps are those in interrupts.
var notifyISROps = map[string]func(*call){
	"notify": func(c *call) {
		err := c.target.NotifyAtFromISR(c.isr, c.op.Index, c.op.Value, actions[c.op.Action])
		c.ret = success(err == nil)
	},
	"notifyquery": func(c *call) {
		prev, err := c.target.NotifyQueryAtFromISR(c.isr, c.op.Index, c.op.Value, actions[c.op.Action])
		c.ret, c.val = success(err == nil), number(prev)
	},
	// The interrupt form returns nothing in the reference.
	"notifygive": func(c *call) { _ = c.target.NotifyGiveAtFromISR(c.isr, c.op.Index) },
}
