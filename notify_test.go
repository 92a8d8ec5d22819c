package rtos_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// onPort runs f as task "me", of priority 2, on each port; interrupt runs a function
// as an interrupt of that kernel.
func onPort(t *testing.T, c rtos.Config, f func(t *testing.T, k *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR)))) {
	t.Helper()
	for name, port := range worlds {
		t.Run(name, func(t *testing.T) {
			leakless(t)
			c := c
			c.Port = port()
			k := newKernel(t, c)
			spawn(t, k, "me", 2, func(me *rtos.Task) {
				f(t, k, me, func(isr func(*rtos.ISR)) {
					if s, ok := c.Port.(*sim.Sim); ok {
						s.At(s.Time()+1, isr)
						me.Work(k.Ticks(1))
					} else {
						k.Interrupt(isr)
					}
				})
			})
			finish(t, k)
		})
	}
}

func slot(t *rtos.Task, i int) rtos.NotifyInfo { return t.Info().Notify[i] }

// notifyForms is every way to notify; those that only give do an Increment.
var notifyForms = []struct {
	name    string
	slot    int // -1: any
	gives   bool
	fromISR bool
	hasPrev bool
	perform func(w *rtos.Task, isr *rtos.ISR, i int, v uint32, a rtos.Action) (prev uint32, err error)
}{
	{name: "Notify", slot: 0, perform: func(w *rtos.Task, _ *rtos.ISR, _ int, v uint32, a rtos.Action) (uint32, error) {
		return 0, w.Notify(v, a)
	}},
	{name: "NotifyAt", slot: -1, perform: func(w *rtos.Task, _ *rtos.ISR, i int, v uint32, a rtos.Action) (uint32, error) {
		return 0, w.NotifyAt(i, v, a)
	}},
	{name: "NotifyQuery", slot: 0, hasPrev: true, perform: func(w *rtos.Task, _ *rtos.ISR, _ int, v uint32, a rtos.Action) (uint32, error) {
		return w.NotifyQuery(v, a)
	}},
	{name: "NotifyQueryAt", slot: -1, hasPrev: true, perform: func(w *rtos.Task, _ *rtos.ISR, i int, v uint32, a rtos.Action) (uint32, error) {
		return w.NotifyQueryAt(i, v, a)
	}},
	{name: "NotifyFromISR", slot: 0, fromISR: true, perform: func(w *rtos.Task, isr *rtos.ISR, _ int, v uint32, a rtos.Action) (uint32, error) {
		return 0, w.NotifyFromISR(isr, v, a)
	}},
	{name: "NotifyAtFromISR", slot: -1, fromISR: true, perform: func(w *rtos.Task, isr *rtos.ISR, i int, v uint32, a rtos.Action) (uint32, error) {
		return 0, w.NotifyAtFromISR(isr, i, v, a)
	}},
	{name: "NotifyQueryAtFromISR", slot: -1, fromISR: true, hasPrev: true, perform: func(w *rtos.Task, isr *rtos.ISR, i int, v uint32, a rtos.Action) (uint32, error) {
		return w.NotifyQueryAtFromISR(isr, i, v, a)
	}},
	{name: "NotifyGive", slot: 0, gives: true, perform: func(w *rtos.Task, _ *rtos.ISR, _ int, _ uint32, _ rtos.Action) (uint32, error) {
		return 0, w.NotifyGive()
	}},
	{name: "NotifyGiveAt", slot: -1, gives: true, perform: func(w *rtos.Task, _ *rtos.ISR, i int, _ uint32, _ rtos.Action) (uint32, error) {
		return 0, w.NotifyGiveAt(i)
	}},
	{name: "NotifyGiveFromISR", slot: 0, gives: true, fromISR: true, perform: func(w *rtos.Task, isr *rtos.ISR, _ int, _ uint32, _ rtos.Action) (uint32, error) {
		return 0, w.NotifyGiveFromISR(isr)
	}},
	{name: "NotifyGiveAtFromISR", slot: -1, gives: true, fromISR: true, perform: func(w *rtos.Task, isr *rtos.ISR, i int, _ uint32, _ rtos.Action) (uint32, error) {
		return 0, w.NotifyGiveAtFromISR(isr, i)
	}},
}

