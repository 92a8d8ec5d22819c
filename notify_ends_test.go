package rtos_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// Every way in which a notification wait ends has a result of its own.
func TestNotifyWaitsTellHowTheyEnded(t *testing.T) {
	cause := errors.New("the cause")
	type result struct {
		returned bool
		v        uint32
		err      error
	}
	ends := []struct {
		name  string
		limit bool // the wait has a limit
		ctx   bool // the wait has a context
		end   func(k *rtos.Kernel, w *rtos.Task, i int, cancel func())
		want  result
	}{
		{"woken with 0", false, false, func(_ *rtos.Kernel, w *rtos.Task, i int, _ func()) {
			_ = w.NotifyAt(i, 0, rtos.NoAction)
		}, result{true, 0, nil}},
		{"woken with 7", true, false, func(_ *rtos.Kernel, w *rtos.Task, i int, _ func()) {
			_ = w.NotifyAt(i, 7, rtos.SetIfClear)
		}, result{true, 7, nil}},
		{"timed out", true, false, func(*rtos.Kernel, *rtos.Task, int, func()) {}, result{true, 0, rtos.ErrTimeout}},
		{"aborted", true, false, func(_ *rtos.Kernel, w *rtos.Task, _ int, _ func()) { w.AbortDelay() }, result{true, 0, rtos.ErrAborted}},
		{"aborted, no limit", false, false, func(_ *rtos.Kernel, w *rtos.Task, _ int, _ func()) { w.AbortDelay() }, result{true, 0, rtos.ErrAborted}},
		{"cancelled", false, true, func(_ *rtos.Kernel, _ *rtos.Task, _ int, cancel func()) { cancel() }, result{true, 0, cause}},
		{"suspended", false, false, func(_ *rtos.Kernel, w *rtos.Task, _ int, _ func()) {
			w.Suspend()
			w.Resume()
		}, result{true, 0, rtos.ErrAborted}},
		{"suspended, notified, resumed", true, false, func(_ *rtos.Kernel, w *rtos.Task, i int, _ func()) {
			w.Suspend()
			_ = w.NotifyAt(i, 0, rtos.Increment)
			w.Resume()
		}, result{true, 1, nil}},
		{"deleted", false, false, func(_ *rtos.Kernel, w *rtos.Task, _ int, _ func()) { w.Delete() }, result{}},
		{"stopped", true, false, func(k *rtos.Kernel, _ *rtos.Task, _ int, _ func()) { k.Stop() }, result{}},
	}
	for _, c := range ends {
		for _, take := range []bool{true, false} {
			for _, i := range []int{0, 2} {
				t.Run(fmt.Sprintf("%s/take=%t/slot %d", c.name, take, i), func(t *testing.T) {
					onPort(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel, me *rtos.Task, _ func(func(*rtos.ISR))) {
						ctx, cancel := context.WithCancelCause(context.Background())
						defer cancel(nil)
						var got, later result
						w := spawn(t, k, "w", 1, func(w *rtos.Task) {
							defer func() {
								if !got.returned {
									_, later.err = w.NotifyTake(true, time.Second)
								}
							}()
							limit := rtos.Forever
							if c.limit {
								limit = time.Hour
							}
							if c.name == "timed out" {
								limit = k.Ticks(4)
							}
							switch {
							case take && c.ctx:
								got.v, got.err = w.NotifyTakeAtCtx(ctx, i, true)
							case take:
								got.v, got.err = w.NotifyTakeAt(i, true, limit)
							case c.ctx:
								got.v, got.err = w.NotifyWaitCtx(ctx, rtos.NotifyWait{Slot: i, ClearOnExit: 1<<32 - 1})
							default:
								got.v, got.err = w.NotifyWait(rtos.NotifyWait{Slot: i, ClearOnExit: 1<<32 - 1}, limit)
							}
							got.returned = true
							assert.Equal(t, rtos.NotifyInfo{}, slot(w, i), "nothing is left")
							assert.NoError(t, w.NotifyGiveAt(i))
							later.v, later.err = w.NotifyTakeAt(i, true, 0)
						})
						let(t, me, "w waits", func() bool {
							return slot(w, i).State == rtos.NotifyWaiting || c.name == "timed out" && w.State() == rtos.StateDeleted
						})
						c.end(k, w, i, func() { cancel(cause) })
						if c.name == "stopped" {
							return
						}
						let(t, me, "w ends", func() bool { return w.State() == rtos.StateDeleted })
						assert.Equal(t, c.want, got)
						if got.returned {
							assert.Equal(t, result{v: 1}, later, "a later give is not lost")
						} else {
							assert.Equal(t, result{err: rtos.ErrDeleted}, later, "what a deferred function gets")
						}
					})
				})
			}
		}
	}
}

