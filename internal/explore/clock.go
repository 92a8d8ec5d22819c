//go:build explore

package explore

import (
	"fmt"
	"slices"
)

// A clock is a vector clock: how many steps of each thread have happened before.
type clock []int

func (c *clock) join(o clock) {
	for len(*c) < len(o) {
		*c = append(*c, 0)
	}
	for i, n := range o {
		(*c)[i] = max((*c)[i], n)
	}
}

func (c *clock) set(o clock) { *c = append((*c)[:0], o...) }

func (c clock) has(thread, step int) bool { return thread < len(c) && c[thread] >= step }

func (c clock) clone() clock { return slices.Clone(c) }

// A Cell is a plain variable: accesses of different threads must be ordered by what
// synchronizes them.
type Cell struct {
	w      *World
	value  int
	writer event
	reads  []event
}

// NewCell makes a plain variable.
func (w *World) NewCell() *Cell {
	if w.clocks == nil {
		w.clocks = map[any]*clock{}
	}
	return &Cell{w: w}
}

type event struct {
	thread, step int
	name         string
}

// Get reads the cell.
func (c *Cell) Get() int {
	w := c.w
	if t := w.current; t != nil {
		w.ordered(t, c.writer, "read", "write")
		c.reads = append(c.reads, event{t.id, t.tick(), t.name})
	}
	return c.value
}

// Set writes the cell.
func (c *Cell) Set(v int) {
	w := c.w
	if t := w.current; t != nil {
		w.ordered(t, c.writer, "write", "write")
		for _, r := range c.reads {
			w.ordered(t, r, "write", "read")
		}
		c.reads = c.reads[:0]
		c.writer = event{t.id, t.tick(), t.name}
	}
	c.value = v
}

func (t *Thread) tick() int {
	for len(t.clock) <= t.id {
		t.clock = append(t.clock, 0)
	}
	t.clock[t.id]++
	return t.clock[t.id]
}

func (w *World) ordered(t *Thread, before event, now, then string) {
	if before.step > 0 && !t.clock.has(before.thread, before.step) {
		w.Fail(fmt.Errorf("data race: %s of %s is not ordered after the %s of %s", now, t.name, then, before.name))
	}
}
