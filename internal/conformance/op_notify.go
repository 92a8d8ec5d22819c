package conformance

import (
	"context"
	"time"

	"github.com/tickwake/rtos"
)

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
	"notify": func(c *call) { c.ret = success(notify(c) == nil) },
	"notifyquery": func(c *call) {
		prev, err := notifyQuery(c)
		c.ret, c.val = success(err == nil), number(prev)
	},
	"notifygive": func(c *call) {
		if c.slotted() {
			c.ret = success(c.target.NotifyGiveAt(c.op.Index) == nil)
		} else {
			c.ret = success(c.target.NotifyGive() == nil)
		}
	},
	"notifytake":       func(c *call) { c.ret = number(notifyTake(c)) },
	"notifywait":       func(c *call) { notifyWait(c) },
	"notifystateclear": func(c *call) { c.ret = success(c.target.NotifyStateClear(c.op.Index)) },
	"notifyvalueclear": func(c *call) { c.ret = number(c.target.NotifyValueClear(c.op.Index, c.op.Bits)) },
}

func notify(c *call) error {
	if c.slotted() {
		return c.target.NotifyAt(c.op.Index, c.op.Value, actions[c.op.Action])
	}
	return c.target.Notify(c.op.Value, actions[c.op.Action])
}

func notifyQuery(c *call) (prev uint32, err error) {
	if c.slotted() {
		return c.target.NotifyQueryAt(c.op.Index, c.op.Value, actions[c.op.Action])
	}
	return c.target.NotifyQuery(c.op.Value, actions[c.op.Action])
}

func notifyTake(c *call) (before uint32) {
	c.wait(waiting{
		limit: func(d time.Duration) (err error) {
			if c.slotted() {
				before, err = c.task.NotifyTakeAt(c.op.Index, c.op.Clear, d)
			} else {
				before, err = c.task.NotifyTake(c.op.Clear, d)
			}
			return err
		},
		ctx: func(ctx context.Context) (err error) {
			if c.op.Index != 0 {
				before, err = c.task.NotifyTakeAtCtx(ctx, c.op.Index, c.op.Clear)
			} else {
				before, err = c.task.NotifyTakeCtx(ctx, c.op.Clear)
			}
			return err
		},
	})
	return before
}

func notifyWait(c *call) {
	var before uint32
	o := rtos.NotifyWait{Slot: c.op.Index, ClearOnEntry: c.op.Entry, ClearOnExit: c.op.Exit}
	ok := c.wait(waiting{
		limit: func(d time.Duration) (err error) {
			before, err = c.task.NotifyWait(o, d)
			return err
		},
		ctx: func(ctx context.Context) (err error) {
			before, err = c.task.NotifyWaitCtx(ctx, o)
			return err
		},
	})
	c.ret, c.val = success(ok), number(before)
}

// notifyISROps are those in interrupts.
var notifyISROps = map[string]func(*call){
	"notify": func(c *call) {
		if c.slotted() {
			c.ret = success(c.target.NotifyAtFromISR(c.isr, c.op.Index, c.op.Value, actions[c.op.Action]) == nil)
		} else {
			c.ret = success(c.target.NotifyFromISR(c.isr, c.op.Value, actions[c.op.Action]) == nil)
		}
	},
	"notifyquery": func(c *call) {
		prev, err := c.target.NotifyQueryAtFromISR(c.isr, c.op.Index, c.op.Value, actions[c.op.Action])
		c.ret, c.val = success(err == nil), number(prev)
	},
	// The interrupt form returns nothing in the reference.
	"notifygive": func(c *call) {
		if c.slotted() {
			_ = c.target.NotifyGiveAtFromISR(c.isr, c.op.Index)
		} else {
			_ = c.target.NotifyGiveFromISR(c.isr)
		}
	},
}
