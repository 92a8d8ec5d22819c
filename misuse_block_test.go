package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// blockingCalls are the calls that would wait in a misuseWorld, with their polls.
var blockingCalls = []struct {
	name   string
	call   func(w *misuseWorld, t *rtos.Task)
	op     string
	object string
	poll   func(w *misuseWorld, t *rtos.Task) error // nil: there is none
}{
	{"Mutex.Lock", func(w *misuseWorld, t *rtos.Task) { _ = w.m.Lock(t) }, "Mutex.Lock", "m",
		func(w *misuseWorld, t *rtos.Task) error { return w.m.LockFor(t, 0) }},
	{"Mutex.LockFor", func(w *misuseWorld, t *rtos.Task) { _ = w.m.LockFor(t, time.Second) }, "Mutex.Lock", "m", nil},
	{"Mutex.LockCtx", func(w *misuseWorld, t *rtos.Task) { _ = w.m.LockCtx(context.Background(), t) }, "Mutex.Lock", "m", nil},
	{"RecursiveMutex.Lock", func(w *misuseWorld, t *rtos.Task) { _ = w.r.Lock(t) }, "RecursiveMutex.Lock", "r",
		func(w *misuseWorld, t *rtos.Task) error { return w.r.LockFor(t, 0) }},
	{"Semaphore.Take", func(w *misuseWorld, t *rtos.Task) { _ = w.e.Take(t) }, "Semaphore.Take", "e",
		func(w *misuseWorld, t *rtos.Task) error { return w.e.TakeFor(t, 0) }},
	{"Semaphore.TakeFor", func(w *misuseWorld, t *rtos.Task) { _ = w.e.TakeFor(t, 5) }, "Semaphore.Take", "e", nil},
	{"Queue.Send", func(w *misuseWorld, t *rtos.Task) { _ = w.o.Send(t, 1) }, "Queue.Send", "o",
		func(w *misuseWorld, t *rtos.Task) error { return w.o.SendFor(t, 1, 0) }},
	{"Queue.SendFor", func(w *misuseWorld, t *rtos.Task) { _ = w.o.SendFor(t, 1, 5) }, "Queue.Send", "o", nil},
	{"Queue.SendFront", func(w *misuseWorld, t *rtos.Task) { _ = w.o.SendFront(t, 1) }, "Queue.SendFront", "o",
		func(w *misuseWorld, t *rtos.Task) error { return w.o.SendFrontFor(t, 1, 0) }},
	{"Queue.Recv", func(w *misuseWorld, t *rtos.Task) { _, _ = w.q.Recv(t) }, "Queue.Recv", "q",
		func(w *misuseWorld, t *rtos.Task) error { _, err := w.q.RecvFor(t, 0); return err }},
	{"Queue.RecvCtx", func(w *misuseWorld, t *rtos.Task) { _, _ = w.q.RecvCtx(context.Background(), t) }, "Queue.Recv", "q", nil},
	{"Queue.Peek", func(w *misuseWorld, t *rtos.Task) { _, _ = w.q.Peek(t) }, "Queue.Peek", "q",
		func(w *misuseWorld, t *rtos.Task) error { _, err := w.q.PeekFor(t, 0); return err }},
	{"NotifyTake", func(_ *misuseWorld, t *rtos.Task) { _, _ = t.NotifyTake(true, time.Second) }, "Task.NotifyTake", "",
		func(_ *misuseWorld, t *rtos.Task) error { _, err := t.NotifyTake(true, 0); return err }},
	{"NotifyWait", func(_ *misuseWorld, t *rtos.Task) { _, _ = t.NotifyWait(rtos.NotifyWait{}, time.Second) }, "Task.NotifyWait", "",
		func(_ *misuseWorld, t *rtos.Task) error { _, err := t.NotifyWait(rtos.NotifyWait{}, 0); return err }},
	{"Delay", func(_ *misuseWorld, t *rtos.Task) { _ = t.Delay(time.Second) }, "Task.Delay", "", nil},
	{"DelayUntil", func(_ *misuseWorld, t *rtos.Task) {
		ref := t.Kernel().Now()
		_, _ = t.DelayUntil(&ref, time.Hour)
	}, "Task.DelayUntil", "", nil},
	{"SuspendSelf", func(_ *misuseWorld, t *rtos.Task) { _ = t.SuspendSelf() }, "Task.SuspendSelf", "", nil},
}

