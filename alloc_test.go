package rtos_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func skipWhereAllocationsDiffer(t *testing.T) {
	if racing || debugging {
		t.Skip("the race detector and rtosdebug allocate")
	}
}

// must keeps a call whose error is no part of what is measured out of the way.
func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

func mustBe(want, got error) {
	if got != want {
		panic(fmt.Sprintf("got %v, want %v", got, want))
	}
}

// allocWorld is what the operations work on: me is the caller, peer a task that obeys
// commands; held is a mutex that peer holds.
type allocWorld struct {
	k        *rtos.Kernel
	me, peer *rtos.Task
	m, held  *rtos.Mutex
	again    *rtos.RecursiveMutex
	heldRec  *rtos.RecursiveMutex
	n        rtos.Mutex
	empty    *rtos.Semaphore
	bin      *rtos.Semaphore
	counting *rtos.Semaphore
	spin     rtos.Spinlock
	line     *rtos.Queue[string]
	mail     *rtos.Queue[string]
	full     *rtos.Queue[string]
	isr      func(*rtos.ISR)
	section  func()
	ref      time.Duration
	ctx      context.Context
	done     context.Context
	command  atomic.Pointer[peerCommand]
	begun    atomic.Bool // peer has begun with the command
}

func newAllocWorld(t *testing.T, k *rtos.Kernel) *allocWorld {
	w := &allocWorld{
		k: k, m: rtos.NewMutex("m"), held: rtos.NewMutex("held"), again: rtos.NewRecursiveMutex("again"),
		heldRec: rtos.NewRecursiveMutex("held"), empty: rtos.NewBinary("empty"), bin: rtos.NewBinary("bin"),
		counting: rtos.NewCounting("counting", 9, 3), section: func() {},
		line: rtos.NewQueue[string]("line", 5), mail: rtos.NewQueue[string]("mail", 1), full: rtos.NewQueue[string]("full", 1),
	}
	w.full.Overwrite("x")
	ctx, cancel := context.WithCancel(context.Background())
	w.ctx = ctx
	t.Cleanup(cancel)
	w.done, cancel = context.WithCancel(context.Background())
	cancel()
	w.isr = func(isr *rtos.ISR) {
		must(w.me.NotifyGiveFromISR(isr), w.me.NotifyFromISR(isr, 0, rtos.Increment), w.me.NotifyAtFromISR(isr, 1, 4, rtos.SetBits))
		_, err := w.me.NotifyQueryAtFromISR(isr, 0, 0, rtos.NoAction)
		must(err)
		if !w.bin.GiveFromISR(isr) || !w.bin.TryTakeFromISR(isr) || w.empty.TryTakeFromISR(isr) {
			panic("semaphores")
		}
		if !w.line.TrySendFromISR(isr, "x") || !w.line.TrySendFrontFromISR(isr, "y") {
			panic("queues")
		}
		w.mail.OverwriteFromISR(isr, "x")
		for _, q := range []*rtos.Queue[string]{w.line, w.line, w.mail} {
			if _, ok := q.TryPeekFromISR(isr); !ok {
				panic("queues")
			}
			if _, ok := q.TryRecvFromISR(isr); !ok {
				panic("queues")
			}
		}
		w.me.ResumeFromISR(isr)
		w.spin.LockFromISR(isr)
		w.spin.UnlockFromISR(isr)
		_, _ = isr.Woken(), isr.TakeWoken()
	}
	return w
}

type allocOp struct {
	name string
	do   func(w *allocWorld)
}

