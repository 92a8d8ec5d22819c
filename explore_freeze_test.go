//go:build explore

package rtos

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/explore"
)

var updateProgress = flag.Bool("update-progress", false, "write docs/progress.md anew")

// A freezeCase is an operation, in a task that is stopped for ever at each of its steps,
// and what others do meanwhile and must bring to its end.
type freezeCase struct {
	op, state string
	build     func(x *bench)
	others    string
}

// frozen adds the task that is stopped in op.
func (x *bench) frozen(prio int, op func(t *Task)) *Task {
	return x.task("frozen", prio, func(t *Task) { x.w.Operation(func() { op(t) }) })
}

// frozenOutside is a goroutine that is stopped in op.
func (x *bench) frozenOutside(op func()) { x.w.Go("frozen", func() { x.w.Operation(op) }) }

// when adds a goroutine that does f once t has parked.
func (x *bench) when(t *Task, f func()) {
	x.outside("starter", func() {
		for !x.port.threads[t].Parked() {
			x.w.Spin()
		}
		f()
	})
}

// cycle is a task that takes and gives the mutex, and wakes who waits there.
func (x *bench) cycle(name string, prio int, m *Mutex) {
	x.task(name, prio, func(t *Task) {
		for range 2 {
			x.must(m.Lock(t))
			x.must(m.Unlock(t))
		}
	})
}

func (x *bench) waiter(name string, prio int, m *Mutex) *Task {
	return x.task(name, prio, func(t *Task) {
		x.must(m.Lock(t))
		x.must(m.Unlock(t))
	})
}

// impatient takes m if that does not take too long.
func (x *bench) impatient(name string, prio int, m *Mutex) *Task {
	return x.task(name, prio, func(t *Task) {
		if x.must(m.LockFor(t, time.Second), nil, ErrTimeout) {
			x.must(m.Unlock(t))
		}
	})
}

func (x *bench) taker(name string, prio int, s *Semaphore) *Task {
	return x.task(name, prio, func(t *Task) { x.must(s.Take(t)) })
}

// withWaiter builds a mutex that a task holds while another one waits for it.
func (x *bench) withWaiter(then func(m *Mutex, holder, waiter *Task), hold func(t *Task, m *Mutex)) {
	m := x.mutex()
	var h, w *Task
	h = x.task("holder", low, func(t *Task) {
		x.must(m.Lock(t))
		w = x.waiter("waiter", middle, m)
		x.when(w, func() { then(m, h, w) })
		hold(t, m)
	})
}

// sendToFull is a task that is stopped while it sends to a full queue.
func (x *bench) sendToFull() {
	q := x.plainQueue(1)
	x.task("frozen", low, func(t *Task) {
		x.must(q.Send(t, 1))
		x.w.Operation(func() { x.must(q.SendFor(t, 2, time.Second), ErrTimeout, nil) })
	})
	x.halted(func() {
		x.task("a", middle, func(t *Task) {
			for range 2 {
				_, _ = q.Recv(t)
				x.must(q.Send(t, 3))
			}
		})
	})
}