// Field case 18, parts 1 and 2: a call that would block is refused, one that would
// not answers, and what forbids it can still be left.
func TestBlockingWhereForbiddenIsRefused(t *testing.T) {
	for _, s := range []struct {
		name   string
		reason string
		inside func(w *misuseWorld, t *rtos.Task, f func())
	}{
		{"in a critical section", "critical section", func(w *misuseWorld, t *rtos.Task, f func()) {
			w.k.EnterCritical(t)
			defer w.k.ExitCritical(t)
			f()
		}},
		{"in a nested critical section", "critical section", func(w *misuseWorld, t *rtos.Task, f func()) {
			w.k.Critical(t, func() { w.k.Critical(t, func() {}); f() })
		}},
		{"with the scheduler suspended", "scheduler suspended", func(w *misuseWorld, t *rtos.Task, f func()) {
			w.k.SuspendScheduler(t)
			defer w.k.ResumeScheduler(t)
			f()
		}},
		{"with a spinlock held", "spinlock held", func(w *misuseWorld, t *rtos.Task, f func()) {
			w.l.Lock(t)
			defer w.l.Unlock(t)
			f()
		}},
		{"with a spinlock held by try", "spinlock held", func(w *misuseWorld, t *rtos.Task, f func()) {
			if !w.l.TryLock(t) {
				panic("free, but not taken")
			}
			w.l.Lock(t)
			w.l.Unlock(t)
			defer w.l.Unlock(t)
			f()
		}},
	} {
		for _, c := range blockingCalls {
			t.Run(s.name+"/"+c.name, misuseCase{
				call: func(w *misuseWorld, me *rtos.Task) {
					s.inside(w, me, func() {
						if c.poll != nil {
							assert.ErrorIs(t, c.poll(w, me), rtos.ErrWouldBlock)
						}
						assert.True(t, w.f.TryTake(me), "a take that need not wait")
						assert.True(t, w.f.Give())
						assert.NoError(t, me.NotifyGive())
						v, err := me.NotifyTake(true, time.Second)
						assert.Equal(t, uint32(1), v)
						assert.NoError(t, err)
						c.call(w, me)
					})
				},
				want: miss(c.op, "caller", c.object, s.reason),
			}.run)
		}
	}
}

// In a simulation the scheduler is really suspended: nothing must switch meanwhile.
func TestBlockingUnderASuspendedSchedulerInVirtualTime(t *testing.T) {
	for _, c := range blockingCalls {
		t.Run(c.name, func(t *testing.T) {
			k, _ := newSim(t, sim.Options{}, rtos.Config{})
			w := &misuseWorld{k: k, m: rtos.NewMutex("m"), r: rtos.NewRecursiveMutex("r"), e: rtos.NewBinary("e"), q: rtos.NewQueue[int]("q", 2), o: fullQueue("o")}
			var order []string
			w.owner = spawn(t, k, "owner", 3, func(o *rtos.Task) {
				assert.NoError(t, w.m.Lock(o))
				assert.NoError(t, w.r.Lock(o))
				assert.NoError(t, o.Delay(k.Ticks(5)))
				order = append(order, "owner")
				assert.NoError(t, w.r.Unlock(o))
				assert.NoError(t, w.m.Unlock(o))
			})
			spawn(t, k, "caller", 2, func(me *rtos.Task) {
				k.SuspendScheduler(me)
				if c.poll != nil {
					assert.ErrorIs(t, c.poll(w, me), rtos.ErrWouldBlock)
				}
				me.Work(k.Ticks(10))
				misuses(t, miss(c.op, "caller", c.object, "scheduler suspended"), func() { c.call(w, me) })
				order = append(order, "caller")
				assert.Equal(t, rtos.Ticks(0), k.TickCount(), "ticks are remembered, not counted")
				k.ResumeScheduler(me)
				assert.Equal(t, rtos.Ticks(10), k.TickCount())
				assert.NoError(t, w.m.Lock(me))
				assert.NoError(t, w.m.Unlock(me))
			})
			finish(t, k)
			assert.Equal(t, []string{"caller", "owner"}, order)
		})
	}
}