// soloOps need nobody else, but for the holder of what is held.
var soloOps = []allocOp{
	{"Mutex", func(w *allocWorld) { must(w.m.Lock(w.me), w.m.Unlock(w.me)) }},
	{"zero Mutex", func(w *allocWorld) { must(w.n.Lock(w.me), w.n.Unlock(w.me)) }},
	{"Mutex.LockFor", func(w *allocWorld) { must(w.m.LockFor(w.me, time.Second), w.m.Unlock(w.me)) }},
	{"Mutex.LockCtx", func(w *allocWorld) { must(w.m.LockCtx(w.ctx, w.me), w.m.Unlock(w.me)) }},
	{"Mutex.LockCtx, done", func(w *allocWorld) { mustBe(context.Canceled, w.m.LockCtx(w.done, w.me)) }},
	{"Mutex.TryLock", func(w *allocWorld) { w.m.TryLock(w.me); must(w.m.Unlock(w.me)) }},
	{"Mutex.TryLock, held", func(w *allocWorld) { w.held.TryLock(w.me) }},
	{"Mutex.LockFor, polls", func(w *allocWorld) { mustBe(rtos.ErrWouldBlock, w.held.LockFor(w.me, 0)) }},
	{"Mutex.LockFor, 1 us", func(w *allocWorld) { mustBe(rtos.ErrTimeout, w.held.LockFor(w.me, time.Microsecond)) }},
	{"two Mutexes", func(w *allocWorld) {
		must(w.m.Lock(w.me), w.n.Lock(w.me), w.again.Lock(w.me), w.m.Unlock(w.me), w.n.Unlock(w.me), w.again.Unlock(w.me))
	}},
	{"second Mutex, 1 us", func(w *allocWorld) {
		must(w.m.Lock(w.me))
		mustBe(rtos.ErrTimeout, w.held.LockFor(w.me, time.Microsecond))
		must(w.m.Unlock(w.me))
	}},
	{"Mutex.Holder", func(w *allocWorld) { w.held.Holder(); w.m.Holder() }},
	{"RecursiveMutex", func(w *allocWorld) {
		must(w.again.Lock(w.me), w.again.LockFor(w.me, time.Second), w.again.LockCtx(w.ctx, w.me))
		w.again.TryLock(w.me)
		must(w.again.Unlock(w.me), w.again.Unlock(w.me), w.again.Unlock(w.me), w.again.Unlock(w.me))
	}},
	{"RecursiveMutex.LockFor, 1 us", func(w *allocWorld) { mustBe(rtos.ErrTimeout, w.heldRec.LockFor(w.me, time.Microsecond)) }},
	{"Binary", func(w *allocWorld) { w.bin.Give(); must(w.bin.Take(w.me)) }},
	{"Counting", func(w *allocWorld) { must(w.counting.Take(w.me)); w.counting.Give() }},
	{"Semaphore.TakeFor", func(w *allocWorld) { must(w.counting.TakeFor(w.me, time.Second)); w.counting.Give() }},
	{"Semaphore.TakeCtx", func(w *allocWorld) { must(w.counting.TakeCtx(w.ctx, w.me)); w.counting.Give() }},
	{"Semaphore.TryTake", func(w *allocWorld) { w.counting.TryTake(w.me); w.counting.Give(); w.empty.TryTake(w.me) }},
	{"Semaphore.TakeFor, 1 us", func(w *allocWorld) { mustBe(rtos.ErrTimeout, w.empty.TakeFor(w.me, time.Microsecond)) }},
	{"Queue.Send, Recv", func(w *allocWorld) { must(w.line.Send(w.me, "x")); w.recv(w.line) }},
	{"Queue of length 1", func(w *allocWorld) { must(w.mail.Send(w.me, "x")); w.recv(w.mail) }},
	{"Queue.SendFor, SendCtx, RecvFor, RecvCtx", func(w *allocWorld) {
		must(w.line.SendFor(w.me, "x", time.Second), w.line.SendCtx(w.ctx, w.me, "x"))
		_, err := w.line.RecvFor(w.me, time.Second)
		must(err)
		_, err = w.line.RecvCtx(w.ctx, w.me)
		must(err)
	}},
	{"Queue.SendFront, in every form", func(w *allocWorld) {
		must(w.line.SendFront(w.me, "x"), w.line.SendFrontFor(w.me, "x", time.Second), w.line.SendFrontCtx(w.ctx, w.me, "x"))
		w.line.TrySendFront(w.me, "x")
		for range 4 {
			w.recv(w.line)
		}
	}},
	{"Queue.TrySend, TryRecv", func(w *allocWorld) {
		w.line.TrySend(w.me, "x")
		w.line.TryRecv(w.me)
		w.line.TryRecv(w.me)
		w.full.TrySend(w.me, "x")
	}},
	{"Queue.Peek, in every form", func(w *allocWorld) {
		_, err := w.full.Peek(w.me)
		must(err)
		_, err = w.full.PeekFor(w.me, time.Second)
		must(err)
		_, err = w.full.PeekCtx(w.ctx, w.me)
		must(err)
		w.full.TryPeek(w.me)
		w.line.TryPeek(w.me)
	}},
	{"Queue.Overwrite, Reset", func(w *allocWorld) { w.mail.Overwrite("x"); w.mail.Overwrite("y"); w.mail.Reset() }},
	{"Queue.SendFor, 1 us", func(w *allocWorld) { mustBe(rtos.ErrTimeout, w.full.SendFor(w.me, "x", time.Microsecond)) }},
	{"Queue.SendFrontFor, 1 us", func(w *allocWorld) { mustBe(rtos.ErrTimeout, w.full.SendFrontFor(w.me, "x", time.Microsecond)) }},
	{"Queue.RecvFor, 1 us", func(w *allocWorld) {
		_, err := w.line.RecvFor(w.me, time.Microsecond)
		mustBe(rtos.ErrTimeout, err)
	}},
	{"Queue.PeekFor, 1 us", func(w *allocWorld) {
		_, err := w.line.PeekFor(w.me, time.Microsecond)
		mustBe(rtos.ErrTimeout, err)
	}},
	{"NotifyGive, NotifyTake", func(w *allocWorld) { must(w.me.NotifyGive()); w.take(true, 0) }},
	{"NotifyTakeCtx", func(w *allocWorld) {
		must(w.me.NotifyGive())
		_, err := w.me.NotifyTakeCtx(w.ctx, true)
		must(err)
	}},
	{"Notify, every action", func(w *allocWorld) {
		for a := rtos.NoAction; a <= rtos.SetIfClear; a++ {
			_ = w.me.NotifyAt(2, 7, a)
			_, _ = w.me.NotifyQueryAt(2, 7, a)
		}
		_, err := w.me.NotifyWait(rtos.NotifyWait{Slot: 2, ClearOnExit: 7}, time.Second)
		must(err)
		w.me.NotifyPending(2)
		w.me.NotifyStateClear(2)
		w.me.NotifyValueClear(2, 1<<32-1)
	}},
	{"NotifyTake, 1 us", func(w *allocWorld) {
		w.me.NotifyValueClear(1, 1<<32-1)
		_, err := w.me.NotifyTakeAt(1, true, time.Microsecond)
		mustBe(rtos.ErrTimeout, err)
	}},
	{"NotifyWait, 1 us", func(w *allocWorld) {
		_, err := w.me.NotifyWait(rtos.NotifyWait{Slot: 1}, time.Microsecond)
		mustBe(rtos.ErrTimeout, err)
	}},
	{"Spinlock", func(w *allocWorld) {
		w.spin.Lock(w.me)
		w.spin.TryLock(w.me)
		must(w.spin.LockFor(w.me, time.Second))
		w.spin.Holder()
		for range 3 {
			w.spin.Unlock(w.me)
		}
	}},
	{"critical section", func(w *allocWorld) {
		w.k.EnterCritical(w.me)
		w.k.SuspendScheduler(w.me)
		w.k.ResumeScheduler(w.me)
		w.k.Critical(w.me, w.section)
		w.k.ExitCritical(w.me)
	}},
	{"Delay", func(w *allocWorld) { must(w.me.Delay(time.Microsecond), w.me.Delay(0)) }},
	{"DelayUntil", func(w *allocWorld) {
		w.ref = w.k.Now()
		_, err := w.me.DelayUntil(&w.ref, time.Microsecond)
		must(err)
	}},
	{"Yield, Checkpoint", func(w *allocWorld) { w.me.Yield(); must(w.me.Checkpoint()) }},
	{"SetPriority", func(w *allocWorld) {
		w.me.SetPriority(4)
		w.me.SetPriority(3)
		w.peer.SetPriority(4)
		w.peer.SetPriority(5)
	}},
	{"queries", func(w *allocWorld) {
		_, _, _ = w.me.Priority(), w.me.BasePriority(), w.me.State()
		_, _, _ = w.k.Now(), w.k.TickCount(), w.counting.Count()
		_, _, _ = w.me.RunTime(), w.k.NumTasks(), w.k.Ticks(3)
		_, _, _ = w.full.Len(), w.full.Free(), w.full.Cap()
	}},
}

