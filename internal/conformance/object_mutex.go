package conformance

import (
	"context"
	"sync"
	"time"

	"github.com/tickwake/rtos"
)

// holder is an object a task can hold.
type holder interface{ holder() *rtos.Task }

// mutexObject is a mutex; it counts as a semaphore of one token, as in the reference.
type mutexObject struct{ m *rtos.Mutex }

func newMutex(def *Object) object { return mutexObject{rtos.NewMutex(def.ID)} }

func (o mutexObject) holder() *rtos.Task { return o.m.Holder() }

func (o mutexObject) end() []Field { return ownerAtEnd(o.m.Info()) }

func (o mutexObject) take(c *call) bool { return c.wait(locking(c, o.m)) }

func (o mutexObject) give(c *call) bool { return unlocking(c, o.m) == nil }

// giveFromISR stands for a call that the package does not offer: mutexes have no interrupt
// form, and Unlock in an interrupt is misuse. The reference asserts if the mutex is held
// and fails if not.
func (o mutexObject) giveFromISR(*rtos.ISR) bool {
	holder := o.m.Holder()
	return holder != nil && o.m.Unlock(holder) == nil
}

func (o mutexObject) count() int { return int(bit(!o.m.Info().Locked)) }

// lockable is what mutexes of both kinds have.
type lockable interface {
	Lock(t *rtos.Task) error
	TryLock(t *rtos.Task) bool
	LockFor(t *rtos.Task, d time.Duration) error
	LockCtx(ctx context.Context, t *rtos.Task) error
	Unlock(t *rtos.Task) error
	Locker(t *rtos.Task) sync.Locker
}

func locking(c *call, m lockable) waiting {
	return waiting{
		plain: func() error { return m.Lock(c.task) },
		lock:  func() error { return panicked(m.Locker(c.task).Lock) },
		try:   func() bool { return m.TryLock(c.task) },
		limit: func(d time.Duration) error { return m.LockFor(c.task, d) },
		ctx:   func(ctx context.Context) error { return m.LockCtx(ctx, c.task) },
	}
}

func unlocking(c *call, m lockable) error {
	if c.run.forms == generalForms {
		return panicked(m.Locker(c.task).Unlock)
	}
	return m.Unlock(c.task)
}

// panicked is the outcome that f, of a sync.Locker, panics with. Misuse and the unwinding of a
// task go on.
func panicked(f func()) (err error) {
	defer func() {
		v := recover()
		if _, isMisuse := v.(*rtos.MisuseError); isMisuse {
			panic(v)
		}
		var isError bool
		if err, isError = v.(error); v != nil && !isError {
			panic(v)
		}
	}()
	f()
	return nil
}

// recursiveObject is a recursive mutex.
type recursiveObject struct{ m *rtos.RecursiveMutex }

func newRecursive(def *Object) object { return recursiveObject{rtos.NewRecursiveMutex(def.ID)} }

func (o recursiveObject) holder() *rtos.Task { return o.m.Holder() }

func (o recursiveObject) end() []Field { return ownerAtEnd(o.m.Info()) }

func (o recursiveObject) count() int { return int(bit(!o.m.Info().Locked)) }

func ownerAtEnd(i rtos.MutexInfo) []Field { return []Field{{"holder", taskName(i.Owner)}} }

func taskName(t *rtos.Task) Value {
	if t == nil {
		return name("")
	}
	return name(t.Name())
}

// mutexOps are the operations of mutexes that semaphores do not have.
var mutexOps = map[string]func(*call){
	"rtake":  func(c *call) { c.ret = success(c.wait(locking(c, c.obj.(recursiveObject).m))) },
	"rgive":  func(c *call) { c.ret = success(unlocking(c, c.obj.(recursiveObject).m) == nil) },
	"holder": func(c *call) { c.val = taskName(c.obj.(holder).holder()) },
}

// mutexISROps are those in interrupts.
var mutexISROps = map[string]func(*call){
	"holder": mutexOps["holder"],
}
