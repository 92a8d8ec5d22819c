package rtos_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// commons is what everybody uses.
type commons struct {
	k    *rtos.Kernel
	m, n *rtos.Mutex
	r    *rtos.RecursiveMutex
	s, c *rtos.Semaphore
	l    rtos.Spinlock
	q, e *rtos.Queue[string] // q of length 2 is empty between calls, as is e
	f    *rtos.Queue[string] // full
}

// lastCalls is what a task does last before it is stopped for good, holding nothing.
// What others hold meanwhile they give back afterwards.
var lastCalls = []struct {
	name string
	call func(w *commons, me *rtos.Task) error
	want error
}{
	{"nothing", func(*commons, *rtos.Task) error { return nil }, nil},
	{"Mutex", func(w *commons, me *rtos.Task) error { must(w.n.Lock(me)); return w.n.Unlock(me) }, nil},
	{"nested mutexes", func(w *commons, me *rtos.Task) error {
		must(w.n.Lock(me), w.r.Lock(me), w.n.Unlock(me))
		return w.r.Unlock(me)
	}, nil},
	{"Mutex, would block", func(w *commons, me *rtos.Task) error { w.m.TryLock(me); return w.m.LockFor(me, 0) }, rtos.ErrWouldBlock},
	{"Mutex, limit", func(w *commons, me *rtos.Task) error { return w.m.LockFor(me, time.Millisecond) }, rtos.ErrTimeout},
	{"Mutex, context", func(w *commons, me *rtos.Task) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		return w.m.LockCtx(ctx, me)
	}, context.DeadlineExceeded},
	{"second Mutex, limit", func(w *commons, me *rtos.Task) error {
		must(w.n.Lock(me))
		defer func() { must(w.n.Unlock(me)) }()
		return w.m.LockFor(me, time.Millisecond)
	}, rtos.ErrTimeout},
	{"Semaphore", func(w *commons, me *rtos.Task) error { must(w.c.Take(me)); w.c.Give(); return nil }, nil},
	{"Semaphore, limit", func(w *commons, me *rtos.Task) error { return w.s.TakeFor(me, time.Millisecond) }, rtos.ErrTimeout},
	{"Queue", func(w *commons, me *rtos.Task) error { must(w.q.Send(me, "x")); _, err := w.q.Recv(me); return err }, nil},
	{"Queue.SendFront, Peek", func(w *commons, me *rtos.Task) error {
		must(w.q.SendFront(me, "x"))
		_, err := w.q.Peek(me)
		w.q.Reset()
		return err
	}, nil},
	{"Queue.SendFor, limit", func(w *commons, me *rtos.Task) error { return w.f.SendFor(me, "x", time.Millisecond) }, rtos.ErrTimeout},
	{"Queue.RecvFor, limit", func(w *commons, me *rtos.Task) error { _, err := w.e.RecvFor(me, time.Millisecond); return err }, rtos.ErrTimeout},
	{"Queue.PeekFor, limit", func(w *commons, me *rtos.Task) error { _, err := w.e.PeekFor(me, time.Millisecond); return err }, rtos.ErrTimeout},
	{"Queue.Overwrite", func(w *commons, me *rtos.Task) error { w.f.Overwrite("y"); return nil }, nil},
	{"notification", func(w *commons, me *rtos.Task) error {
		must(me.NotifyGive())
		_, err := me.NotifyTake(true, rtos.Forever)
		return err
	}, nil},
	{"notification, limit", func(w *commons, me *rtos.Task) error { _, err := me.NotifyTake(true, time.Millisecond); return err }, rtos.ErrTimeout},
	{"Spinlock", func(w *commons, me *rtos.Task) error { w.l.Lock(me); w.l.Unlock(me); return nil }, nil},
	{"critical section", func(w *commons, me *rtos.Task) error { w.k.Critical(me, func() {}); return nil }, nil},
	{"Delay", func(w *commons, me *rtos.Task) error { return me.Delay(time.Millisecond) }, nil},
	{"SetPriority", func(w *commons, me *rtos.Task) error { me.SetPriority(9); return nil }, nil},
}

// work is a round of everything, with limits that only a hindrance exceeds.
func (w *commons) work(t *testing.T, me, frozen *rtos.Task) {
	for _, m := range []lockable{w.m, w.n, w.r} {
		assert.NoError(t, m.LockFor(me, patience))
	}
	for _, m := range []lockable{w.n, w.r, w.m} {
		assert.NoError(t, m.Unlock(me))
	}
	assert.NoError(t, w.c.TakeFor(me, patience))
	assert.True(t, w.c.Give())
	assert.NoError(t, w.l.LockFor(me, patience))
	w.l.Unlock(me)
	w.k.Critical(me, func() {})
	for _, q := range []*rtos.Queue[string]{w.q, w.e} {
		for _, send := range []func(*rtos.Task, string, time.Duration) error{q.SendFor, q.SendFrontFor} {
			assert.NoError(t, send(me, me.Name(), patience))
			_, err := q.RecvFor(me, patience)
			assert.NoError(t, err)
		}
	}
	w.f.Overwrite(me.Name())
	_, ok := w.f.TryPeek(me)
	assert.True(t, ok)
	assert.NoError(t, me.NotifyGiveAt(1))
	_, err := me.NotifyTakeAt(1, true, patience)
	assert.NoError(t, err)
	assert.NoError(t, frozen.NotifyGiveAt(1), "to the stopped one")
	frozen.SetPriority(1 + frozen.BasePriority()%8)
	assert.NotNil(t, w.k.Task("frozen"))
	_, err = w.k.WriteTo(io.Discard)
	assert.NoError(t, err)
	me.Yield()
}