// Every action, by every form, on a slot of every state: what it answers, what it
// leaves in the slot, and whom it wakes.
func TestNotifyActionsInEveryState(t *testing.T) {
	const before, v = 5, 0x12
	after := map[rtos.Action]uint32{
		rtos.NoAction: 5, rtos.SetBits: 0x17, rtos.Increment: 6, rtos.Overwrite: 0x12, rtos.SetIfClear: 0x12,
	}
	for _, state := range []string{"none", "waiting", "received", "ended"} {
		for _, form := range notifyForms {
			t.Run(state+"/"+form.name, func(t *testing.T) {
				onPort(t, rtos.Config{Tasks: 32}, func(t *testing.T, k *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
					for action, value := range after {
						for _, i := range []int{0, 2} {
							if form.slot >= 0 && form.slot != i || form.gives && action != rtos.Increment {
								continue
							}
							why := fmt.Sprintf("action %d on slot %d", action, i)
							var got uint32
							var waitErr error
							w := spawn(t, k, "w", 1, func(w *rtos.Task) {
								if _, waitErr = w.NotifyTakeAt(1, true, rtos.Forever); waitErr == nil && state == "waiting" {
									got, waitErr = w.NotifyWait(rtos.NotifyWait{Slot: i}, rtos.Forever)
								}
							})
							let(t, me, "w waits in slot 1", func() bool { return slot(w, 1).State == rtos.NotifyWaiting })
							assert.NoError(t, w.NotifyAt(i, before, rtos.Overwrite), why)
							if state != "received" {
								w.NotifyStateClear(i)
							}
							switch state {
							case "waiting":
								assert.NoError(t, w.NotifyGiveAt(1))
								let(t, me, "w waits", func() bool { return slot(w, i).State == rtos.NotifyWaiting })
							case "ended":
								assert.NoError(t, w.NotifyGiveAt(1))
								let(t, me, "w ends", func() bool { return w.State() == rtos.StateDeleted })
							}
							var prev uint32
							var err error
							left := rtos.NotifyInfo{}
							act := func(isr *rtos.ISR) {
								prev, err = form.perform(w, isr, i, v, action)
								left = slot(w, i)
							}
							if form.fromISR {
								interrupt(act)
							} else {
								act(nil)
							}
							if form.hasPrev {
								assert.Equal(t, uint32(before), prev, why)
							}
							wantErr, want := error(nil), rtos.NotifyInfo{Value: value, State: rtos.NotifyReceived}
							switch {
							case state == "ended":
								wantErr, want = rtos.ErrDeleted, rtos.NotifyInfo{Value: before}
							case state == "received" && action == rtos.SetIfClear:
								wantErr, want.Value = rtos.ErrPending, before
							}
							assert.Equal(t, wantErr, err, why)
							if state == "waiting" {
								let(t, me, "w ends", func() bool { return w.State() == rtos.StateDeleted })
								assert.Equal(t, value, got, why)
							} else {
								assert.Equal(t, want, left, why)
							}
							if state == "none" || state == "received" {
								assert.Equal(t, rtos.StateBlocked, w.State(), why+": it waits in another slot")
								assert.NoError(t, w.NotifyGiveAt(1))
								let(t, me, "w ends", func() bool { return w.State() == rtos.StateDeleted })
							}
							assert.NoError(t, waitErr, why)
						}
					}
				})
			})
		}
	}
}

// In a simulation the notified task has not run when the call returns: the slot shows
// what is pending.
func TestNotifiedTaskHasTheNotificationPendingUntilItRuns(t *testing.T) {
	k, _ := newSim(t, sim.Options{}, rtos.Config{})
	w := spawn(t, k, "w", 1, func(w *rtos.Task) {
		v, err := w.NotifyTakeAt(1, true, rtos.Forever)
		assert.NoError(t, err)
		assert.Equal(t, uint32(9), v)
		assert.Equal(t, rtos.NotifyInfo{}, slot(w, 1))
	})
	spawn(t, k, "g", 2, func(g *rtos.Task) {
		assert.NoError(t, g.Delay(k.Ticks(1)))
		assert.Equal(t, rtos.NotifyInfo{State: rtos.NotifyWaiting}, slot(w, 1))
		assert.Equal(t, "notification in slot 1", w.Info().WaitsFor)
		assert.False(t, w.NotifyPending(1), "it waits")
		assert.False(t, w.NotifyStateClear(1), "nothing is pending")
		assert.Equal(t, rtos.NotifyWaiting, slot(w, 1).State, "it still waits")
		assert.Zero(t, w.NotifyValueClear(1, math.MaxUint32))
		assert.Equal(t, rtos.StateBlocked, w.State())

		assert.NoError(t, w.NotifyAt(1, 8, rtos.SetIfClear))
		assert.Equal(t, rtos.NotifyInfo{Value: 8, State: rtos.NotifyReceived}, slot(w, 1))
		assert.Equal(t, rtos.StateReady, w.State())
		assert.True(t, w.NotifyPending(1))
		assert.False(t, w.NotifyPending(0))
		assert.Equal(t, rtos.ErrPending, w.NotifyAt(1, 4, rtos.SetIfClear))
		assert.NoError(t, w.NotifyGiveAt(1))
	})
	finish(t, k)
}

