package rtos_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// Whoever gets the processor when a loan ends is the most urgent one, whatever ended it.
func TestEndOfALoanIsScheduledAtOnce(t *testing.T) {
	for name, end := range map[string]func(k *rtos.Kernel, h *rtos.Task){
		"suspended":   func(_ *rtos.Kernel, h *rtos.Task) { h.Suspend() },
		"deleted":     func(_ *rtos.Kernel, h *rtos.Task) { h.Delete() },
		"aborted":     func(_ *rtos.Kernel, h *rtos.Task) { h.AbortDelay() },
		"less urgent": func(_ *rtos.Kernel, h *rtos.Task) { h.SetPriority(2) },
		"timed out":   func(k *rtos.Kernel, _ *rtos.Task) { k.Current().Work(k.Ticks(7)) },
	} {
		t.Run(name, func(t *testing.T) {
			k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{Inheritance: rtos.InheritChained})
			m := rtos.NewMutex("m")
			var log []string
			note := func(what string) { log = append(log, fmt.Sprintf("%s@%d", what, s.Time())) }
			h := spawn(t, k, "H", 5, func(h *rtos.Task) {
				_ = h.Delay(k.Ticks(1))
				_ = m.LockFor(h, k.Ticks(9))
			})
			spawn(t, k, "X", 3, func(x *rtos.Task) {
				_ = x.Delay(k.Ticks(2))
				note("X")
			})
			spawn(t, k, "L", 1, func(l *rtos.Task) {
				assert.NoError(t, m.Lock(l))
				l.Work(k.Ticks(4))
				note("end")
				end(k, h)
				note("L")
				assert.NoError(t, m.Unlock(l))
			})
			finish(t, k)
			want := "end@4 X@4 L@4"
			if name == "timed out" {
				want = "end@4 X@10 L@11"
			}
			assert.Equal(t, want, strings.Join(log, " "))
		})
	}
}

// A raise that passes on along a chain lets its end run before the caller goes on.
func TestRaiseAlongAChainIsScheduledAtOnce(t *testing.T) {
	k, _ := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{Inheritance: rtos.InheritChained})
	m := rtos.NewMutex("m")
	var log []string
	spawn(t, k, "L", 1, func(l *rtos.Task) {
		assert.NoError(t, m.Lock(l))
		l.Work(k.Ticks(4))
		log = append(log, "L gives")
		assert.NoError(t, m.Unlock(l))
	})
	w := spawn(t, k, "W", 2, func(w *rtos.Task) {
		_ = w.Delay(k.Ticks(1))
		assert.NoError(t, m.Lock(w))
		log = append(log, "W")
		assert.NoError(t, m.Unlock(w))
	})
	spawn(t, k, "X", 4, func(x *rtos.Task) {
		_ = x.Delay(k.Ticks(2))
		w.SetPriority(5)
		log = append(log, "X")
	})
	finish(t, k)
	assert.Equal(t, "L gives, W, X", strings.Join(log, ", "))
}

// The limit of a wait and the give of the mutex at one tick: the tick comes first, so the
// waiter outranks the holder that it has lent to, and finds the mutex taken.
func TestLimitAtTheTickOfTheGive(t *testing.T) {
	k, s := newSim(t, sim.Options{TimeSlicing: sim.Off}, rtos.Config{Inheritance: rtos.InheritChained})
	a, b := rtos.NewMutex("A"), rtos.NewMutex("B")
	var log []string
	note := func(format string, args ...any) {
		log = append(log, fmt.Sprintf("%d ", s.Time())+fmt.Sprintf(format, args...))
	}
	l := spawn(t, k, "L", 1, func(l *rtos.Task) {
		assert.NoError(t, a.Lock(l))
		l.Work(k.Ticks(10))
		note("L gives, %s", levels(l))
		assert.NoError(t, a.Unlock(l))
	})
	m := spawn(t, k, "M", 3, func(m *rtos.Task) {
		assert.NoError(t, m.Delay(k.Ticks(1)))
		assert.NoError(t, b.Lock(m))
		err := a.LockFor(m, k.Ticks(9))
		note("M %v, %s", err, levels(m))
		assert.NoError(t, b.Unlock(m))
	})
	spawn(t, k, "H", 5, func(h *rtos.Task) {
		assert.NoError(t, h.Delay(k.Ticks(2)))
		err := b.LockFor(h, k.Ticks(8))
		note("H %v; M %s, L %s", err, levels(m), levels(l))
	})
	finish(t, k)
	// The limit of M began first, so it ends first: H still waits then. H outranks both.
	assert.Equal(t, "10 H rtos: timeout; M e3/b3, L e1/b1; 10 M rtos: timeout, e3/b3; 10 L gives, e1/b1", strings.Join(log, "; "))
}
