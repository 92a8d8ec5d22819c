package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// misuseWorld is what every case of misuse finds, and must leave as it was: m, r
// and s are in the hands of the task owner, which waits; e is empty, f has one
// token; the caller holds nothing.
type misuseWorld struct {
	k     *rtos.Kernel
	owner *rtos.Task
	m     *rtos.Mutex
	r     *rtos.RecursiveMutex
	e, f  *rtos.Semaphore
	l     rtos.Spinlock
	q, o  *rtos.Queue[int] // q of length 2 is empty, o of length 1 is full
}

// misuseCase is a call by task "caller" that must be refused.
type misuseCase struct {
	name string
	call func(w *misuseWorld, t *rtos.Task)
	want rtos.MisuseError
}

func (c misuseCase) run(t *testing.T) {
	leakless(t)
	w := &misuseWorld{
		k: newKernel(t, rtos.Config{}), m: rtos.NewMutex("m"), r: rtos.NewRecursiveMutex("r"),
		e: rtos.NewBinary("e"), f: rtos.NewCounting("f", 3, 1),
		q: rtos.NewQueue[int]("q", 2), o: fullQueue("o"),
	}
	w.owner = spawn(t, w.k, "owner", 3, func(o *rtos.Task) {
		assert.NoError(t, w.m.Lock(o))
		assert.NoError(t, w.r.Lock(o))
		_, err := o.NotifyTakeAt(2, true, rtos.Forever)
		assert.NoError(t, err)
		assert.NoError(t, w.r.Unlock(o))
		assert.NoError(t, w.m.Unlock(o))
	})
	bystander := 0
	by := spawn(t, w.k, "bystander", 1, func(b *rtos.Task) {
		for range 3 {
			_, err := b.NotifyTake(false, rtos.Forever)
			assert.NoError(t, err)
			bystander++
		}
	})
	spawn(t, w.k, "caller", 2, func(me *rtos.Task) {
		untilBlocked(t, w.owner, by)
		misuses(t, c.want, func() { c.call(w, me) })
		w.unharmed(t, me)
		for range 3 {
			assert.NoError(t, by.NotifyGive())
		}
	})
	finish(t, w.k)
	assert.Equal(t, 3, bystander, "rounds of a bystander")
	assert.Empty(t, w.k.Orphans())
}

// unharmed checks that everything is as it was and can be used.
func (w *misuseWorld) unharmed(t *testing.T, me *rtos.Task) {
	assert.Same(t, w.owner, w.m.Holder(), "holder of m")
	assert.Same(t, w.owner, w.r.Holder(), "holder of r")
	assert.Equal(t, 1, w.r.Info().Depth, "depth of r")
	assert.Empty(t, w.m.Info().Waiters, "waiters of m")
	assert.Equal(t, 0, w.e.Count(), "tokens of e")
	assert.Equal(t, 1, w.f.Count(), "tokens of f")
	assert.Nil(t, w.l.Holder(), "holder of the spinlock")
	assert.Empty(t, w.q.Items(), "items of q")
	assert.Equal(t, []int{7}, w.o.Items(), "items of o")
	for _, q := range []*rtos.Queue[int]{w.q, w.o} {
		assert.Empty(t, labels(append(q.Info().Receivers, q.Info().Senders...)), "waiters of a queue")
	}
	assert.Equal(t, rtos.StateBlocked, w.owner.State(), "state of the owner")
	assert.Equal(t, 3, w.owner.Priority(), "priority of the owner")
	assert.Equal(t, 2, me.Priority(), "priority of the caller")
	assert.Equal(t, rtos.StateRunning, me.State(), "state of the caller")

	assert.NoError(t, w.owner.NotifyGiveAt(2))
	assert.NoError(t, w.m.Lock(me))
	assert.NoError(t, w.r.Lock(me))
	assert.NoError(t, w.r.Unlock(me))
	assert.NoError(t, w.m.Unlock(me))
	assert.NoError(t, w.f.Take(me))
	assert.ErrorIs(t, w.e.TakeFor(me, time.Microsecond), rtos.ErrTimeout)
	w.l.Lock(me)
	w.l.Unlock(me)
	w.k.Critical(me, func() {})
	assert.NoError(t, w.q.Send(me, 3))
	v, err := w.q.Recv(me)
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.ErrorIs(t, w.o.SendFor(me, 4, time.Microsecond), rtos.ErrTimeout)
	v, err = w.o.Peek(me)
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
}