var freezeCases = []freezeCase{
	{"Mutex.Lock", "free", func(x *bench) {
		m := x.mutex()
		x.frozen(low, func(t *Task) { x.must(m.Lock(t)); x.must(m.Unlock(t)) })
		x.cycle("a", middle, m)
		x.cycle("b", high, m)
	}, "two tasks lock and unlock"},
	{"Mutex.TryLock", "free", func(x *bench) {
		m := x.mutex()
		x.frozen(low, func(t *Task) {
			if m.TryLock(t) {
				x.must(m.Unlock(t))
			}
		})
		x.cycle("a", middle, m)
	}, "a task locks and unlocks"},
	{"Mutex.LockFor(0)", "held", func(x *bench) {
		m := x.mutex()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			x.frozen(high, func(t *Task) { x.must(m.LockFor(t, 0), ErrWouldBlock, nil) })
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.must(m.Unlock(t))
			x.cycle("a", middle, m)
		})
	}, "the holder unlocks, a task locks and unlocks"},
	{"Mutex.Lock", "held: it waits", func(x *bench) {
		m := x.mutex()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			f := x.frozen(middle, func(t *Task) { x.must(m.Lock(t)); x.must(m.Unlock(t)) })
			for !x.port.parkedOrEnded(f) && !x.w.Halted() {
				x.w.Spin()
			}
			x.must(m.Unlock(t))
			x.cycle("a", middle, m)
			x.cycle("b", high, m)
		})
	}, "the holder unlocks, two tasks lock and unlock"},
	{"Mutex.LockFor", "held, the limit ends", func(x *bench) {
		m := x.mutex()
		x.task("holder", low, func(t *Task) {
			x.must(m.Lock(t))
			x.frozen(middle, func(t *Task) { x.must(m.LockFor(t, time.Second), ErrTimeout, nil) })
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.must(m.Unlock(t))
			x.cycle("a", high, m)
		})
	}, "the holder unlocks, a task locks and unlocks"},
	{"Mutex.Unlock", "nobody waits", func(x *bench) {
		m := x.mutex()
		x.task("frozen", low, func(t *Task) {
			x.must(m.Lock(t))
			x.w.Operation(func() { x.must(m.Unlock(t)) })
		})
		x.cycle("a", middle, m)
	}, "a task locks and unlocks"},
	{"Mutex.Unlock", "a task waits", func(x *bench) {
		m := x.mutex()
		var w *Task
		x.task("frozen", low, func(t *Task) {
			x.must(m.Lock(t))
			w = x.waiter("waiter", middle, m)
			for !x.port.threads[w].Parked() {
				x.w.Spin()
			}
			x.w.Operation(func() { x.must(m.Unlock(t)) })
		})
		x.outside("starter", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.cycle("a", high, m)
		})
	}, "another task locks and unlocks, which wakes the waiter"},
	{"Mutex.Holder, Info", "held", func(x *bench) {
		m := x.mutex()
		x.cycle("a", middle, m)
		x.frozenOutside(func() { m.Holder(); m.Info() })
		x.cycle("b", low, m)
	}, "two tasks lock and unlock"},
	{"RecursiveMutex.Lock, Unlock", "free", func(x *bench) {
		m := NewRecursiveMutex("r")
		x.frozen(low, func(t *Task) {
			x.must(m.Lock(t))
			x.must(m.Lock(t))
			x.must(m.Unlock(t))
			x.must(m.Unlock(t))
		})
		x.objects = append(x.objects, &m.m.o)
		x.task("a", middle, func(t *Task) {
			x.must(m.Lock(t))
			x.must(m.Unlock(t))
		})
	}, "a task locks and unlocks"},
	{"second Mutex.Lock, Unlock", "both free", func(x *bench) {
		m1, m2 := x.mutex(), x.mutex()
		x.task("frozen", low, func(t *Task) {
			x.must(m1.Lock(t))
			x.w.Operation(func() {
				x.must(m2.Lock(t))
				x.must(m2.Unlock(t))
			})
			x.must(m1.Unlock(t))
		})
		x.cycle("a", middle, m2)
	}, "a task locks and unlocks the second"},
	{"Semaphore.Take", "a token is there", func(x *bench) {
		s := x.counting(2, 2)
		x.frozen(low, func(t *Task) { x.must(s.Take(t)) })
		x.taker("a", middle, s)
	}, "a task takes the other token"},
	{"Semaphore.TryTake", "empty", func(x *bench) {
		s := x.binary()
		x.frozen(low, func(t *Task) { s.TryTake(t) })
		x.task("a", middle, func(t *Task) { s.Give(); s.Give(); x.must(s.Take(t)) })
	}, "a task gives and takes"},
	{"Semaphore.Take", "empty: it waits", func(x *bench) {
		s := x.counting(2, 0)
		f := x.frozen(high, func(t *Task) { x.must(s.Take(t)) })
		x.task("a", middle, func(t *Task) {
			for !x.port.parkedOrEnded(f) && !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			s.Give()
			x.must(s.Take(t))
		})
	}, "a task gives twice and takes"},
	{"Semaphore.TakeFor", "empty, the limit ends", func(x *bench) {
		s := x.binary()
		x.frozen(high, func(t *Task) { x.must(s.TakeFor(t, time.Second), ErrTimeout, nil) })
		x.task("a", middle, func(t *Task) {
			for !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			x.must(s.Take(t))
		})
	}, "a task gives and takes"},
	{"Semaphore.Give", "nobody waits", func(x *bench) {
		s := x.counting(3, 1)
		x.frozenOutside(func() { s.Give() })
		x.task("a", middle, func(t *Task) { s.Give(); x.must(s.Take(t)); x.must(s.Take(t)) })
	}, "a task gives and takes twice"},
	{"Semaphore.Give", "a task waits", func(x *bench) {
		s := x.counting(3, 0)
		w := x.taker("waiter", middle, s)
		x.when(w, func() { x.frozenOutside(func() { s.Give() }) })
		x.outside("starter of another", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			s.Give()
			x.taker("a", low, s)
		})
	}, "two more gives wake the waiter and feed another taker"},
	{"Semaphore.Count, Info", "a task waits", func(x *bench) {
		s := x.binary()
		w := x.taker("waiter", middle, s)
		x.when(w, func() {
			x.frozenOutside(func() { s.Count(); s.Info() })
			s.Give()
		})
	}, "a give wakes the waiter"},
	{"Task.NotifyGive", "nothing pending", func(x *bench) {
		w := x.task("target", low, func(t *Task) {
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.must(t.NotifyGive())
			_, err := t.NotifyTake(true, Forever)
			x.must(err)
		})
		x.frozenOutside(func() { _ = w.NotifyGive() })
	}, "the target is given another and takes"},
	{"Task.NotifyGive", "the target waits", func(x *bench) {
		w := x.task("target", low, func(t *Task) {
			_, err := t.NotifyTake(true, Forever)
			x.must(err)
		})
		x.when(w, func() { x.frozenOutside(func() { _ = w.NotifyGive() }) })
		x.outside("other", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			_ = w.NotifyGive()
		})
	}, "another give wakes the target"},
	{"Task.Notify", "every action", func(x *bench) {
		w := x.task("target", low, func(t *Task) {
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.must(t.Notify(1, SetBits))
			_, err := t.NotifyWait(NotifyWait{}, Forever)
			x.must(err)
		})
		x.frozenOutside(func() {
			for _, a := range []Action{NoAction, SetBits, Increment, Overwrite, SetIfClear} {
				_ = w.Notify(1, a)
			}
		})
	}, "the target is notified and waits"},
	{"Task.NotifyTake", "something pending", func(x *bench) {
		f := x.task("frozen", low, func(t *Task) {
			x.must(t.NotifyGive())
			x.w.Operation(func() { _, _ = t.NotifyTake(false, Forever) })
		})
		x.outside("other", func() { _ = f.NotifyGive(); _ = f.Notify(3, Overwrite) })
	}, "two notifications more"},
	{"Task.NotifyTake", "nothing pending: it waits", func(x *bench) {
		f := x.frozen(low, func(t *Task) { _, _ = t.NotifyTake(true, time.Second) })
		x.outside("other", func() {
			for !x.port.parkedOrEnded(f) && !x.w.Halted() {
				x.w.Spin()
			}
			_ = f.NotifyGive()
			_ = f.Notify(3, Overwrite)
		})
	}, "two notifications"},
	{"Task.NotifyStateClear, NotifyValueClear, NotifyPending", "the target waits", func(x *bench) {
		w := x.task("target", low, func(t *Task) {
			_, err := t.NotifyTake(true, Forever)
			x.must(err)
		})
		x.when(w, func() {
			x.frozenOutside(func() { w.NotifyStateClear(0); w.NotifyValueClear(0, 1); w.NotifyPending(0) })
			x.must(w.NotifyGive())
		})
	}, "a give wakes the target"},
	{"Task.Suspend, Resume", "the target waits", func(x *bench) {
		s := x.counting(3, 0)
		w := x.taker("target", high, s)
		x.when(w, func() { x.frozenOutside(func() { w.Suspend(); w.Resume() }) })
		x.outside("other", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			s.Give()
			x.taker("a", low, s)
			w.Resume()
		})
	}, "two gives, another taker, and a resume"},
	{"Task.AbortDelay", "the target waits", func(x *bench) {
		s := x.counting(3, 0)
		w := x.task("target", high, func(t *Task) { x.must(s.Take(t), nil, ErrAborted) })
		x.when(w, func() { x.frozenOutside(func() { w.AbortDelay() }) })
		x.outside("other", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			s.Give()
			x.taker("a", low, s)
		})
	}, "two gives and another taker"},
	{"Task.Delete", "the target waits", func(x *bench) {
		s := x.counting(3, 0)
		w := x.task("target", high, func(t *Task) { _ = s.Take(t) })
		x.when(w, func() { x.frozenOutside(w.Delete) })
		x.outside("other", func() {
			for !x.w.Halted() {
				x.w.Spin()
			}
			s.Give()
			s.Give()
			x.taker("a", low, s)
		})
	}, "two gives and another taker"},
	{"Task.SetPriority", "the target holds a mutex that a task waits for", func(x *bench) {
		x.withWaiter(func(_ *Mutex, h, _ *Task) {
			x.frozenOutside(func() { h.SetPriority(high); h.SetPriority(low) })
		}, func(t *Task, m *Mutex) {
			for !x.w.Halted() {
				x.w.Spin()
			}
			x.must(m.Unlock(t))
		})
	}, "the holder unlocks, the waiter locks and unlocks"},
	{"Task.Priority, BasePriority, State, Info", "the target waits", func(x *bench) {
		s := x.binary()
		w := x.taker("target", low, s)
		x.when(w, func() {
			x.frozenOutside(func() { w.Priority(); w.BasePriority(); w.State(); w.Info() })
			s.Give()
		})
	}, "a give wakes the target"},
	{"Spinlock.TryLock, Unlock", "free", func(x *bench) {
		l := &Spinlock{}
		x.frozen(low, func(t *Task) {
			if l.TryLock(t) {
				l.Unlock(t)
			}
		})
		x.task("a", middle, func(t *Task) {
			if l.TryLock(t) {
				l.Unlock(t)
			}
		})
	}, "a task tries, and unlocks"},
	{"Semaphore.TakeCtx", "the context ends", func(x *bench) {
		s := x.binary()
		ctx, cancel := context.WithCancel(context.Background())
		f := x.frozen(high, func(t *Task) { x.must(s.TakeCtx(ctx, t), context.Canceled, nil) })
		x.task("a", middle, func(t *Task) {
			for !x.port.parkedOrEnded(f) && !x.w.Halted() {
				x.w.Spin()
			}
			cancel()
			x.port.Ready(f, FromTask)
			s.Give()
			x.must(s.Take(t))
		})
	}, "a task gives and takes"},
	{"Queue.Send", "there is room", func(x *bench) {
		q := x.plainQueue(3)
		x.frozen(low, func(t *Task) { x.must(q.Send(t, 1)) })
		x.sendAndReceive(q)
	}, "a task sends and receives, and polls until it is empty"},
	{"Queue.Send", "a task waits for an item", func(x *bench) {
		q := x.plainQueue(3)
		w := x.receiver(q)
		x.when(w, func() { x.frozen(low, func(t *Task) { x.must(q.Send(t, 1)) }) })
		x.halted(func() { x.task("a", low, func(t *Task) { x.must(q.Send(t, 2)) }) })
	}, "another send wakes it"},
	{"Queue.SendFor", "full: it waits, the limit ends", func(x *bench) { x.sendToFull() },
		"a task receives and sends, twice"},
	{"Queue.SendFor", "full: it offers, it waits, the limit ends", func(x *bench) {
		x.k.native = true
		x.sendToFull()
	}, "a task receives and sends, twice"},
	{"Queue.Send", "full: it offers its item", func(x *bench) {
		x.k.native = true
		q := x.plainQueue(1)
		var f *Task
		f = x.task("frozen", low, func(t *Task) {
			x.must(q.Send(t, 1))
			x.outside("starter", func() {
				for !x.offered(q) && !x.port.parkedOrEnded(f) && !x.w.Halted() {
					x.w.Spin()
				}
				x.sendAndReceive(q)
			})
			x.w.Operation(func() { x.must(q.Send(t, 2)) })
		})
	}, "a task receives what is there and what is offered, sends and receives, and polls until it is empty"},
	{"Queue.Recv", "empty: it accepts an offer", func(x *bench) {
		x.k.native = true
		q := x.plainQueue(1)
		x.task("sender", low, func(t *Task) {
			x.must(q.Send(t, 1))
			x.must(q.Send(t, 2))
		})
		x.outside("starter", func() {
			for !x.offered(q) {
				x.w.Spin()
			}
			x.frozen(low, func(t *Task) {
				_, _ = q.Recv(t)
				_, _ = q.Recv(t)
			})
		})
		x.halted(func() { x.sendAndReceive(q) })
	}, "the sender goes on, a task sends and receives, and polls until it is empty"},
	{"Queue.Recv", "an item is there", func(x *bench) {
		q := x.plainQueue(3)
		x.task("frozen", low, func(t *Task) {
			x.must(q.Send(t, 1))
			x.w.Operation(func() { _, _ = q.Recv(t) })
		})
		x.halted(func() { x.sendAndReceive(q) })
	}, "a task sends and receives, and polls until it is empty"},
	{"Queue.Recv", "a task waits for room", func(x *bench) {
		q := x.plainQueue(1)
		var w *Task
		x.task("frozen", low, func(t *Task) {
			x.must(q.Send(t, 1))
			w = x.task("sender", middle, func(t *Task) { x.must(q.Send(t, 2)) })
			for !x.port.threads[w].Parked() {
				x.w.Spin()
			}
			x.w.Operation(func() { _, _ = q.Recv(t) })
		})
		x.halted(func() {
			x.task("a", low, func(t *Task) {
				q.TrySend(t, 3)
				_, _ = q.Recv(t)
			})
		})
	}, "a task sends if there is room, and receives: that wakes it"},
	{"Queue.RecvFor", "empty: it waits, the limit ends", func(x *bench) {
		q := x.plainQueue(2)
		x.frozen(low, func(t *Task) { _, _ = q.RecvFor(t, time.Second) })
		x.halted(func() { x.sendAndReceive(q) })
	}, "a task sends and receives, and polls until it is empty"},
	{"Queue.TrySend, TryRecv, TryPeek", "an item is there", func(x *bench) {
		q := x.plainQueue(2)
		x.task("frozen", low, func(t *Task) {
			x.must(q.Send(t, 1))
			x.w.Operation(func() {
				q.TryPeek(t)
				q.TrySend(t, 2)
				q.TrySend(t, 3)
				q.TryRecv(t)
				q.TryRecv(t)
				q.TryRecv(t)
				q.TryPeek(t)
			})
		})
		x.halted(func() { x.sendAndReceive(q) })
	}, "a task sends and receives, and polls until it is empty"},
	{"Queue.Overwrite, Reset, Len, Items, Info", "length 1", func(x *bench) {
		q := x.plainQueue(1)
		x.frozenOutside(func() {
			q.Overwrite(1)
			q.Overwrite(2)
			q.Len()
			q.Info()
			q.Reset()
			q.Overwrite(3)
		})
		x.halted(func() {
			q.Overwrite(4)
			x.task("a", low, func(t *Task) {
				_, _ = q.Recv(t)
				x.must(q.Send(t, 5))
				_, _ = q.Recv(t)
			})
		})
	}, "a task overwrites, receives, sends and receives"},
}

