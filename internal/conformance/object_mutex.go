package conformance

import (
	"time"

	"github.com/tickwake/rtos"
)

// holder is an object a task can hold.
type holder interface{ holder() *rtos.Task }

// mutexObject is a mutex; it counts as a semaphore of one token, as in the reference.
type mutexObject struct{ m *rtos.Mutex }

func newMutex(def *Object) object { return mutexObject{rtos.NewMutex(def.ID)} }

func (o mutexObject) holder() *rtos.Task { return o.m.Holder() }

func (o mutexObject) end() []Field { return []Field{{"holder", holderName(o)}} }

func (o mutexObject) take(t *rtos.Task, d time.Duration) bool { return o.m.LockFor(t, d) == nil }

func (o mutexObject) give(t *rtos.Task) bool { return o.m.Unlock(t) == nil }

// giveFromISR stands for a call the package does not offer: mutexes have no
// interrupt form. The reference asserts if the mutex is held and fails if not.
func (o mutexObject) giveFromISR(*rtos.ISR) bool {
	if o.m.Holder() != nil {
		panic(&rtos.MisuseError{Op: "Mutex.Unlock", Object: o.m.Info().Name, Reason: "given from an interrupt"})
	}
	return false
}

func (o mutexObject) count() int { return int(bit(o.m.Holder() == nil)) }

// recursiveObject is a recursive mutex.
type recursiveObject struct{ m *rtos.RecursiveMutex }

func newRecursive(def *Object) object { return recursiveObject{rtos.NewRecursiveMutex(def.ID)} }

func (o recursiveObject) holder() *rtos.Task { return o.m.Holder() }

func (o recursiveObject) end() []Field { return []Field{{"holder", holderName(o)}} }

func (o recursiveObject) count() int { return int(bit(o.m.Holder() == nil)) }

func holderName(h holder) Value {
	if t := h.holder(); t != nil {
		return name(t.Name())
	}
	return name("")
}

// mutexOps are the operations of mutexes that semaphores do not have.
var mutexOps = map[string]func(*call){
	"rtake": func(c *call) {
		c.ret = success(c.obj.(recursiveObject).m.LockFor(c.task, c.limit()) == nil)
	},
	"rgive":  func(c *call) { c.ret = success(c.obj.(recursiveObject).m.Unlock(c.task) == nil) },
	"holder": func(c *call) { c.val = holderName(c.obj.(holder)) },
}

// mutexISROps are those in interrupts.
var mutexISROps = map[string]func(*call){
	"holder": mutexOps["holder"],
}