// Queries and clears touch what they say, and nothing else.
func TestNotifyClears(t *testing.T) {
	k := newKernel(t, rtos.Config{NotifySlots: 4})
	w := adopted(t, k, "w", 1)
	defer func() { require.NoError(t, w.Release()) }()
	for _, i := range []int{0, 1, 3} {
		assert.False(t, w.NotifyStateClear(i), "nothing is pending")
		assert.NoError(t, w.NotifyAt(i, 0b1111, rtos.Overwrite))
		assert.Equal(t, uint32(0b1111), w.NotifyValueClear(i, 0), "a query")
		assert.Equal(t, rtos.NotifyInfo{Value: 0b1111, State: rtos.NotifyReceived}, slot(w, i))
		assert.Equal(t, uint32(0b1111), w.NotifyValueClear(i, 0b0101))
		assert.Equal(t, rtos.NotifyInfo{Value: 0b1010, State: rtos.NotifyReceived}, slot(w, i), "the state stays")
		assert.True(t, w.NotifyPending(i))
		assert.True(t, w.NotifyStateClear(i))
		assert.False(t, w.NotifyPending(i))
		assert.Equal(t, rtos.NotifyInfo{Value: 0b1010}, slot(w, i), "the value stays")
		assert.NoError(t, w.NotifyAt(i, 7, rtos.SetIfClear), "the state decides, not the value")
		assert.Equal(t, rtos.NotifyInfo{Value: 7, State: rtos.NotifyReceived}, slot(w, i))
	}
	assert.Equal(t, rtos.NotifyInfo{}, slot(w, 2), "the other slot")
}

func TestNotifyValueWraps(t *testing.T) {
	k := newKernel(t, rtos.Config{})
	w := adopted(t, k, "w", 1)
	defer func() { require.NoError(t, w.Release()) }()
	for _, i := range []int{0, 2} {
		assert.NoError(t, w.NotifyAt(i, math.MaxUint32, rtos.Overwrite))
		prev, err := w.NotifyQueryAt(i, 77, rtos.Increment)
		assert.NoError(t, err)
		assert.Equal(t, uint32(math.MaxUint32), prev)
		assert.Equal(t, rtos.NotifyInfo{State: rtos.NotifyReceived}, slot(w, i))
		v, err := w.NotifyWait(rtos.NotifyWait{Slot: i}, 0)
		assert.NoError(t, err, "woken with 0")
		assert.Zero(t, v)

		assert.NoError(t, w.NotifyAt(i, math.MaxUint32, rtos.Overwrite))
		v, err = w.NotifyTakeAt(i, false, 0)
		assert.NoError(t, err)
		assert.Equal(t, uint32(math.MaxUint32), v)
		assert.NoError(t, w.NotifyGiveAt(i))
		assert.NoError(t, w.NotifyGiveAt(i))
		assert.Equal(t, rtos.NotifyInfo{State: rtos.NotifyReceived}, slot(w, i))
		assert.Equal(t, uint32(0), w.NotifyValueClear(i, 0))
	}
}