func (x *bench) plainQueue(n int) *Queue[int] { return x.queue(n).q }

// offered tells whether a sender offers an item of q.
func (x *bench) offered(q *Queue[int]) bool {
	for i := range q.ring.offers {
		if q.ring.offers[i].Load()&openBit != 0 {
			return true
		}
	}
	return false
}

// halted does f once the operation has been frozen or has ended.
func (x *bench) halted(f func()) {
	x.outside("waiting for the operation", func() {
		for !x.w.Halted() {
			x.w.Spin()
		}
		f()
	})
}

func (x *bench) receiver(q *Queue[int]) *Task {
	return x.task("receiver", middle, func(t *Task) {
		_, err := q.Recv(t)
		x.must(err)
	})
}

func (x *bench) sendAndReceive(q *Queue[int]) {
	x.task("a", low, func(t *Task) {
		for i := range 3 {
			_, _ = q.TryRecv(t)
			_, _ = q.TryRecv(t)
			x.must(q.Send(t, i))
			_, _ = q.TryPeek(t)
			_, _ = q.TryRecv(t)
			x.must(q.Send(t, i))
		}
		for ok := true; ok; {
			_, ok = q.TryRecv(t)
		}
	})
}

// excuse tells whether a task may wait for ever because of the frozen one: it waits for a
// mutex that the frozen task owns, or the frozen one has ended its wait and would now wake it.
func (x *bench) excuse(t *Task) string {
	w := t.w
	switch s := stateOf(w.word.Load()); {
	case s != stWaiting && s != stIdle:
		return "target"
	case s == stWaiting:
		if o := w.obj.Load(); o != nil {
			for _, f := range x.tasks {
				if f.name == "frozen" && o.word.Load()&ownerMask == f.id {
					return "owner"
				}
			}
		}
	}
	return ""
}

