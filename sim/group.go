package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tickwake/rtos"
)

// A Group runs several boards in one virtual time, which is a duration, because their
// ticks may differ. The board whose next event is the earliest goes on, of equals the one
// that comes first in the group; so a run depends on nothing but the boards.
//
// A group is driven like a simulation, from one goroutine; its boards must not be driven
// one by one meanwhile. The errors of its drives are those of [Sim.RunUntil], with the
// name of the board.
type Group struct {
	boards  []*Board
	now     time.Duration
	driving bool
}

// NewGroup makes a group of boards, none of which may belong to another one, be paced, or
// have run already.
func NewGroup(boards ...*Board) (*Group, error) {
	for i, b := range boards {
		switch {
		case b == nil:
			return nil, fmt.Errorf("sim: NewGroup: board %d is nil", i)
		case b.group != nil, slices.Contains(boards[:i], b):
			return nil, fmt.Errorf("sim: NewGroup: board %q belongs to a group already", b.name)
		case b.options.Pace != 0:
			return nil, fmt.Errorf("sim: NewGroup: board %q has Options.Pace, which groups do not know", b.name)
		case b.s.started:
			return nil, fmt.Errorf("sim: NewGroup: board %q has run already", b.name)
		}
	}
	g := &Group{boards: slices.Clone(boards)}
	for _, b := range boards {
		b.group = g
	}
	return g, nil
}

// Time is the group's virtual time.
func (g *Group) Time() time.Duration { return g.now }

// NextEvent is the time at which something happens next on any of the boards; false if
// nothing can happen any more.
func (g *Group) NextEvent() (at time.Duration, ok bool) {
	_, at, ok = g.next()
	return at, ok
}

// next is the board with the earliest event.
func (g *Group) next() (first *Board, at time.Duration, ok bool) {
	at = math.MaxInt64
	for _, b := range g.boards {
		if tick, some := b.s.NextEvent(); some && (!ok || b.at(tick) < at) {
			first, at, ok = b, b.at(tick), true
		}
	}
	return first, max(at, g.now), ok
}

// Step lets one board go on to its next event, with all that happens there at that tick.
// It reports false if nothing can happen any more.
func (g *Group) Step() (more bool, err error) {
	g.begin("Group.Step")
	defer g.end()
	return g.step(math.MaxInt64)
}

// step is one event that is not later than a limit.
func (g *Group) step(limit time.Duration) (more bool, err error) {
	b, at, ok := g.next()
	if !ok || at > limit {
		return false, nil
	}
	g.now = at
	for _, other := range g.boards {
		if other != b {
			other.pass(at)
		}
	}
	return true, g.advance(b, b.tick(at))
}

// advance lets a board go on to a tick, and starts it again if its reset button is
// pressed.
func (g *Group) advance(b *Board, tick uint64) error {
	_, err := b.s.drive(goal{op: "Group", end: tick})
	if b.pressed {
		return b.Reset()
	}
	if err != nil {
		return fmt.Errorf("sim: board %q: %w", b.name, err)
	}
	return nil
}

// RunUntil lets all boards go on until a time, and everything happen that happens then.
func (g *Group) RunUntil(end time.Duration) error {
	g.begin("Group.RunUntil")
	defer g.end()
	return g.runUntil(end)
}

func (g *Group) runUntil(end time.Duration) error {
	for {
		more, err := g.step(end)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	g.now = max(g.now, end)
	for _, b := range g.boards {
		if b.off() {
			continue
		}
		if err := g.advance(b, b.tick(end)); err != nil {
			return err
		}
	}
	return nil
}

// RunFor is RunUntil a duration from now.
func (g *Group) RunFor(d time.Duration) error { return g.RunUntil(g.now + min(d, math.MaxInt64-g.now)) }

// RunTo lets the boards go on until cond holds, which is called at the beginning and
// after each step. If the time would have to pass limit first, or nothing can happen any
// more, the error wraps [rtos.ErrTimeout] or is a [*DeadlockError].
func (g *Group) RunTo(cond func() bool, limit time.Duration) error {
	if cond == nil {
		misuse("Group.RunTo", "nil condition")
	}
	g.begin("Group.RunTo")
	defer g.end()
	for !cond() {
		more, err := g.step(limit)
		switch {
		case err != nil:
			return err
		case more:
			continue
		}
		if _, ok := g.NextEvent(); ok {
			if err := g.runUntil(limit); err != nil {
				return err
			}
			return fmt.Errorf("sim: RunTo: the condition does not hold by %v: %w", limit, rtos.ErrTimeout)
		}
		if err := g.deadlock(); err != nil {
			return err
		}
		return fmt.Errorf("sim: RunTo: nothing can happen any more after %v, and the condition does not hold: %w", g.now, rtos.ErrTimeout)
	}
	return nil
}

// Settle lets the boards go on until nothing more can happen on any of them: see
// [Sim.Settle].
func (g *Group) Settle() error {
	g.begin("Group.Settle")
	defer g.end()
	for {
		more, err := g.step(math.MaxInt64)
		if err != nil {
			return err
		}
		if !more {
			return g.deadlock()
		}
	}
}

// deadlock looks for deadlocks on boards that have settled.
func (g *Group) deadlock() error {
	for _, b := range g.boards {
		if b.off() {
			continue
		}
		if d := b.s.deadlock(false); d != nil {
			return fmt.Errorf("sim: board %q: %w", b.name, d)
		}
	}
	return nil
}

// Close switches all boards off and returns the first error.
func (g *Group) Close() (err error) {
	for _, b := range g.boards {
		if e := b.Close(); e != nil && err == nil {
			err = fmt.Errorf("sim: board %q: %w", b.name, e)
		}
	}
	return err
}

func (g *Group) begin(op string) {
	if g.driving {
		misuse(op, "called from inside a board of the group")
	}
	g.driving = true
}

func (g *Group) end() { g.driving = false }
