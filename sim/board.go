package sim

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tickwake/rtos"
)

// A Board is a kernel and its simulation that can be started again from the beginning:
// what a microcontroller does when its reset button is pressed. Equal starts, of the same
// seed, have equal traces.
type Board struct {
	name    string
	config  rtos.Config
	options Options
	boot    func(*Board) error

	k       *rtos.Kernel
	s       *Sim
	resets  int
	group   *Group
	origin  time.Duration // the group's time at which the board was started
	pressed bool          // the reset button, from inside
}

// NewBoard makes a board and boots it. boot makes the tasks and whatever else the board
// has, from nothing: it is called again at each reset, and must not use what an earlier
// boot has made. The configuration must have no port; the name becomes that of the trace,
// unless the options have one.
func NewBoard(name string, c rtos.Config, o Options, boot func(*Board) error) (*Board, error) {
	switch {
	case c.Port != nil:
		return nil, fmt.Errorf("sim: board %q: Config.Port is set, but a board makes its own", name)
	case boot == nil:
		return nil, fmt.Errorf("sim: board %q: nil boot function", name)
	}
	if o.Name == "" {
		o.Name = name
	}
	b := &Board{name: name, config: c, options: o, boot: boot}
	if err := b.start(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Board) start() error {
	b.pressed = false
	c := b.config
	s := New(b.options)
	c.Port = s
	k, err := rtos.New(c)
	if err != nil {
		return fmt.Errorf("sim: board %q: %w", b.name, err)
	}
	b.k, b.s = k, s
	if b.resets > 0 && s.trace.on() {
		s.trace.line(0, markReset, "reset", fmt.Sprintf("%d, at %v", b.resets, b.origin))
	}
	if err := b.boot(b); err != nil {
		return errors.Join(fmt.Errorf("sim: board %q: boot: %w", b.name, err), s.Close())
	}
	return nil
}

// Reset ends all tasks and starts the board again: with a fresh kernel and simulation of
// the same configuration, at virtual time 0, or if it belongs to a [Group] at the present
// of that. What was under way to the board is lost. An error is one of rtos.New or of
// boot; the board is off then.
//
// The tasks and interrupts of a board in a group that runs may reset it, too. A task does
// not come back from the call; what an interrupt does after it is lost. The error is then
// that of the group's drive.
func (b *Board) Reset() error {
	if b.s.driving.Load() {
		if b.group == nil || !b.group.driving {
			misuse("Board.Reset", "called from inside a board that no Group drives")
		}
		b.pressed = true
		b.s.halt = stopped
		if b.s.active != nil {
			b.s.wait(b.s.active)
		}
		return nil
	}
	origin := b.Now()
	if b.group != nil {
		origin = max(origin, b.group.now)
	}
	_ = b.s.Close() // a panic of a task has been told by the drive that met it
	b.origin = origin
	b.resets++
	return b.start()
}

// Name is the board's name.
func (b *Board) Name() string { return b.name }

// Kernel is the board's kernel: another one after each reset.
func (b *Board) Kernel() *rtos.Kernel { return b.k }

// Sim is the board's simulation: another one after each reset.
func (b *Board) Sim() *Sim { return b.s }

// Resets is how often the board has been reset.
func (b *Board) Resets() int { return b.resets }

// Now is the board's virtual time as a duration, in a group on the group's clock.
func (b *Board) Now() time.Duration { return b.at(b.s.time) }

// Close switches the board off: see [Sim.Close].
func (b *Board) Close() error { return b.s.Close() }

// off tells whether the board does nothing any more: it has failed, or stopped its kernel.
func (b *Board) off() bool { return b.s.ended || b.k.Stopping() }

// at is the time of a tick.
func (b *Board) at(tick uint64) time.Duration {
	d := b.k.Ticks(tick)
	if d > math.MaxInt64-b.origin {
		return math.MaxInt64
	}
	return b.origin + d
}

// tick is the last tick that is not later than a time.
func (b *Board) tick(at time.Duration) uint64 {
	return uint64(max(at-b.origin, 0) / b.s.tick)
}

// pass lets time go on to an instant before which nothing happens on the board.
func (b *Board) pass(at time.Duration) {
	tick := b.tick(at)
	if next, ok := b.s.NextEvent(); ok {
		tick = min(tick, max(next, 1)-1)
	}
	if tick > b.s.time && !b.off() {
		b.s.skip(tick - b.s.time)
	}
}

// Post sends a message to another board of the group, or to the board itself: f runs as
// an interrupt there when the latency has passed on the group's clock, at the first tick
// of the other board from then on, at the earliest the next. Messages of equal times
// arrive in the order of the calls. To be called by the tasks and interrupts of b, or by
// whoever drives the group. A negative latency is misuse.
func (b *Board) Post(to *Board, latency time.Duration, f func(*rtos.ISR), opts ...InterruptOption) {
	switch {
	case to == nil || b.group == nil || to.group != b.group:
		misuse("Board.Post", "the boards are not of one group")
	case latency < 0:
		misuse("Board.Post", "negative latency "+latency.String())
	case f == nil:
		misuse("Board.Post", "nil function")
	case to.off():
		return
	}
	now := b.Now()
	tick := never - uint64(1)
	if latency <= math.MaxInt64-now-to.s.tick {
		tick = to.tick(now + latency + to.s.tick - 1)
	}
	to.s.At(max(tick, to.s.time+1), f, opts...)
}