// An interrupt must use the FromISR forms: everything else that could block, or
// switch, is refused and changes nothing.
func TestTaskFormsInAnInterruptAreRefused(t *testing.T) {
	calls := []misuseCase{
		{"Mutex.Unlock", func(w *misuseWorld, _ *rtos.Task) { _ = w.m.Unlock(w.owner) }, miss("Mutex.Unlock", "owner", "m", "interrupt")},
		{"Semaphore.TryTake", func(w *misuseWorld, me *rtos.Task) { w.e.TryTake(me) }, miss("Semaphore.Take", "caller", "e", "interrupt")},
		{"Semaphore.Give with a waiter", func(w *misuseWorld, _ *rtos.Task) { w.f.Give() }, miss("Semaphore.Give", "", "f", "interrupt")},
		{"Queue.TrySend", func(w *misuseWorld, me *rtos.Task) { w.q.TrySend(me, 1) }, miss("Queue.Send", "caller", "q", "interrupt")},
		{"Queue.TrySendFront", func(w *misuseWorld, me *rtos.Task) { w.q.TrySendFront(me, 1) }, miss("Queue.SendFront", "caller", "q", "interrupt")},
		{"Queue.TryRecv", func(w *misuseWorld, me *rtos.Task) { w.o.TryRecv(me) }, miss("Queue.Recv", "caller", "o", "interrupt")},
		{"Queue.TryPeek", func(w *misuseWorld, me *rtos.Task) { w.o.TryPeek(me) }, miss("Queue.Peek", "caller", "o", "interrupt")},
		{"NotifyGive", func(w *misuseWorld, _ *rtos.Task) { _ = w.owner.NotifyGiveAt(1) }, miss("Task.Notify", "", "owner", "interrupt")},
	}
	for _, c := range blockingCalls {
		calls = append(calls, misuseCase{c.name, c.call, miss(c.op, "caller", c.object, "interrupt")})
	}
	if debugging {
		calls = calls[1:] // there the caller counts first, and the interrupt is not the owner
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{}, rtos.Config{})
			w := &misuseWorld{
				k: k, m: rtos.NewMutex("m"), r: rtos.NewRecursiveMutex("r"),
				e: rtos.NewBinary("e"), f: rtos.NewBinary("f"),
				q: rtos.NewQueue[int]("q", 2), o: fullQueue("o"),
			}
			w.owner = spawn(t, k, "owner", 3, func(o *rtos.Task) {
				assert.NoError(t, w.m.Lock(o))
				assert.NoError(t, w.r.Lock(o))
				assert.ErrorIs(t, w.f.TakeFor(o, k.Ticks(20)), rtos.ErrTimeout)
				assert.NoError(t, w.r.Unlock(o))
				assert.NoError(t, w.m.Unlock(o))
			})
			me := spawn(t, k, "caller", 2, func(me *rtos.Task) { me.Work(k.Ticks(10)) })
			ran := false
			s.At(5, func(*rtos.ISR) {
				ran = true
				misuses(t, c.want, func() { c.call(w, me) })
				assert.Same(t, w.owner, w.m.Holder())
				assert.Same(t, w.owner, w.r.Holder())
				assert.Zero(t, w.f.Count())
				assert.Zero(t, w.e.Count())
				assert.Zero(t, w.q.Len())
				assert.Equal(t, 1, w.o.Len())
				assert.False(t, w.owner.NotifyPending(1))
			})
			finish(t, k)
			assert.True(t, ran)
			assert.Equal(t, rtos.Ticks(20), k.TickCount())
			assert.Nil(t, w.m.Holder(), "it was given in the end")
		})
	}
}