// A call that polls, or that has to wait 2 ticks in vain, on a slot that holds a value
// and perhaps a pending notification.
func TestNotifyTakeAndWaitWithoutAWaker(t *testing.T) {
	type in struct {
		value   uint32
		pending bool
	}
	type out struct {
		v    uint32
		err  error
		left uint32
		at   int // ticks it took
	}
	const all = math.MaxUint32
	take := func(clear bool, d int) func(*rtos.Task, int) (uint32, error) {
		return func(t *rtos.Task, i int) (uint32, error) {
			return t.NotifyTakeAt(i, clear, t.Kernel().Ticks(uint64(d)))
		}
	}
	wait := func(entry, exit uint32, d int) func(*rtos.Task, int) (uint32, error) {
		return func(t *rtos.Task, i int) (uint32, error) {
			return t.NotifyWait(rtos.NotifyWait{Slot: i, ClearOnEntry: entry, ClearOnExit: exit}, t.Kernel().Ticks(uint64(d)))
		}
	}
	for _, c := range []struct {
		name   string
		compat rtos.Compat
		in     in
		call   func(t *rtos.Task, i int) (uint32, error)
		want   out
	}{
		{"take polls nothing", 0, in{0, false}, take(true, 0), out{0, rtos.ErrWouldBlock, 0, 0}},
		{"take times out", 0, in{0, false}, take(true, 2), out{0, rtos.ErrTimeout, 0, 2}},
		{"take all of a left value", 0, in{3, false}, take(true, 2), out{3, nil, 0, 0}},
		{"take all", 0, in{3, true}, take(true, 0), out{3, nil, 0, 0}},
		{"take one", 0, in{3, true}, take(false, 0), out{3, nil, 2, 0}},
		{"take one of one", 0, in{1, true}, take(false, 2), out{1, nil, 0, 0}},
		{"take polls a pending 0", 0, in{0, true}, take(true, 0), out{0, nil, 0, 0}},
		{"take forgets a pending 0 and waits", 0, in{0, true}, take(true, 2), out{0, rtos.ErrTimeout, 0, 2}},

		{"wait: one is pending", 0, in{0b1111, true}, wait(all, 0b0011, 2), out{0b1111, nil, 0b1100, 0}},
		{"wait: poll, one is pending", 0, in{0b1111, true}, wait(all, 0b0011, 0), out{0b1111, nil, 0b1100, 0}},
		{"wait: a pending 0", 0, in{0, true}, wait(0, 0, 2), out{0, nil, 0, 0}},
		{"wait: a value is no notification", 0, in{0b1111, false}, wait(0, all, 2), out{0b1111, rtos.ErrTimeout, 0b1111, 2}},
		{"wait clears on entry, not on exit", 0, in{0b1111, false}, wait(0b0011, 0b0100, 2), out{0b1100, rtos.ErrTimeout, 0b1100, 2}},
		{"wait: a poll clears nothing", 0, in{0b1111, false}, wait(0b0011, 0b0100, 0), out{0b1111, rtos.ErrWouldBlock, 0b1111, 0}},
		{"wait: a poll clears, V10", rtos.CompatPollClears, in{0b1111, false}, wait(0b0011, 0b0100, 0), out{0b1100, rtos.ErrWouldBlock, 0b1100, 0}},
		{"wait: a poll of CompatFreeRTOS clears nothing", rtos.CompatFreeRTOS, in{0b1111, false}, wait(0b0011, 0b0100, 0), out{0b1111, rtos.ErrWouldBlock, 0b1111, 0}},
		{"wait: a poll that succeeds clears no entry bits, V10", rtos.CompatPollClears, in{0b1111, true}, wait(0b0011, 0b0100, 0), out{0b1111, nil, 0b1011, 0}},
		{"take: a poll is the same, V10", rtos.CompatPollClears, in{3, false}, take(false, 0), out{3, nil, 2, 0}},
	} {
		for _, i := range []int{0, 1, 2} {
			t.Run(fmt.Sprintf("%s/slot %d", c.name, i), func(t *testing.T) {
				k, s := newSim(t, sim.Options{}, rtos.Config{Compat: c.compat})
				spawn(t, k, "me", 1, func(me *rtos.Task) {
					other := (i + 1) % 3
					require.NoError(t, me.NotifyAt(other, 99, rtos.Overwrite))
					require.NoError(t, me.NotifyAt(i, c.in.value, rtos.Overwrite))
					if !c.in.pending {
						me.NotifyStateClear(i)
					}
					v, err := c.call(me, i)
					assert.Equal(t, c.want, out{v, err, slot(me, i).Value, int(s.Time())})
					assert.Equal(t, rtos.NotifyNone, slot(me, i).State, "nothing is pending, whatever is left")
					assert.Equal(t, rtos.NotifyInfo{Value: 99, State: rtos.NotifyReceived}, slot(me, other))
					_, err = me.NotifyWait(rtos.NotifyWait{Slot: i}, 0)
					assert.Equal(t, rtos.ErrWouldBlock, err, "a value left over is no notification")
				})
				finish(t, k)
			})
		}
	}
}

// A wait that is woken: entry bits are cleared before the action, exit bits after the
// value was read.
func TestNotifyMasksAroundAWake(t *testing.T) {
	onPort(t, rtos.Config{}, func(t *testing.T, k *rtos.Kernel, me *rtos.Task, interrupt func(func(*rtos.ISR))) {
		for _, i := range []int{0, 2} {
			for _, fromISR := range []bool{false, true} {
				var v, left uint32
				var err error
				w := spawn(t, k, "w", 3, func(w *rtos.Task) {
					assert.NoError(t, w.NotifyAt(i, 0b1111_0000, rtos.Overwrite))
					assert.True(t, w.NotifyStateClear(i))
					v, err = w.NotifyWait(rtos.NotifyWait{Slot: i, ClearOnEntry: 0b0011_0011, ClearOnExit: 0b0100_0100}, time.Hour)
					left = w.NotifyValueClear(i, 0)
				})
				let(t, me, "w waits", func() bool { return slot(w, i).State == rtos.NotifyWaiting })
				if fromISR {
					interrupt(func(isr *rtos.ISR) { assert.NoError(t, w.NotifyAtFromISR(isr, i, 0b0010_0110, rtos.SetBits)) })
				} else {
					assert.NoError(t, w.NotifyAt(i, 0b0010_0110, rtos.SetBits))
				}
				let(t, me, "w ends", func() bool { return w.State() == rtos.StateDeleted })
				assert.NoError(t, err)
				assert.Equal(t, uint32(0b1110_0110), v)
				assert.Equal(t, uint32(0b1010_0010), left)
			}
		}
	})
}
