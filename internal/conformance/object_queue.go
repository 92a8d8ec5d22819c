package conformance

import (
	"context"
	"time"

	"github.com/tickwake/rtos"
)

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

// receive makes a call that returns an item in one of its forms.
func (c *call) receive(
	plain func(*rtos.Task) (uint32, error),
	try func(*rtos.Task) (uint32, bool),
	limit func(*rtos.Task, time.Duration) (uint32, error),
	ctx func(context.Context, *rtos.Task) (uint32, error),
) {
	var v uint32
	ok := c.wait(waiting{
		plain: func() (err error) { v, err = plain(c.task); return err },
		try:   func() (ok bool) { v, ok = try(c.task); return ok },
		limit: func(d time.Duration) (err error) { v, err = limit(c.task, d); return err },
		ctx:   func(x context.Context) (err error) { v, err = ctx(x, c.task); return err },
	})
	c.received(v, ok)
}

// queueOps are the operations of queues.
var queueOps = map[string]func(*call){
	"qsend": func(c *call) {
		q, v := c.queue(), c.op.Value
		c.ret = success(c.wait(waiting{
			plain: func() error { return q.Send(c.task, v) },
			try:   func() bool { return q.TrySend(c.task, v) },
			limit: func(d time.Duration) error { return q.SendFor(c.task, v, d) },
			ctx:   func(ctx context.Context) error { return q.SendCtx(ctx, c.task, v) },
		}))
	},
	"qsendfront": func(c *call) {
		q, v := c.queue(), c.op.Value
		c.ret = success(c.wait(waiting{
			plain: func() error { return q.SendFront(c.task, v) },
			try:   func() bool { return q.TrySendFront(c.task, v) },
			limit: func(d time.Duration) error { return q.SendFrontFor(c.task, v, d) },
			ctx:   func(ctx context.Context) error { return q.SendFrontCtx(ctx, c.task, v) },
		}))
	},
	"qoverwrite": func(c *call) {
		c.queue().Overwrite(c.op.Value)
		c.ret = number(1)
	},
	"qrecv": func(c *call) {
		q := c.queue()
		c.receive(q.Recv, q.TryRecv, q.RecvFor, q.RecvCtx)
	},
	"qpeek": func(c *call) {
		q := c.queue()
		c.receive(q.Peek, q.TryPeek, q.PeekFor, q.PeekCtx)
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
