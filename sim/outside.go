package sim

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/atomic"
)

// outside is what other goroutines have to do with the simulation.
type outside struct {
	called atomic.Bool   // the driver should look
	bell   chan struct{} // wakes a driver that sleeps
	unhook func() bool   // from the context of the drive

	mu     sync.Mutex
	inbox  []*interrupt
	closed bool
}

// call lets the driver look for what has come from outside.
func (o *outside) call() {
	o.called.Store(true)
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// answer looks.
func (s *Sim) answer() {
	s.called.Store(false)
	s.watchdog.answer()
	s.takeIn()
}

// Inject runs f as an interrupt at the next tick. It is the only call that goroutines
// outside the simulation may make while it runs; it may also be made while it stands:
// then the next drive does it. Interrupts run in the order of the calls. Their ticks, and
// so the run, depend on the wall clock and cannot be repeated.
//
// The next tick is the one after the present, of which there is no saying for a
// simulation that jumps to its next event as fast as it can; with [Options].Pace it is
// the next one by the wall clock. Without [Options].Outside a run ends when nothing can
// happen any more, whatever others have in mind to inject.
//
// The error wraps [rtos.ErrStopped] if the kernel has ended; a run that ends before its
// next tick drops what was injected. Inject takes a short lock, and what came before it
// synchronizes before f.
func (s *Sim) Inject(f func(*rtos.ISR), opts ...InterruptOption) error {
	if f == nil {
		misuse("Sim.Inject", "nil function")
	}
	irq := newInterrupt(f, opts)
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.inbox = append(s.inbox, irq)
	}
	s.mu.Unlock()
	if closed {
		return fmt.Errorf("sim: Inject: %w", rtos.ErrStopped)
	}
	s.call()
	return nil
}

// standBy waits for something from outside, when nothing else can happen any more: an
// injection, the end of the run's context or of that of a waiting task.
func (s *Sim) standBy() {
	if d := s.deadlock(false); d != nil {
		s.halt, s.cause = stopped, d
		return
	}
	s.sleep(nil)
	if s.pace.tick > 0 {
		s.catchClock(never)
	}
}

// sleep waits for something from outside, or for the timer, and reports whether it was
// the timer.
func (s *Sim) sleep(timer <-chan time.Time) bool {
	s.watchdog.watch(nobody)
	for _, st := range s.contexts {
		defer context.AfterFunc(st.t.Context(), s.call)()
	}
	select {
	case <-timer:
		return true
	case <-s.bell:
		return false
	}
}

// takeIn schedules what has been injected.
func (s *Sim) takeIn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, irq := range s.inbox {
		s.schedule(&s.lines, &event{at: s.time + 1, irq: irq})
	}
	s.inbox = nil
}

func (s *Sim) closeInbox() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.inbox = true, nil
}
