// Inversion shows what a lock does to priorities. The low task holds a lock that the high
// task wants, while the medium task, which wants none, has much to do. The lock is a
// binary semaphore, which lends nothing; then a mutex with FreeRTOS's inheritance, which
// lasts until the low task gives its other mutex as well; then one with InheritChained,
// which ends with its cause.
//
// It runs in a simulation, and draws a column for each tick: the priority at which a task
// has the processor, and ~ where it waits for the lock.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	for _, c := range []struct {
		title  string
		policy rtos.Inheritance
		lock   func(name string) lock
	}{
		{"Binary semaphores", rtos.InheritFreeRTOS, newSemaphore},
		{"Mutexes, InheritFreeRTOS", rtos.InheritFreeRTOS, newMutex},
		{"Mutexes, InheritChained", rtos.InheritChained, newMutex},
	} {
		fmt.Fprintf(w, "%s\n", c.title)
		if err := play(w, c.policy, c.lock("bus"), c.lock("log")); err != nil {
			return err
		}
	}
	return nil
}

// lock is what a mutex and a semaphore have in common.
type lock struct {
	take, give func(t *rtos.Task)
	waiters    func() []*rtos.Task
}

func newMutex(name string) lock {
	m := rtos.NewMutex(name)
	return lock{
		func(t *rtos.Task) { m.Lock(t) },
		func(t *rtos.Task) { m.Unlock(t) },
		func() []*rtos.Task { return m.Info().Waiters },
	}
}

func newSemaphore(name string) lock {
	s := rtos.NewBinary(name)
	s.Give()
	return lock{
		func(t *rtos.Task) { s.Take(t) },
		func(*rtos.Task) { s.Give() },
		func() []*rtos.Task { return s.Info().Waiters },
	}
}

func play(w io.Writer, policy rtos.Inheritance, bus, log lock) error {
	s := sim.New(sim.Options{TimeSlicing: sim.Off})
	k, err := rtos.New(rtos.Config{Port: s, Inheritance: policy})
	if err != nil {
		return err
	}
	lines := newTimeline(k, s, bus)
	var got uint64
	for _, t := range []struct {
		name string
		prio int
		body func(t *rtos.Task)
	}{
		{"high", 3, func(t *rtos.Task) {
			t.Delay(k.Ticks(3))
			bus.take(t)
			got = s.Time()
			t.Work(k.Ticks(2))
			bus.give(t)
		}},
		{"medium", 2, func(t *rtos.Task) {
			t.Delay(k.Ticks(5))
			t.Work(k.Ticks(10))
		}},
		{"low", 1, func(t *rtos.Task) {
			log.take(t)
			bus.take(t)
			t.Work(k.Ticks(8))
			bus.give(t)
			t.Work(k.Ticks(5))
			log.give(t)
			t.Work(k.Ticks(2))
		}},
	} {
		task, err := k.Spawn(t.name, t.prio, t.body)
		if err != nil {
			return err
		}
		lines.add(task)
	}
	if err := k.Run(context.Background()); err != nil {
		return err
	}
	fmt.Fprintf(w, "%v  high wants the bus at tick 3 and has it at tick %d\n\n", lines, got)
	return nil
}

const ticks = 27

// timeline is a row for each task and a column for each tick.
type timeline struct {
	tasks []*rtos.Task
	rows  map[*rtos.Task][]byte
}

// newTimeline looks at every tick who has used the time up to it.
func newTimeline(k *rtos.Kernel, s *sim.Sim, l lock) *timeline {
	lines := &timeline{rows: map[*rtos.Task][]byte{}}
	for tick := uint64(1); tick <= ticks; tick++ {
		s.At(tick, func(*rtos.ISR) {
			if t := k.Current(); t != nil {
				lines.rows[t][tick-1] = byte('0' + t.Priority())
			}
			for _, t := range l.waiters() {
				lines.rows[t][tick-1] = '~'
			}
		})
	}
	return lines
}

func (l *timeline) add(t *rtos.Task) {
	l.tasks = append(l.tasks, t)
	l.rows[t] = []byte(strings.Repeat(" ", ticks))
}

func (l *timeline) String() string {
	var b strings.Builder
	row := func(name, columns string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-12s%s", name, columns), " ") + "\n")
	}
	scale := ""
	for tick := 0; tick < ticks; tick += 5 {
		scale += fmt.Sprintf("%-5d", tick)
	}
	row("tick", scale)
	for _, t := range l.tasks {
		row(fmt.Sprintf("%s (%d)", t, t.BasePriority()), string(l.rows[t]))
	}
	return b.String()
}