// freezeRow is what came out of one case.
type freezeRow struct {
	steps, owner, target int
}

func freeze(t *testing.T, c freezeCase) (row freezeRow) {
	t.Helper()
	var excuses []string
	p := func(w *explore.World) {
		x := &bench{w: w, port: newExplorePort(w)}
		require.NoError(t, x.boot(Config{}))
		c.build(x)
		excuses = nil
		w.Check(func() error {
			for _, task := range x.tasks {
				th := x.port.threads[task]
				if th.Done() || task.name == "frozen" {
					continue
				}
				why := x.excuse(task)
				if why == "" {
					return fmt.Errorf("%s cannot go on, state %d", task.name, stateOf(task.w.word.Load()))
				}
				excuses = append(excuses, why)
			}
			if len(excuses) > 0 && excuses[0] == "target" && len(excuses) > 1 {
				return fmt.Errorf("more than one task cannot go on")
			}
			return x.panics()
		})
	}
	seen := explore.FreezeEach(p, "frozen", explore.Limits{}, func(f explore.Frozen) {
		row.steps++
		if !assert.NoError(t, f.Err, "frozen at step %d: %s", f.Step, f.At) {
			return
		}
		switch {
		case len(excuses) == 0:
		case excuses[0] == "owner":
			row.owner++
		default:
			row.target++
		}
	})
	require.NoError(t, seen)
	require.Positive(t, row.steps)
	return row
}

const progressHead = `# Progress: what a stopped task hinders

Made by

    go test -tags explore -run TestProgressTable -update-progress .

Every operation below is stopped for ever before each of its steps (accesses to shared words, and
parking) in turn; the others then have to bring what they do to its end. *owns*: at so many of the steps the stopped
task owns the mutex, and others wait for it, as they must. *its target*: at so many steps the stopped one has
already ended the wait of one task and was about to let it run; that task waits for it, all others go on. Who
waits for something that the stopped one has given, but not yet woken anybody for, is woken by the next call of the kind.

| operation | when | steps | owns | its target | the others |
| --- | --- | --- | --- | --- | --- |
`

func TestFreeze(t *testing.T) {
	for _, c := range freezeCases {
		t.Run(c.op+" "+c.state, func(t *testing.T) { freeze(t, c) })
	}
}

func TestProgressTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(progressHead)
	for _, c := range freezeCases {
		r := freeze(t, c)
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %s |\n", c.op, c.state, r.steps, r.owner, r.target, c.others)
	}
	const file = "docs/progress.md"
	if *updateProgress {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "out of date: -update-progress")
}