// From an interrupt a notification tells whether a task more urgent than the
// interrupted one was woken, and the switch comes at the end of the interrupt.
func TestNotifyFromISRTellsWhomItWoke(t *testing.T) {
	type told struct{ one, woken, taken, again, other bool }
	for _, c := range []struct {
		name          string
		prio, waiting int // priority of the target, and the slot it waits in, -1 none
		want          told
		ranAt         int
	}{
		{"more urgent", 3, 1, told{true, true, true, false, true}, 5},
		{"equal", 2, 1, told{}, 9},
		{"less urgent", 1, 1, told{}, 9},
		{"waits in another slot", 3, 0, told{}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{})
			ranAt := 0
			w := spawn(t, k, "w", c.prio, func(w *rtos.Task) {
				_, err := w.NotifyTakeAt(c.waiting, true, k.Ticks(20))
				assert.Equal(t, c.waiting != 1, err != nil)
				ranAt = int(s.Time())
			})
			spawn(t, k, "r", 2, func(r *rtos.Task) {
				assert.NoError(t, r.Delay(k.Ticks(1))) // w waits first
				r.Work(k.Ticks(8))
			})
			var got told
			s.At(5, func(isr *rtos.ISR) {
				assert.Same(t, k, isr.Kernel())
				assert.False(t, isr.Woken())
				assert.NoError(t, w.NotifyGiveAtFromISR(isr, 1))
				got.one = isr.Woken()
				assert.NoError(t, w.NotifyGiveAtFromISR(isr, 1), "nobody waits any more")
				got.woken, got.taken, got.again, got.other = isr.Woken(), isr.TakeWoken(), isr.TakeWoken(), isr.Woken()
				assert.False(t, w == k.Current(), "an interrupt does not switch")
			})
			finish(t, k)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.ranAt, ranAt)
		})
	}
}

// What an interrupt wakes while the scheduler is suspended runs when it is resumed.
func TestNotifyFromISRUnderASuspendedScheduler(t *testing.T) {
	k, s := newSim(t, sim.Options{}, rtos.Config{})
	var log []string
	note := func(what string) { log = append(log, fmt.Sprintf("%d: %s", s.Time(), what)) }
	w := spawn(t, k, "w", 3, func(w *rtos.Task) {
		v, err := w.NotifyTake(true, rtos.Forever)
		note(fmt.Sprintf("w %d %v", v, err))
	})
	spawn(t, k, "r", 2, func(r *rtos.Task) {
		k.SuspendScheduler(r)
		r.Work(k.Ticks(5))
		assert.Equal(t, rtos.StateReady, w.State())
		assert.Equal(t, rtos.NotifyInfo{Value: 2, State: rtos.NotifyReceived}, slot(w, 0))
		note("r resumes")
		assert.True(t, k.ResumeScheduler(r), "it switched")
		note("r goes on")
	})
	for _, at := range []uint64{2, 3} {
		s.At(at, func(isr *rtos.ISR) {
			note("give")
			assert.NoError(t, w.NotifyGiveFromISR(isr))
		})
	}
	finish(t, k)
	assert.Equal(t, []string{"2: give", "3: give", "5: r resumes", "5: w 2 <nil>", "5: r goes on"}, log)
}

// Kernel.Interrupt tells, where tasks run in parallel, whether a task was woken at all.
func TestInterruptTellsWhetherItWoke(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	w := spawn(t, k, "w", 1, func(w *rtos.Task) {
		for range 2 {
			_, err := w.NotifyTakeAt(2, true, rtos.Forever)
			assert.NoError(t, err)
		}
	})
	wait := background(t, k)
	for range 2 {
		eventually(t, "w waits", func() bool { return slot(w, 2).State == rtos.NotifyWaiting })
		assert.False(t, k.Interrupt(func(*rtos.ISR) {}))
		assert.False(t, k.Interrupt(func(isr *rtos.ISR) { assert.NoError(t, w.NotifyGiveFromISR(isr)) }), "another slot")
		assert.True(t, k.Interrupt(func(isr *rtos.ISR) {
			assert.NoError(t, w.NotifyGiveAtFromISR(isr, 2))
			assert.True(t, isr.Woken())
			assert.True(t, isr.TakeWoken())
			assert.False(t, isr.TakeWoken())
		}))
	}
	assert.NoError(t, wait())
	k.Interrupt(func(isr *rtos.ISR) {
		assert.Equal(t, rtos.ErrDeleted, w.NotifyGiveAtFromISR(isr, 2))
		assert.False(t, isr.Woken())
	})
}
