package tables

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/thread"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/realtime"
)

// Threads is the World of real-time threads. What the machine refuses is done without,
// and stands among the degradations of the result.
type Threads struct{}

// lookOut is for how long a task that may spin looks out for the timer before it parks.
const lookOut = 150 * time.Microsecond

// New is Threads where there are real-time threads, and goroutines elsewhere.
func New() World {
	if _, err := realtime.Cores(); errors.Is(err, errors.ErrUnsupported) {
		return Tasks{
			NewPort:      func() rtos.Port { return nil },
			Degradations: []string{err.Error()},
		}
	}
	return Threads{}
}

// Measure implements World.
func (Threads) Measure(ctx context.Context, r Row, load RunningLoad) (*jitter.Result, error) {
	m, err := newMeasurement(ctx, r, load)
	if err != nil {
		return nil, err
	}
	if err := m.k.Run(ctx); err != nil {
		return m.result(), err
	}
	return m.result(), m.err
}

// apart implements loadsApart. A task that delays is a less urgent one of the measured
// kernel. Those that never rest are goroutines: as real-time threads they would leave
// nothing to others, which the system ends by stopping all of them.
func (Threads) apart(l Load) bool { return l != DelayLoad }

// cores is where the timer and where the task runs: as far apart as possible.
func cores() (first, last int, err error) {
	all, err := realtime.Cores()
	if err != nil {
		return 0, 0, err
	}
	return all[0], all[len(all)-1], nil
}

// A measurement is one run of a row.
type measurement struct {
	row         Row
	port        *realtime.Port
	k           *rtos.Kernel
	rec         *jitter.Recorder
	timer, task int // their cores
	spin        bool
	why         []string // what this row lacks besides the port
	err         error    // of the task

	used time.Duration // by the timer and the task
	wall time.Duration
}

func newMeasurement(ctx context.Context, r Row, load RunningLoad) (*measurement, error) {
	m := &measurement{row: r, spin: r.Spin}
	var err error
	if m.timer, m.task, err = cores(); err != nil {
		return nil, err
	}
	if m.timer == m.task && r.Spin {
		m.spin = false
		m.why = append(m.why, "nothing spins: there is one core only")
	}
	if r.SameCore {
		m.timer = m.task
	}
	o := realtime.Options{Cores: []int{m.task}, Collector: realtime.CollectorOff, BestEffort: true, Logger: slog.New(slog.DiscardHandler)}
	if r.Collector {
		o.Collector = realtime.CollectorOn
	}
	if m.spin && r.Stamp != Interrupt && m.timer != m.task {
		o.Spin = lookOut
	}
	if m.port, err = realtime.New(o); err != nil {
		return nil, err
	}
	if m.k, err = rtos.New(rtos.Config{Port: m.port, Logger: o.Logger}); err != nil {
		return nil, err
	}
	recording := r.options(load)
	recording.OwnThread = true
	if m.rec, err = jitter.NewRecorder(recording); err != nil {
		return nil, err
	}
	within, loaded := load.(*tasksWithin)
	if loaded {
		if err = within.Start(m.k, 1); err != nil {
			return nil, err
		}
	}
	_, err = m.k.Spawn(r.Name, m.k.Priorities()-1, func(t *rtos.Task) {
		if loaded {
			defer within.Stop()
		}
		if m.err = context.Cause(ctx); m.err == nil {
			m.err = m.run(t)
		}
	})
	return m, err
}

// run is the task: it starts the timer, and records.
func (m *measurement) run(t *rtos.Task) (err error) {
	if m.row.Stamp == ClockRead {
		return readClock(t, m.rec, m.row)
	}
	o := realtime.TimerOptions{Period: m.row.Period, Count: m.row.Samples + warmup, Core: m.timer}
	if m.row.Stamp != Interrupt {
		o.Task = t
	}
	wait, detail := "sleep", ""
	if m.spin {
		if o.Margin, err = m.port.CalibrateMargin(o.Core, o.Period); err != nil {
			return err
		}
		wait, detail = "sleep, then spin", fmt.Sprintf("margin %v", o.Margin.Round(100*time.Nanosecond))
	}
	m.rec.Describe(wait, detail, jitter.Skip.String())
	begin, before := m.k.Now(), m.ownTime()
	m.rec.Begin(t)
	defer func() { err = errors.Join(err, m.rec.End()) }()
	tm, err := m.port.Timer(o)
	if err != nil {
		return err
	}
	defer func() {
		tm.Stop()
		m.wall, m.used = m.k.Now()-begin, tm.Used()
		if m.row.Stamp != Interrupt {
			m.used += m.ownTime() - before
		}
	}()
	if m.row.Stamp == Interrupt {
		return m.watch(t, tm)
	}
	return m.follow(t, tm)
}

// ownTime is the processor time of the calling thread.
func (m *measurement) ownTime() time.Duration {
	used, _ := thread.CPUTime(thread.ID())
	return used
}

// watch records what the timer does. The task sleeps on its own core meanwhile.
func (m *measurement) watch(t *rtos.Task, tm *realtime.Timer) error {
	var read reading
	for {
		over := false
		select {
		case <-tm.Done():
			over = true
		default:
		}
		for a, ok := tm.Read(); ok; a, ok = tm.Read() {
			read.gap(m.rec, a.N, tm.Lost())
			m.rec.Record(a.Deadline, a.Fired)
		}
		if over {
			return nil
		}
		if err := t.Delay(10 * time.Millisecond); err != nil {
			return err
		}
	}
}

// follow records when the task is there.
func (m *measurement) follow(t *rtos.Task, tm *realtime.Timer) error {
	var read reading
	var last time.Duration
	for {
		a, err := tm.Next(t, rtos.Forever)
		now := m.k.Now()
		switch {
		case errors.Is(err, realtime.ErrTimerStopped):
			return nil
		case err != nil:
			return err
		}
		read.gap(m.rec, a.N, tm.Lost())
		if a.Fired <= last {
			m.rec.Coalesced(1) // it was there when the one before was handled
		}
		last = now
		if m.row.Stamp == KernelTask && a.Woken != 0 {
			now = a.Woken
		}
		m.rec.Record(a.Deadline, now)
	}
}

// result is what was recorded, and where.
func (m *measurement) result() *jitter.Result {
	res := m.rec.Result()
	mode := m.port.Mode()
	policy, _, _ := strings.Cut(mode.String(), "\n")
	res.Setup = jitter.Setup{
		Port:         "realtime: each task a thread of Linux",
		Clock:        "CLOCK_MONOTONIC, as Go's runtime reads it",
		Policy:       policy,
		Permission:   "granted what was asked for",
		Degradations: append(mode.Why, m.why...),
	}
	if len(mode.Why) > 0 {
		res.Setup.Permission = "not all that was asked for"
	}
	if m.wall > 0 {
		of := "timer"
		if m.row.Stamp != Interrupt {
			of = "timer and task"
		}
		res.CPU = jitter.CPU{Of: of, Used: m.used, Wall: m.wall}
	}
	return res
}
