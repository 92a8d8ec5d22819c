package conformance

import (
	"context"
	"time"

	"github.com/tickwake/rtos"
)

// semaphore is what take and give work on.
type semaphore interface {
	take(c *call) bool
	give(c *call) bool
	giveFromISR(isr *rtos.ISR) bool
}

// semaphoreObject is a binary or counting semaphore.
type semaphoreObject struct{ s *rtos.Semaphore }

func newSemaphore(def *Object) object {
	if def.Kind == "counting" {
		return semaphoreObject{rtos.NewCounting(def.ID, int(def.Max), int(def.Initial))}
	}
	s := rtos.NewBinary(def.ID)
	if def.Initial == 1 {
		s.Give()
	}
	return semaphoreObject{s}
}

func (o semaphoreObject) end() []Field { return []Field{{"count", number(o.s.Info().Count)}} }

func (o semaphoreObject) take(c *call) bool {
	return c.wait(waiting{
		plain: func() error { return o.s.Take(c.task) },
		try:   func() bool { return o.s.TryTake(c.task) },
		limit: func(d time.Duration) error { return o.s.TakeFor(c.task, d) },
		ctx:   func(ctx context.Context) error { return o.s.TakeCtx(ctx, c.task) },
	})
}

func (o semaphoreObject) give(*call) bool { return o.s.Give() }

func (o semaphoreObject) giveFromISR(isr *rtos.ISR) bool { return o.s.GiveFromISR(isr) }

func (o semaphoreObject) count() int { return o.s.Count() }

// semaphoreOps are the operations of semaphores and mutexes.
var semaphoreOps = map[string]func(*call){
	"take":     func(c *call) { c.ret = success(c.obj.(semaphore).take(c)) },
	"give":     func(c *call) { c.ret = success(c.obj.(semaphore).give(c)) },
	"semcount": func(c *call) { c.ret = number(c.obj.(interface{ count() int }).count()) },
}

// semaphoreISROps are those in interrupts.
var semaphoreISROps = map[string]func(*call){
	"take": func(c *call) { c.ret = success(c.obj.(semaphoreObject).s.TryTakeFromISR(c.isr)) },
	"give": func(c *call) { c.ret = success(c.obj.(semaphore).giveFromISR(c.isr)) },
}
