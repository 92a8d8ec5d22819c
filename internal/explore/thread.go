//go:build explore

package explore

import (
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// A Thread is one flow of control of a [World].
type Thread struct {
	name string
	id   int
	w    *World
	body func()

	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	state  threadState
	token  bool          // a wake that a parked thread has not seen yet
	timer  bool          // begins when time has passed
	at     time.Duration // of a timer: when, at the earliest
	spun   bool          // waits for others to take a step
	idle   bool          // has paused by Spin
	since  int           // World.spins when it took its last step, or was let go on
	steps  int           // taken so far
	marked bool          // inside the operation that [Freeze] is about
	inOp   int           // steps taken there
	clock  clock
	handed clock // of the last Unpark
}

type threadState uint8

const (
	ready threadState = iota
	parked
	done
)

// Name is the name of the thread.
func (t *Thread) Name() string { return t.name }

// Done tells whether the thread has ended.
func (t *Thread) Done() bool { return t.state == done }

// Parked tells whether the thread waits to be unparked.
func (t *Thread) Parked() bool { return t.state == parked && !t.token }

// stopped unwinds a thread whose run is over.
type stopped struct{}

func (stopped) String() string { return "explore: the run is over" }

// start makes the coroutine of t.
func (t *Thread) start() {
	t.resume, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer func() {
			t.state = done
			switch p := recover().(type) {
			case nil, stopped:
			default:
				t.w.Fail(fmt.Errorf("%s panics: %v\n%s", t.name, p, debug.Stack()))
			}
		}()
		t.body()
	})
}

// pause gives control to the world until t is chosen again.
func (t *Thread) pause() {
	if t.w.over || !t.yield(struct{}{}) {
		panic(stopped{})
	}
}

// enabled tells whether t can take a step.
func (t *Thread) enabled() bool {
	switch {
	case t == t.w.frozen, t.state == done, t.spun:
		return false
	}
	return t.state == ready || t.token
}