func (w *allocWorld) take(clear bool, d time.Duration) {
	_, err := w.me.NotifyTake(clear, d)
	must(err)
}

func (w *allocWorld) recv(q *rtos.Queue[string]) {
	_, err := q.Recv(w.me)
	must(err)
}

// peerCommand is what peer does next; it then gives me a notification.
type peerCommand func(w *allocWorld)

// obey is the body of peer. It blocks in each command until me lets it go on.
func (w *allocWorld) obey(me *rtos.Task) {
	must(w.held.Lock(me), w.heldRec.Lock(me))
	for {
		_, err := me.NotifyTakeAt(2, true, rtos.Forever)
		must(err)
		f := w.command.Load()
		if f == nil {
			break
		}
		w.begun.Store(true)
		(*f)(w)
		must(w.me.NotifyGive())
	}
	must(w.held.Unlock(me), w.heldRec.Unlock(me))
}

// duo is an operation with two tasks: peer waits in begin, then me makes it go on.
type duo struct {
	name  string
	begin peerCommand
	end   func(w *allocWorld)
}

func aborted(err error) { mustBe(rtos.ErrAborted, err) }

var duoOps = []duo{
	{"Mutex", func(w *allocWorld) { must(w.m.Lock(w.peer), w.m.Unlock(w.peer)) }, nil},
	{"Mutex.LockFor", func(w *allocWorld) { must(w.m.LockFor(w.peer, time.Hour), w.m.Unlock(w.peer)) }, nil},
	{"Mutex.LockCtx", func(w *allocWorld) { must(w.m.LockCtx(w.ctx, w.peer), w.m.Unlock(w.peer)) }, nil},
	{"Mutex, aborted", func(w *allocWorld) { aborted(w.m.LockFor(w.peer, time.Hour)) }, func(w *allocWorld) { w.peer.AbortDelay() }},
	{"Semaphore", func(w *allocWorld) { must(w.empty.Take(w.peer)) }, func(w *allocWorld) { w.empty.Give() }},
	{"Semaphore.TakeFor", func(w *allocWorld) { must(w.empty.TakeFor(w.peer, time.Hour)) }, func(w *allocWorld) { w.empty.Give() }},
	{"Semaphore.TakeCtx", func(w *allocWorld) { must(w.empty.TakeCtx(w.ctx, w.peer)) }, func(w *allocWorld) { w.empty.Give() }},
	{"Semaphore, aborted", func(w *allocWorld) { aborted(w.empty.Take(w.peer)) }, func(w *allocWorld) { w.peer.AbortDelay() }},
	{"Queue.Send", func(w *allocWorld) { must(w.full.Send(w.peer, "x")) }, func(w *allocWorld) { w.recv(w.full) }},
	{"Queue.SendFor", func(w *allocWorld) { must(w.full.SendFor(w.peer, "x", time.Hour)) }, func(w *allocWorld) { w.recv(w.full) }},
	{"Queue.SendCtx", func(w *allocWorld) { must(w.full.SendCtx(w.ctx, w.peer, "x")) }, func(w *allocWorld) { w.recv(w.full) }},
	{"Queue.SendFront", func(w *allocWorld) { must(w.full.SendFront(w.peer, "x")) }, func(w *allocWorld) { w.recv(w.full) }},
	{"Queue.Send, aborted", func(w *allocWorld) { aborted(w.full.Send(w.peer, "x")) }, func(w *allocWorld) { w.peer.AbortDelay() }},
	{"Queue.Recv", func(w *allocWorld) { _, err := w.mail.Recv(w.peer); must(err) }, func(w *allocWorld) { must(w.mail.Send(w.me, "x")) }},
	{"Queue.RecvFor", func(w *allocWorld) { _, err := w.mail.RecvFor(w.peer, time.Hour); must(err) }, func(w *allocWorld) { w.mail.Overwrite("x") }},
	{"Queue.RecvCtx", func(w *allocWorld) { _, err := w.mail.RecvCtx(w.ctx, w.peer); must(err) }, func(w *allocWorld) { must(w.mail.Send(w.me, "x")) }},
	{"Queue.Recv, aborted", func(w *allocWorld) { _, err := w.mail.Recv(w.peer); aborted(err) }, func(w *allocWorld) { w.peer.AbortDelay() }},
	{"Queue.Peek", func(w *allocWorld) {
		_, err := w.line.Peek(w.peer)
		must(err)
		w.line.Reset()
	}, func(w *allocWorld) { must(w.line.Send(w.me, "x")) }},
	{"NotifyTake", func(w *allocWorld) { _, err := w.peer.NotifyTake(true, rtos.Forever); must(err) }, func(w *allocWorld) { must(w.peer.NotifyGive()) }},
	{"NotifyTake, limit", func(w *allocWorld) { _, err := w.peer.NotifyTake(true, time.Hour); must(err) }, func(w *allocWorld) { must(w.peer.NotifyGive()) }},
	{"NotifyTakeCtx", func(w *allocWorld) { _, err := w.peer.NotifyTakeCtx(w.ctx, true); must(err) }, func(w *allocWorld) { must(w.peer.NotifyGive()) }},
	{"NotifyWait", func(w *allocWorld) {
		_, err := w.peer.NotifyWait(rtos.NotifyWait{Slot: 1}, time.Hour)
		must(err)
	}, func(w *allocWorld) { must(w.peer.NotifyAt(1, 5, rtos.Overwrite)) }},
	{"Delay, aborted", func(w *allocWorld) { aborted(w.peer.Delay(time.Hour)) }, func(w *allocWorld) { w.peer.AbortDelay() }},
	{"Suspend, Resume", func(w *allocWorld) { must(w.empty.TakeFor(w.peer, time.Hour)) }, func(w *allocWorld) {
		w.peer.Suspend()
		w.peer.Resume()
		w.empty.Give()
	}},
	{"SuspendSelf", func(w *allocWorld) { must(w.peer.SuspendSelf()) }, func(w *allocWorld) { w.peer.Resume() }},
}