func TestSpinlockOfTheInterruptedTaskIsRefusedToAnInterrupt(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	var l rtos.Spinlock
	spawn(t, k, "holder", 1, func(me *rtos.Task) {
		l.Lock(me)
		me.Work(k.Ticks(10))
		l.Unlock(me)
	})
	s.At(5, func(i *rtos.ISR) {
		misuses(t, miss("Spinlock.LockFromISR", "", "", "it would spin for ever"), func() { l.LockFromISR(i) })
		assert.False(t, l.TryLockFromISR(i))
	})
	s.At(15, func(i *rtos.ISR) {
		l.LockFromISR(i)
		l.UnlockFromISR(i)
	})
	finish(t, k)
	assert.Nil(t, l.Holder())
}

// A target that is nil is named as such, not met as a fault of the memory.
func TestNilTargetIsMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"NotifyGive":       func() { _ = none.NotifyGive() },
		"NotifyGiveAt":     func() { _ = none.NotifyGiveAt(1) },
		"Notify":           func() { _ = none.Notify(1, rtos.SetBits) },
		"NotifyQuery":      func() { _, _ = none.NotifyQuery(1, rtos.SetBits) },
		"NotifyStateClear": func() { none.NotifyStateClear(0) },
		"NotifyValueClear": func() { none.NotifyValueClear(0, 1) },
		"NotifyPending":    func() { none.NotifyPending(0) },
		"Delete":           func() { none.Delete() },
		"Suspend":          func() { none.Suspend() },
		"Resume":           func() { none.Resume() },
		"AbortDelay":       func() { none.AbortDelay() },
		"SetPriority":      func() { none.SetPriority(1) },
		"Yield":            func() { none.Yield() },
		"Checkpoint":       func() { _ = none.Checkpoint() },
		"Exit":             func() { none.Exit() },
		"Work":             func() { none.Work(1) },
		"Release":          func() { _ = none.Release() },
	} {
		t.Run(name, func(t *testing.T) {
			v := caught(f)
			require.NotNil(t, v)
			e, ok := v.(*rtos.MisuseError)
			require.True(t, ok, "%T: %v", v, v)
			assert.Contains(t, e.Reason, "nil task")
		})
	}
}

// A give in an interrupt is refused whoever runs, also where nobody waits and the owner holds
// nothing else.
func TestUnlockInAnInterruptIsRefused(t *testing.T) {
	if debugging {
		t.Skip("there the caller counts first")
	}
	for name, lock := range map[string]lockable{"Mutex": rtos.NewMutex("m"), "RecursiveMutex": rtos.NewRecursiveMutex("m")} {
		for what, wait := range map[string]func(k *rtos.Kernel, me *rtos.Task){
			"the owner runs": func(k *rtos.Kernel, me *rtos.Task) { me.Work(k.Ticks(10)) },
			"nobody runs":    func(k *rtos.Kernel, me *rtos.Task) { assert.NoError(t, me.Delay(k.Ticks(10))) },
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				k, s := newSim(t, sim.Options{}, rtos.Config{})
				depth := 1
				if name == "RecursiveMutex" {
					depth = 2
				}
				owner := spawn(t, k, "owner", 3, func(me *rtos.Task) {
					for range depth {
						assert.NoError(t, lock.Lock(me))
					}
					for range depth {
						wait(k, me)
						assert.NoError(t, lock.Unlock(me))
					}
				})
				ran := 0
				for i := range depth { // while it is held so often
					s.At(uint64(5+10*i), func(*rtos.ISR) {
						ran++
						misuses(t, miss(name+".Unlock", "owner", "m", "interrupt"), func() { _ = lock.Unlock(owner) })
					})
				}
				finish(t, k)
				assert.Equal(t, depth, ran)
			})
		}
	}
}
