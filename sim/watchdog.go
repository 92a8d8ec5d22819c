package sim

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// A StuckReport tells of a task or interrupt that does not let the simulation go on: it
// computes, waits for something that the kernel knows nothing of, or goes round in calls
// that neither wait nor yield.
type StuckReport struct {
	Task      string        // its name
	Interrupt string        // or that of the interrupt
	For       time.Duration // wall-clock time, at least
	Stack     string        // of its goroutine, "" if it cannot be had
}

// suspect is who may be stuck.
type suspect struct {
	task, interrupt string
	goroutine       atomic.Uint64 // 0: not known
}

// watchdog is a timer that now and then asks the driver to answer. If it does not, the
// suspect is stuck: who was last let run. That is all the watchdog costs while nobody is
// stuck: one store each time somebody is let run.
type watchdog struct {
	limit  time.Duration
	called *atomic.Bool // has the driver answer
	report func(StuckReport)

	running   atomic.Uint32 // number of who was last let run
	interrupt atomic.Pointer[suspect]
	asked     atomic.Bool // and not answered

	mu    sync.Mutex
	tasks []*suspect // by slot
	on    bool
	timer *time.Timer
	since time.Time     // when it asked
	next  time.Duration // when it will report
}

// looks is how often the watchdog looks within its limit.
const looks = 4

func (w *watchdog) enabled() bool { return w.limit > 0 }

// Numbers that are not a task's slot.
const (
	nobody uint32 = iota // the driver itself
	anInterrupt
	firstTask
)

// know returns the number of a task.
func (w *watchdog) know(slot int, who *suspect) uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) <= slot {
		w.tasks = append(w.tasks, nil)
	}
	w.tasks[slot] = who
	return firstTask + uint32(slot)
}

// watch notes who is let run.
func (w *watchdog) watch(number uint32) {
	if w.limit > 0 {
		w.running.Store(number)
	}
}

// who finds a suspect, nil if there is none.
func (w *watchdog) who(number uint32) *suspect {
	switch number {
	case nobody:
		return nil
	case anInterrupt:
		return w.interrupt.Load()
	}
	return w.tasks[number-firstTask]
}

func (w *watchdog) start() {
	if !w.enabled() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = true
	w.running.Store(nobody)
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit/looks, w.look)
	} else {
		w.timer.Reset(w.limit / looks)
	}
}

func (w *watchdog) stop() {
	if !w.enabled() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on = false
	w.timer.Stop()
}

func (w *watchdog) answer() { w.asked.Store(false) }

func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.on {
		return
	}
	if !w.asked.Load() {
		w.since, w.next = time.Now(), w.limit
		w.asked.Store(true)
		w.called.Store(true)
	} else if d := time.Since(w.since); d >= w.next {
		if who := w.who(w.running.Load()); who != nil {
			w.next *= 2
			w.report(StuckReport{Task: who.task, Interrupt: who.interrupt, For: d, Stack: stackOf(who.goroutine.Load())})
		}
	}
	w.timer.Reset(w.limit / looks)
}

// stuck passes a report on.
func (s *Sim) stuck(r StuckReport) {
	who, name := "task", r.Task
	if r.Interrupt != "" {
		who, name = "interrupt", r.Interrupt
	}
	s.k.Logger().Warn("sim: "+who+" does not let the simulation go on", who, name, "for", r.For, "stack", r.Stack)
	if s.opts.OnStuck != nil {
		s.opts.OnStuck(r)
	}
}

// goroutineID reads the number of the calling goroutine off the header of its stack
// trace.
func goroutineID() uint64 {
	var buf [40]byte
	header := buf[:runtime.Stack(buf[:], false)]
	number, _, _ := bytes.Cut(bytes.TrimPrefix(header, []byte(stackHeader)), []byte(" "))
	id, _ := strconv.ParseUint(string(number), 10, 64)
	return id
}

const (
	stackHeader = "goroutine "
	mostStacks  = 64 << 20
)

// stackOf finds the stack of one goroutine.
func stackOf(goroutine uint64) string {
	if goroutine == 0 {
		return ""
	}
	var all []byte
	for size := 1 << 16; size <= mostStacks; size *= 4 {
		all = make([]byte, size)
		if n := runtime.Stack(all, true); n < size {
			all = all[:n]
			break
		}
	}
	header := strconv.AppendUint([]byte(stackHeader), goroutine, 10)
	for one := range bytes.SplitSeq(all, []byte("\n\n")) {
		if rest, ok := bytes.CutPrefix(one, header); ok && bytes.HasPrefix(rest, []byte(" ")) {
			return string(one)
		}
	}
	return ""
}