func (d *duo) run(w *allocWorld) {
	must(w.m.Lock(w.me))
	w.begun.Store(false)
	w.command.Store(&d.begin)
	must(w.peer.NotifyGiveAt(2))
	for !w.begun.Load() || !isWaiting(w.peer) {
		if w.k.Current() != nil {
			must(w.me.Delay(w.k.Ticks(1)))
		} else {
			runtime.Gosched()
		}
	}
	if d.end == nil {
		must(w.m.Unlock(w.me))
		w.take(true, rtos.Forever)
		return
	}
	d.end(w)
	w.take(true, rtos.Forever)
	must(w.m.Unlock(w.me))
}

var allocConfigs = map[string]rtos.Config{
	"default": {}, "more than 64 tasks": {Tasks: 100}, "RunTime": {RunTime: true}, "Robust": {Robust: true},
	"InheritChained": {Inheritance: rtos.InheritChained},
}

// Nothing allocates in steady state, on either port, waits and limits included.
func TestNothingAllocatesInSteadyState(t *testing.T) {
	skipWhereAllocationsDiffer(t)
	const runs = 50
	measure := func(t *testing.T, w *allocWorld) {
		zero := func(name string, f func()) {
			assert.Zero(t, testing.AllocsPerRun(runs, f), name)
		}
		for _, op := range soloOps {
			zero(op.name, func() { op.do(w) })
		}
		if w.k.Current() == nil {
			bare, entered := w.spin.Bare(), 0
			zero("Interrupt", func() { w.k.Interrupt(w.isr) })
			zero("bare Spinlock", func() {
				bare.Lock()
				entered++
				bare.Unlock()
			})
			w.me.NotifyValueClear(0, 1<<32-1)
			w.me.NotifyStateClear(0)
		}
		for _, d := range duoOps {
			zero("two tasks: "+d.name, func() { d.run(w) })
		}
		w.command.Store(nil)
		must(w.peer.NotifyGiveAt(2))
	}
	for name, c := range allocConfigs {
		t.Run("goroutines/"+name, func(t *testing.T) {
			if c.Inheritance == rtos.InheritChained {
				t.Skip("only where the port schedules")
			}
			leakless(t)
			k := newKernel(t, c)
			w := newAllocWorld(t, k)
			w.peer = spawn(t, w.k, "peer", 5, w.obey)
			wait := background(t, w.k)
			w.me = adopted(t, w.k, "me", 3)
			eventually(t, "peer waits", func() bool { return w.peer.State() == rtos.StateBlocked })
			if v := caught(func() { measure(t, w) }); v != nil {
				t.Errorf("%v\n%v", v, k)
				k.Stop()
			}
			require.NoError(t, wait())
			require.NoError(t, w.me.Release())
		})
		t.Run("simulation/"+name, func(t *testing.T) {
			leakless(t)
			c.Port = sim.New(sim.Options{})
			w := newAllocWorld(t, newKernel(t, c))
			w.peer = spawn(t, w.k, "peer", 5, w.obey)
			w.me = spawn(t, w.k, "me", 3, func(*rtos.Task) { measure(t, w) })
			finish(t, w.k)
		})
	}
}

