package conformance

import "github.com/tickwake/rtos"

// queueObject is a queue of numbers.
type queueObject struct{ q *rtos.Queue[uint32] }

func newQueue(def *Object) object { return queueObject{rtos.NewQueue[uint32](def.ID, int(def.Len))} }

func (o queueObject) end() []Field {
	return []Field{{"items", Value{Kind: Numbers, List: o.q.Items()}}}
}

// received is the outcome of a call that returns an item.
func (c *call) received(v uint32, ok bool) {
	c.ret = success(ok)
	if ok {
		c.val = number(v)
	}
}

// queueOps are the operations of queues.
var queueOps = map[string]func(*call){
	"qsend": func(c *call) {
		c.ret = success(c.queue().SendFor(c.task, c.op.Value, c.limit()) == nil)
	},
	"qsendfront": func(c *call) {
		c.ret = success(c.queue().SendFrontFor(c.task, c.op.Value, c.limit()) == nil)
	},
	"qoverwrite": func(c *call) {
		c.queue().Overwrite(c.op.Value)
		c.ret = number(1)
	},
	"qrecv": func(c *call) {
		v, err := c.queue().RecvFor(c.task, c.limit())
		c.received(v, err == nil)
	},
	"qpeek": func(c *call) {
		v, err := c.queue().PeekFor(c.task, c.limit())
		c.received(v, err == nil)
	},
	"qreset": func(c *call) {
		c.queue().Reset()
		c.ret = number(1)
	},
	"qwaiting": func(c *call) { c.ret = number(c.queue().Len()) },
	"qspaces":  func(c *call) { c.ret = number(c.queue().Free()) },
}

// queueISROps are those in interrupts.
var queueISROps = map[string]func(*call){
	"qsend":      func(c *call) { c.ret = success(c.queue().TrySendFromISR(c.isr, c.op.Value)) },
	"qsendfront": func(c *call) { c.ret = success(c.queue().TrySendFrontFromISR(c.isr, c.op.Value)) },
	"qoverwrite": func(c *call) {
		c.queue().OverwriteFromISR(c.isr, c.op.Value)
		c.ret = number(1)
	},
	"qrecv":    func(c *call) { c.received(c.queue().TryRecvFromISR(c.isr)) },
	"qpeek":    func(c *call) { c.received(c.queue().TryPeekFromISR(c.isr)) },
	"qwaiting": queueOps["qwaiting"],
}

func (c *call) queue() *rtos.Queue[uint32] { return c.obj.(queueObject).q }