// A task that is stopped between two calls, holding nothing, hinders nobody, whatever it
// did last and however long it stays away.
func TestStoppedTaskHindersNobody(t *testing.T) {
	for _, c := range lastCalls {
		t.Run(c.name, func(t *testing.T) {
			leakless(t)
			k := newKernel(t, rtos.Config{})
			w := &commons{
				k: k, m: rtos.NewMutex("m"), n: rtos.NewMutex("n"), r: rtos.NewRecursiveMutex("r"),
				s: rtos.NewBinary("s"), c: rtos.NewCounting("c", 1, 1),
				q: rtos.NewQueue[string]("q", 2), e: rtos.NewQueue[string]("e", 9), f: rtos.NewQueue[string]("f", 1),
			}
			w.f.Overwrite("x")
			stopped, thaw, held := make(chan struct{}), make(chan struct{}), make(chan struct{})
			frozen := spawn(t, k, "frozen", 8, func(me *rtos.Task) {
				<-held
				assert.ErrorIs(t, c.call(w, me), c.want)
				close(stopped)
				<-thaw // outside the kernel: it takes no further step
			})
			worker := func(me *rtos.Task) {
				for range 50 {
					w.work(t, me, frozen)
				}
			}
			var workers []*rtos.Task
			spawn(t, k, "holder", 1, func(me *rtos.Task) {
				assert.NoError(t, w.m.Lock(me))
				close(held)
				<-stopped
				assert.NoError(t, w.m.Unlock(me))
				assert.Equal(t, 1, me.Priority(), "no loan is left")
				for i := range 3 {
					workers = append(workers, spawn(t, k, fmt.Sprint("worker", i), 2+2*i, worker))
				}
				for _, a := range workers {
					<-a.Done()
				}
				close(thaw)
			})
			finish(t, k)
			assert.Empty(t, k.Orphans())
		})
	}
}

// A waiter that is suspended does not stand in the way of those behind it.
func TestSuspendedWaiterIsPassedOver(t *testing.T) {
	for i, q := range queuesOf() {
		t.Run(q.name, func(t *testing.T) {
			exactly(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel) {
				q := queuesOf()[i]
				var served []string
				spawn(t, k, "boss", 1, func(boss *rtos.Task) {
					assert.NoError(t, q.hold(boss))
					var ws []*rtos.Task
					for i, name := range []string{"first", "second", "third"} {
						ws = append(ws, spawn(t, k, name, 4-i, func(w *rtos.Task) {
							assert.NoError(t, q.wait(w, func() { served = append(served, name) }))
						}))
						await(t, boss, name+" waits", func() bool { return len(q.waiters()) == i+1 })
					}
					ws[0].Suspend()
					assert.Equal(t, labels(ws[1:]), labels(q.waiters()))
					for _, w := range ws[1:] {
						if q.one || w == ws[1] {
							assert.NoError(t, q.give(boss))
						}
						await(t, boss, "it is served", func() bool { return w.State() == rtos.StateDeleted })
					}
					assert.Equal(t, []string{"second", "third"}, served)
					if q.one {
						assert.NoError(t, q.give(boss))
					}
					ws[0].Resume()
					await(t, boss, "the first is served", func() bool { return ws[0].State() == rtos.StateDeleted })
				})
				finish(t, k)
				assert.Equal(t, []string{"second", "third", "first"}, served)
			})
		})
	}
}

// A waiter that was woken and is stopped before it ran passes its wake on, so that what it
// was woken for does not lie idle; in FreeRTOS it does.
func TestWokenAndStoppedWaiterPassesItsWakeOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		stop   func(*rtos.Task)
		compat rtos.Compat
		served []string
	}{
		{"suspended", (*rtos.Task).Suspend, 0, []string{"second@5"}},
		{"deleted", (*rtos.Task).Delete, 0, []string{"second@5"}},
		{"suspended, FreeRTOS", (*rtos.Task).Suspend, rtos.CompatLostWake, []string{"second@30"}},
		{"deleted, FreeRTOS", (*rtos.Task).Delete, rtos.CompatLostWake, []string{"second@30"}},
	} {
		for i, q := range queuesOf() {
			t.Run(c.name+"/"+q.name, func(t *testing.T) {
				k, s := newSim(t, sim.Options{}, rtos.Config{Compat: c.compat})
				q := queuesOf()[i]
				var served []string
				waiter := func(name string, prio int) *rtos.Task {
					return spawn(t, k, name, prio, func(w *rtos.Task) {
						_ = q.wait(w, func() { served = append(served, fmt.Sprintf("%s@%d", name, s.Time())) })
					})
				}
				spawn(t, k, "boss", 9, func(boss *rtos.Task) {
					assert.NoError(t, q.hold(boss))
					first := waiter("first", 4)
					second := waiter("second", 3)
					assert.NoError(t, boss.Delay(k.Ticks(5)))
					assert.NoError(t, q.give(boss))
					assert.Equal(t, rtos.StateReady, first.State(), "it is woken")
					c.stop(first)
					assert.NoError(t, boss.Delay(k.Ticks(25)))
					second.AbortDelay() // it looks once more
				})
				finish(t, k)
				assert.Equal(t, c.served, served)
			})
		}
	}
}