// A hand-over to and fro between two goroutines, through each primitive.
func TestPingPongAllocatesNothing(t *testing.T) {
	skipWhereAllocationsDiffer(t)
	type side struct{ wait, give func(me, other *rtos.Task) }
	there, back := rtos.NewBinary("there"), rtos.NewBinary("back")
	notify := side{
		func(me, _ *rtos.Task) { _, err := me.NotifyTake(true, rtos.Forever); must(err) },
		func(_, other *rtos.Task) { _ = other.NotifyGive() },
	}
	for name, sides := range map[string][2]side{
		"notification": {notify, notify},
		"semaphore": {
			{func(me, _ *rtos.Task) { must(there.Take(me)) }, func(_, _ *rtos.Task) { back.Give() }},
			{func(me, _ *rtos.Task) { must(back.Take(me)) }, func(_, _ *rtos.Task) { there.Give() }},
		},
	} {
		t.Run(name, func(t *testing.T) {
			leakless(t)
			k := newKernel(t, rtos.Config{})
			me := adopted(t, k, "me", 1)
			var over atomic.Bool
			peer := spawn(t, k, "peer", 1, func(peer *rtos.Task) {
				for !over.Load() {
					sides[0].wait(peer, me)
					sides[0].give(peer, me)
				}
			})
			wait := background(t, k)
			round := func() {
				sides[1].give(me, peer)
				sides[1].wait(me, peer)
			}
			assert.Zero(t, testing.AllocsPerRun(1000, round))
			over.Store(true)
			round()
			require.NoError(t, wait())
			require.NoError(t, me.Release())
		})
	}
}