func miss(op, task, object, reason string) rtos.MisuseError {
	return rtos.MisuseError{Op: op, Task: task, Object: object, Reason: reason}
}

func TestMisuseIsRefusedAndHarmsNothing(t *testing.T) {
	ctx := context.Background()
	const second = time.Second
	ref := time.Duration(0)
	for group, cases := range map[string][]misuseCase{
		"nil task": {
			{"Mutex.Lock", func(w *misuseWorld, _ *rtos.Task) { _ = w.m.Lock(nil) }, miss("Mutex.Lock", "", "m", "nil task")},
			{"Mutex.LockFor", func(w *misuseWorld, _ *rtos.Task) { _ = w.m.LockFor(nil, second) }, miss("Mutex.Lock", "", "m", "nil task")},
			{"Mutex.LockCtx", func(w *misuseWorld, _ *rtos.Task) { _ = w.m.LockCtx(ctx, nil) }, miss("Mutex.Lock", "", "m", "nil task")},
			{"Mutex.TryLock", func(w *misuseWorld, _ *rtos.Task) { w.m.TryLock(nil) }, miss("Mutex.Lock", "", "m", "nil task")},
			{"Mutex.Unlock", func(w *misuseWorld, _ *rtos.Task) { _ = w.m.Unlock(nil) }, miss("Mutex.Unlock", "", "m", "nil task")},
			{"RecursiveMutex.Lock", func(w *misuseWorld, _ *rtos.Task) { _ = w.r.Lock(nil) }, miss("RecursiveMutex.Lock", "", "r", "nil task")},
			{"RecursiveMutex.TryLock", func(w *misuseWorld, _ *rtos.Task) { w.r.TryLock(nil) }, miss("RecursiveMutex.Lock", "", "r", "nil task")},
			{"RecursiveMutex.Unlock", func(w *misuseWorld, _ *rtos.Task) { _ = w.r.Unlock(nil) }, miss("RecursiveMutex.Unlock", "", "r", "nil task")},
			{"Semaphore.Take", func(w *misuseWorld, _ *rtos.Task) { _ = w.f.Take(nil) }, miss("Semaphore.Take", "", "f", "nil task")},
			{"Semaphore.TakeFor", func(w *misuseWorld, _ *rtos.Task) { _ = w.f.TakeFor(nil, second) }, miss("Semaphore.Take", "", "f", "nil task")},
			{"Semaphore.TakeCtx", func(w *misuseWorld, _ *rtos.Task) { _ = w.f.TakeCtx(ctx, nil) }, miss("Semaphore.Take", "", "f", "nil task")},
			{"Semaphore.TryTake", func(w *misuseWorld, _ *rtos.Task) { w.f.TryTake(nil) }, miss("Semaphore.Take", "", "f", "nil task")},
			{"Queue.Send", func(w *misuseWorld, _ *rtos.Task) { _ = w.q.Send(nil, 1) }, miss("Queue.Send", "", "q", "nil task")},
			{"Queue.SendFor", func(w *misuseWorld, _ *rtos.Task) { _ = w.q.SendFor(nil, 1, second) }, miss("Queue.Send", "", "q", "nil task")},
			{"Queue.SendCtx", func(w *misuseWorld, _ *rtos.Task) { _ = w.q.SendCtx(ctx, nil, 1) }, miss("Queue.Send", "", "q", "nil task")},
			{"Queue.TrySend", func(w *misuseWorld, _ *rtos.Task) { w.q.TrySend(nil, 1) }, miss("Queue.Send", "", "q", "nil task")},
			{"Queue.SendFront", func(w *misuseWorld, _ *rtos.Task) { _ = w.q.SendFront(nil, 1) }, miss("Queue.SendFront", "", "q", "nil task")},
			{"Queue.TrySendFront", func(w *misuseWorld, _ *rtos.Task) { w.q.TrySendFront(nil, 1) }, miss("Queue.SendFront", "", "q", "nil task")},
			{"Queue.Recv", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.o.Recv(nil) }, miss("Queue.Recv", "", "o", "nil task")},
			{"Queue.TryRecv", func(w *misuseWorld, _ *rtos.Task) { w.o.TryRecv(nil) }, miss("Queue.Recv", "", "o", "nil task")},
			{"Queue.Peek", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.o.Peek(nil) }, miss("Queue.Peek", "", "o", "nil task")},
			{"Queue.TryPeek", func(w *misuseWorld, _ *rtos.Task) { w.o.TryPeek(nil) }, miss("Queue.Peek", "", "o", "nil task")},
			{"Spinlock.Lock", func(w *misuseWorld, _ *rtos.Task) { w.l.Lock(nil) }, miss("Spinlock.Lock", "", "", "nil task")},
			{"Spinlock.TryLock", func(w *misuseWorld, _ *rtos.Task) { w.l.TryLock(nil) }, miss("Spinlock.Lock", "", "", "nil task")},
			{"Spinlock.LockFor", func(w *misuseWorld, _ *rtos.Task) { _ = w.l.LockFor(nil, second) }, miss("Spinlock.Lock", "", "", "nil task")},
			{"Spinlock.Unlock", func(w *misuseWorld, _ *rtos.Task) { w.l.Unlock(nil) }, miss("Spinlock.Unlock", "", "", "nil task")},
			{"NotifyTake", func(*misuseWorld, *rtos.Task) { _, _ = none.NotifyTake(true, second) }, miss("Task.NotifyTake", "", "", "nil task")},
			{"NotifyTakeCtx", func(*misuseWorld, *rtos.Task) { _, _ = none.NotifyTakeCtx(ctx, true) }, miss("Task.NotifyTake", "", "", "nil task")},
			{"NotifyWait", func(*misuseWorld, *rtos.Task) { _, _ = none.NotifyWait(rtos.NotifyWait{}, second) }, miss("Task.NotifyWait", "", "", "nil task")},
			{"Delay", func(*misuseWorld, *rtos.Task) { _ = none.Delay(second) }, miss("Task.Delay", "", "", "nil task")},
			{"DelayUntil", func(*misuseWorld, *rtos.Task) { _, _ = none.DelayUntil(&ref, second) }, miss("Task.DelayUntil", "", "", "nil task")},
			{"SuspendSelf", func(*misuseWorld, *rtos.Task) { _ = none.SuspendSelf() }, miss("Task.SuspendSelf", "", "", "nil task")},
			{"SuspendScheduler", func(w *misuseWorld, _ *rtos.Task) { w.k.SuspendScheduler(nil) }, miss("Kernel.SuspendScheduler", "", "", "nil task")},
			{"ResumeScheduler", func(w *misuseWorld, _ *rtos.Task) { w.k.ResumeScheduler(nil) }, miss("Kernel.ResumeScheduler", "", "", "nil task")},
			{"EnterCritical", func(w *misuseWorld, _ *rtos.Task) { w.k.EnterCritical(nil) }, miss("Kernel.EnterCritical", "", "", "nil task")},
			{"ExitCritical", func(w *misuseWorld, _ *rtos.Task) { w.k.ExitCritical(nil) }, miss("Kernel.ExitCritical", "", "", "nil task")},
		},
		"nil function": {
			{"Spawn", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.k.Spawn("x", 1, nil) }, miss("Kernel.Spawn", "", "x", "nil task function")},
			{"Interrupt", func(w *misuseWorld, _ *rtos.Task) { w.k.Interrupt(nil) }, miss("Kernel.Interrupt", "", "", "nil function")},
		},
		"priority out of range": {
			{"Spawn below", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.k.Spawn("x", -1, func(*rtos.Task) {}) }, miss("Kernel.Spawn", "", "x", "priority -1 out of range 0 to 31")},
			{"Spawn above", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.k.Spawn("x", 32, func(*rtos.Task) {}) }, miss("Kernel.Spawn", "", "x", "priority 32 out of range 0 to 31")},
			{"Adopt", func(w *misuseWorld, _ *rtos.Task) { _, _ = w.k.Adopt("x", 32) }, miss("Kernel.Adopt", "", "x", "priority 32 out of range")},
			{"SetPriority below", func(_ *misuseWorld, me *rtos.Task) { me.SetPriority(-1) }, miss("Task.SetPriority", "", "caller", "priority -1 out of range")},
			{"SetPriority above", func(_ *misuseWorld, me *rtos.Task) { me.SetPriority(32) }, miss("Task.SetPriority", "", "caller", "priority 32 out of range")},
		},
		"slot or action out of range": {
			{"NotifyGiveAt", func(w *misuseWorld, _ *rtos.Task) { _ = w.owner.NotifyGiveAt(3) }, miss("Task.Notify", "", "owner", "slot 3 out of range 0 to 2")},
			{"NotifyAt", func(w *misuseWorld, _ *rtos.Task) { _ = w.owner.NotifyAt(-1, 0, rtos.NoAction) }, miss("Task.Notify", "", "owner", "slot -1 out of range")},
			{"NotifyTakeAt", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.NotifyTakeAt(3, true, 0) }, miss("Task.NotifyTake", "", "caller", "slot 3 out of range")},
			{"NotifyWait", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.NotifyWait(rtos.NotifyWait{Slot: -1}, 0) }, miss("Task.NotifyWait", "", "caller", "slot -1 out of range")},
			{"NotifyStateClear", func(w *misuseWorld, _ *rtos.Task) { w.owner.NotifyStateClear(3) }, miss("Task.NotifyStateClear", "", "owner", "slot 3 out of range")},
			{"NotifyValueClear", func(w *misuseWorld, _ *rtos.Task) { w.owner.NotifyValueClear(3, 1) }, miss("Task.NotifyValueClear", "", "owner", "slot 3 out of range")},
			{"NotifyPending", func(w *misuseWorld, _ *rtos.Task) { w.owner.NotifyPending(3) }, miss("Task.NotifyPending", "", "owner", "slot 3 out of range")},
			{"NotifyGiveAtFromISR", func(w *misuseWorld, _ *rtos.Task) {
				w.k.Interrupt(func(i *rtos.ISR) { _ = w.owner.NotifyGiveAtFromISR(i, 3) })
			}, miss("Task.Notify", "", "owner", "slot 3 out of range")},
			{"action", func(w *misuseWorld, _ *rtos.Task) { _ = w.owner.Notify(1, 5) }, miss("Task.Notify", "", "owner", "action 5 is none of the five")},
		},
		"negative limit": {
			{"Mutex.LockFor", func(w *misuseWorld, me *rtos.Task) { _ = w.m.LockFor(me, -1) }, miss("Mutex.Lock", "caller", "m", "negative limit -1ns")},
			{"free Mutex.LockFor", func(_ *misuseWorld, me *rtos.Task) { _ = rtos.NewMutex("x").LockFor(me, -1) }, miss("Mutex.Lock", "caller", "x", "negative limit -1ns")},
			{"RecursiveMutex.LockFor", func(w *misuseWorld, me *rtos.Task) { _ = w.r.LockFor(me, -1) }, miss("RecursiveMutex.Lock", "caller", "r", "negative limit -1ns")},
			{"Semaphore.TakeFor", func(w *misuseWorld, me *rtos.Task) { _ = w.f.TakeFor(me, -second) }, miss("Semaphore.Take", "caller", "f", "negative limit -1s")},
			{"Queue.SendFor", func(w *misuseWorld, me *rtos.Task) { _ = w.q.SendFor(me, 1, -second) }, miss("Queue.Send", "caller", "q", "negative limit -1s")},
			{"Queue.SendFrontFor", func(w *misuseWorld, me *rtos.Task) { _ = w.q.SendFrontFor(me, 1, -1) }, miss("Queue.SendFront", "caller", "q", "negative limit")},
			{"Queue.RecvFor", func(w *misuseWorld, me *rtos.Task) { _, _ = w.o.RecvFor(me, -1) }, miss("Queue.Recv", "caller", "o", "negative limit")},
			{"Queue.PeekFor", func(w *misuseWorld, me *rtos.Task) { _, _ = w.o.PeekFor(me, -1) }, miss("Queue.Peek", "caller", "o", "negative limit")},
			{"Spinlock.LockFor", func(w *misuseWorld, me *rtos.Task) { _ = w.l.LockFor(me, -1) }, miss("Spinlock.Lock", "caller", "", "negative limit")},
			{"NotifyTake", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.NotifyTake(true, -1) }, miss("Task.NotifyTake", "caller", "", "negative limit")},
			{"NotifyWait", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.NotifyWait(rtos.NotifyWait{}, -1) }, miss("Task.NotifyWait", "caller", "", "negative limit")},
			{"Delay", func(_ *misuseWorld, me *rtos.Task) { _ = me.Delay(-1) }, miss("Task.Delay", "caller", "", "negative")},
			{"Work", func(_ *misuseWorld, me *rtos.Task) { me.Work(-1) }, miss("Task.Work", "caller", "", "negative")},
		},
		"period": {
			{"zero", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.DelayUntil(&ref, 0) }, miss("Task.DelayUntil", "caller", "", "period 0s, want a positive one")},
			{"negative", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.DelayUntil(&ref, -1) }, miss("Task.DelayUntil", "caller", "", "period -1ns")},
			{"nil reference", func(_ *misuseWorld, me *rtos.Task) { _, _ = me.DelayUntil(nil, 1) }, miss("Task.DelayUntil", "caller", "", "nil reference")},
		},
		"give by a non-owner": {
			{"Mutex.Unlock", func(w *misuseWorld, me *rtos.Task) { _ = w.m.Unlock(me) }, miss("Mutex.Unlock", "caller", "m", `held by task "owner"`)},
			{"free Spinlock.Unlock", func(w *misuseWorld, me *rtos.Task) { w.l.Unlock(me) }, miss("Spinlock.Unlock", "caller", "", "nobody holds it")},
			{"Spinlock.Unlock", func(w *misuseWorld, me *rtos.Task) {
				w.l.Bare().Lock()
				defer w.l.Bare().Unlock()
				w.l.Unlock(me)
			}, miss("Spinlock.Unlock", "caller", "", "another task holds it")},
			{"bare Spinlock.Unlock", func(w *misuseWorld, me *rtos.Task) {
				w.l.Lock(me)
				defer w.l.Unlock(me)
				w.l.Bare().Unlock()
			}, miss("Spinlock.Unlock", "", "", "no bare holder holds it")},
			{"Spinlock.UnlockFromISR", func(w *misuseWorld, me *rtos.Task) {
				w.l.Lock(me)
				defer w.l.Unlock(me)
				w.k.Interrupt(w.l.UnlockFromISR)
			}, miss("Spinlock.UnlockFromISR", "", "", "no interrupt holds it")},
			{"ExitCritical", func(w *misuseWorld, me *rtos.Task) { w.k.ExitCritical(me) }, miss("Kernel.ExitCritical", "caller", "", "no matching call")},
			{"ResumeScheduler", func(w *misuseWorld, me *rtos.Task) { w.k.ResumeScheduler(me) }, miss("Kernel.ResumeScheduler", "caller", "", "no matching call")},
			{"Release", func(_ *misuseWorld, me *rtos.Task) { _ = me.Release() }, miss("Task.Release", "caller", "", "not adopted")},
		},
		"take of one's own mutex": {
			{"Lock", func(_ *misuseWorld, me *rtos.Task) { ownMutex(t, me, func(m *rtos.Mutex) { _ = m.Lock(me) }) }, miss("Mutex.Lock", "caller", "own", "holds it already")},
			{"LockFor", func(_ *misuseWorld, me *rtos.Task) {
				ownMutex(t, me, func(m *rtos.Mutex) { _ = m.LockFor(me, second) })
			}, miss("Mutex.Lock", "caller", "own", "holds it already")},
			{"LockCtx", func(_ *misuseWorld, me *rtos.Task) { ownMutex(t, me, func(m *rtos.Mutex) { _ = m.LockCtx(ctx, me) }) }, miss("Mutex.Lock", "caller", "own", "holds it already")},
		},
		"zero value": {
			{"Semaphore.Take", func(_ *misuseWorld, me *rtos.Task) { _ = new(rtos.Semaphore).Take(me) }, miss("Semaphore.Take", "caller", "", "zero Semaphore: use NewBinary or NewCounting")},
			{"Semaphore.TakeFor", func(_ *misuseWorld, me *rtos.Task) { _ = new(rtos.Semaphore).TakeFor(me, 0) }, miss("Semaphore.Take", "caller", "", "zero Semaphore")},
			{"Semaphore.TryTake", func(_ *misuseWorld, me *rtos.Task) { new(rtos.Semaphore).TryTake(me) }, miss("Semaphore.Take", "caller", "", "zero Semaphore")},
			{"Semaphore.Give", func(*misuseWorld, *rtos.Task) { new(rtos.Semaphore).Give() }, miss("Semaphore.Give", "", "", "zero Semaphore")},
			{"Semaphore.GiveFromISR", func(w *misuseWorld, _ *rtos.Task) {
				w.k.Interrupt(func(i *rtos.ISR) { new(rtos.Semaphore).GiveFromISR(i) })
			}, miss("Semaphore.GiveFromISR", "", "", "zero Semaphore")},
			{"Semaphore.TryTakeFromISR", func(w *misuseWorld, _ *rtos.Task) {
				w.k.Interrupt(func(i *rtos.ISR) { new(rtos.Semaphore).TryTakeFromISR(i) })
			}, miss("Semaphore.TryTakeFromISR", "", "", "zero Semaphore")},
		},
		"zero Queue":  zeroQueue,
		"overwriting": overwriting,
		"constructor": {
			{"maximum 0", func(*misuseWorld, *rtos.Task) { rtos.NewCounting("x", 0, 0) }, miss("NewCounting", "", "x", "maximum 0")},
			{"negative initial count", func(*misuseWorld, *rtos.Task) { rtos.NewCounting("x", 1, -1) }, miss("NewCounting", "", "x", "initial count -1")},
			{"length 0", func(*misuseWorld, *rtos.Task) { rtos.NewQueue[int]("x", 0) }, miss("NewQueue", "", "x", "length 0, want 1 to 1048576")},
			{"length too large", func(*misuseWorld, *rtos.Task) { rtos.NewQueue[int]("x", 1<<20+1) }, miss("NewQueue", "", "x", "length 1048577")},
			{"initial count above maximum", func(*misuseWorld, *rtos.Task) { rtos.NewCounting("x", 1, 2) }, miss("NewCounting", "", "x", "initial count 2")},
		},
		"interrupt": {
			{"nil ISR", func(w *misuseWorld, _ *rtos.Task) { w.f.GiveFromISR(nil) }, miss("Semaphore.GiveFromISR", "", "", "nil ISR")},
			{"nil ISR, notification", func(w *misuseWorld, _ *rtos.Task) { _ = w.owner.NotifyGiveFromISR(nil) }, miss("Task.NotifyFromISR", "", "", "nil ISR")},
			{"nil ISR, resume", func(w *misuseWorld, _ *rtos.Task) { w.owner.ResumeFromISR(nil) }, miss("Task.ResumeFromISR", "", "", "nil ISR")},
			{"nil ISR, queue", func(w *misuseWorld, _ *rtos.Task) { w.q.TrySendFromISR(nil, 1) }, miss("Queue.TrySendFromISR", "", "", "nil ISR")},
			{"nil ISR, front of a queue", func(w *misuseWorld, _ *rtos.Task) { w.q.TrySendFrontFromISR(nil, 1) }, miss("Queue.TrySendFrontFromISR", "", "", "nil ISR")},
			{"nil ISR, overwriting", func(w *misuseWorld, _ *rtos.Task) { w.o.OverwriteFromISR(nil, 1) }, miss("Queue.OverwriteFromISR", "", "", "nil ISR")},
			{"nil ISR, receiving", func(w *misuseWorld, _ *rtos.Task) { w.o.TryRecvFromISR(nil) }, miss("Queue.TryRecvFromISR", "", "", "nil ISR")},
			{"nil ISR, peeking", func(w *misuseWorld, _ *rtos.Task) { w.o.TryPeekFromISR(nil) }, miss("Queue.TryPeekFromISR", "", "", "nil ISR")},
			{"interrupt over", func(w *misuseWorld, _ *rtos.Task) {
				var kept *rtos.ISR
				w.k.Interrupt(func(i *rtos.ISR) { kept = i })
				w.f.GiveFromISR(kept)
			}, miss("Semaphore.GiveFromISR", "", "", "is over")},
		},
	} {
		for _, c := range cases {
			t.Run(group+"/"+c.name, c.run)
		}
	}
}

var none *rtos.Task

func ownMutex(t *testing.T, me *rtos.Task, f func(*rtos.Mutex)) {
	m := rtos.NewMutex("own")
	require.NoError(t, m.Lock(me))
	defer func() {
		assert.ErrorIs(t, m.LockFor(me, 0), rtos.ErrWouldBlock, "a poll would block")
		assert.False(t, m.TryLock(me))
		assert.Same(t, me, m.Holder())
		assert.NoError(t, m.Unlock(me), "it can still be given")
		assert.ErrorIs(t, m.Unlock(me), rtos.ErrNotOwner)
	}()
	f(m)
}
