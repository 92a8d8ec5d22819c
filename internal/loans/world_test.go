package loans

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A policy judges what a program does to priorities. It hears of what it cannot see.
type policy interface {
	// check looks at everything, at rest between two steps.
	check() error
	// began: the wait of t, which has just given the processor away, is for m.
	began(t *rtos.Task, m lockable)
	// failed: the call of t for m has ended without it.
	failed(t *rtos.Task, m lockable, err error)
	// gives: t is about to give m for good.
	gives(t *rtos.Task, m lockable)
	// sets: somebody is about to set the base of t.
	sets(t *rtos.Task, prio int)
}

type lockable interface {
	Lock(*rtos.Task) error
	LockFor(*rtos.Task, time.Duration) error
	LockCtx(context.Context, *rtos.Task) error
	TryLock(*rtos.Task) bool
	Unlock(*rtos.Task) error
	Holder() *rtos.Task
	Info() rtos.MutexInfo
}

// world is a program that runs.
type world struct {
	program
	policy policy
	k      *rtos.Kernel
	s      *sim.Sim

	mutexes []lockable
	sem     *rtos.Semaphore
	tasks   []*rtos.Task
	spawns  int
	held    int  // times the scheduler is suspended
	atRest  bool // nobody ready may outrank who runs

	current   *rtos.Task          // who has the processor
	arrived   map[*rtos.Task]int  // order in which the present waits began
	arrivals  int                 //
	unlimited map[*rtos.Task]bool // its wait has no end of its own
	doing     map[*rtos.Task]op   // the call that it is in
	chained   bool
	seen      map[string]int // outcomes, to show that a test has seen them
	log       strings.Builder
	err       error // the first thing that was wrong
}

func newWorld(p program, inheritance rtos.Inheritance, policyOf func(*world) policy) (*world, error) {
	w := &world{
		program: p, tasks: make([]*rtos.Task, len(p.tasks)), sem: rtos.NewCounting("s", 2, 0),
		arrived: map[*rtos.Task]int{}, unlimited: map[*rtos.Task]bool{}, doing: map[*rtos.Task]op{}, seen: map[string]int{},
	}
	w.chained = inheritance == rtos.InheritChained
	options, slots := sim.Options{OnSwitch: w.onSwitch}, len(p.tasks) // so that slots are used again
	if !p.slicing {
		options.TimeSlicing = sim.Off
	}
	if p.gentle {
		options.Preemption = sim.Off
	}
	if p.wide {
		slots = 100
	}
	w.s = sim.New(options)
	var err error
	w.k, err = rtos.New(rtos.Config{
		Port:        w.s,
		Tasks:       slots,
		Priorities:  topPrio + 1,
		Inheritance: inheritance,
		Robust:      p.robust,
		Compat:      p.compat,
		Logger:      slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	for i, kind := range p.kinds {
		if kind == 'r' {
			w.mutexes = append(w.mutexes, rtos.NewRecursiveMutex(mutexName(i)))
		} else {
			w.mutexes = append(w.mutexes, rtos.NewMutex(mutexName(i)))
		}
	}
	w.policy = policyOf(w)
	for i, s := range p.tasks {
		if !s.late {
			w.spawn(i)
		}
	}
	for _, l := range p.lines {
		w.s.At(l.at, func(isr *rtos.ISR) { w.inInterrupt(isr, l.op) })
	}
	for at := uint64(1); at <= 40; at++ {
		w.s.At(at, func(*rtos.ISR) { w.look("tick", false) })
	}
	return w, nil
}

// run runs the program to its end and returns what was wrong.
func (w *world) run() error {
	var p *rtos.PanicError // that tasks still wait at the end may be no fault
	if err := w.k.Run(context.Background()); errors.As(err, &p) || err != nil && w.mustEnd {
		w.wrong("run", err)
	}
	return w.err
}

func (w *world) spawn(i int) {
	t, err := w.k.Spawn(taskName(i), w.program.tasks[i].prio, func(t *rtos.Task) { w.body(t, i) })
	switch {
	case err == nil && w.tasks[i] == nil:
		w.tasks[i] = t
	case err != nil && !errors.Is(err, rtos.ErrStopped):
		w.wrong("spawn", err)
	}
}

func (w *world) body(t *rtos.Task, i int) {
	w.tasks[i] = t
	sections := 0
	defer func() {
		for ; sections > 0 && w.k.Current() == t; sections-- {
			w.held--
			w.k.ResumeScheduler(t)
		}
		if !w.defers {
			return
		}
		for n, m := range w.mutexes {
			for m.Holder() == t {
				w.give(t, op{kind: unlock, a: n})
				w.look("deferred unlock", false)
			}
		}
	}()
	for _, o := range w.program.tasks[i].ops {
		w.doing[t] = o
		fmt.Fprintf(&w.log, "%d %s: %v\n", w.s.Time(), t, o)
		result := w.perform(t, o, &sections)
		delete(w.doing, t)
		fmt.Fprintf(&w.log, "%d %s: %v = %v\n", w.s.Time(), t, o, result)
		w.look(o.String(), w.k.Current() == t)
	}
}

// perform makes one call of t.
func (w *world) perform(t *rtos.Task, o op, sections *int) any {
	ticks := w.k.Ticks(uint64(o.n))
	blocking := *sections == 0
	switch o.kind {
	case lock, lockFor, lockCtx, try:
		return w.lock(t, o, blocking)
	case unlock:
		return w.give(t, o)
	case take:
		if !blocking {
			ticks = 0
		}
		return w.sem.TakeFor(t, ticks)
	case give:
		return w.sem.Give()
	case delay:
		if blocking || o.n == 0 {
			return t.Delay(ticks)
		}
	case work:
		t.Work(ticks)
	case suspend, remove:
		if to := w.tasks[o.a]; to == nil || !blocking && (to == t || o.kind == remove) {
			break
		}
		w.disturb(o)
	case resume, abort, setPrio:
		w.disturb(o)
	case spawn:
		if to := w.tasks[o.a]; (to == nil || to.State() == rtos.StateDeleted) && w.spawns < maxSpawn {
			w.spawns++
			w.tasks[o.a] = nil
			w.spawn(o.a)
		}
	case hold:
		w.k.SuspendScheduler(t)
		*sections++
		w.held++
	case letGo:
		if *sections > 0 {
			*sections--
			w.held--
			w.k.ResumeScheduler(t)
		}
	case nothing:
	}
	return ""
}

// disturb does something to another task, or oneself.
func (w *world) disturb(o op) {
	to := w.tasks[min(o.a, len(w.tasks)-1)]
	if to == nil {
		return
	}
	switch o.kind {
	case suspend:
		to.Suspend()
	case resume:
		to.Resume()
	case remove:
		to.Delete()
	case abort:
		to.AbortDelay()
	case setPrio:
		w.policy.sets(to, o.n)
		to.SetPriority(o.n)
	}
}

func (w *world) inInterrupt(isr *rtos.ISR, o op) {
	fmt.Fprintf(&w.log, "%d interrupt: %v\n", w.s.Time(), o)
	switch o.kind {
	case give:
		w.sem.GiveFromISR(isr)
	case suspend, remove:
		// Nobody gives a mutex in an interrupt, not even when it unwinds.
		if w.tasks[o.a] == w.k.Current() || o.kind == remove && w.defers {
			return
		}
		fallthrough
	default:
		w.disturb(o)
	}
	w.look("interrupt", false)
}

func (w *world) lock(t *rtos.Task, o op, blocking bool) any {
	m := w.mutexes[o.a]
	own := m.Holder() == t
	waitsForSelf := own && w.kinds[o.a] == 'm' && o.kind != try
	if waitsForSelf && w.compat&rtos.CompatSelfTake == 0 || !blocking && o.kind != try && (m.Info().Locked || w.compat != 0) {
		return "skipped"
	}
	ring := Look(w.k, w.infos()).Ring(t, m.Info())
	w.unlimited[t] = o.kind == lock
	mustFail := w.chained && ring != nil && (!own || waitsForSelf) && !slices.ContainsFunc(ring, func(q *rtos.Task) bool { return !w.unlimited[q] })
	var err error
	switch o.kind {
	case try:
		return m.TryLock(t)
	case lock:
		err = m.Lock(t)
	case lockFor:
		err = m.LockFor(t, w.k.Ticks(uint64(o.n)))
	default:
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		w.s.At(w.s.Time()+1+uint64(o.n), func(*rtos.ISR) { cancel(errDone) })
		err = m.LockCtx(ctx, t)
	}
	if err != nil && !errors.Is(err, rtos.ErrOwnerDied) {
		w.policy.failed(t, m, err)
	}
	w.judgeDeadlock(t, m, err, mustFail)
	return err
}

var errDone = errors.New("the context is done")

// judgeDeadlock checks that a deadlock is reported if and only if there is one, and that
// the names are those of the ring.
func (w *world) judgeDeadlock(t *rtos.Task, m lockable, err error, mustFail bool) {
	var d *rtos.CycleError
	if !errors.As(err, &d) {
		w.seen[fmt.Sprint(err)]++
		if mustFail && !(w.compat&rtos.CompatAbortMark != 0 && err == rtos.ErrAborted) { // by an old mark
			w.wrong("lock", fmt.Errorf("%s closes a ring of endless waits and gets %w", t, err))
		}
		return
	}
	w.seen[fmt.Sprintf("ring of %d", len(d.Waits))]++
	look := Look(w.k, w.infos())
	ring := look.Ring(t, m.Info())
	var want []rtos.CycleWait
	for i, q := range ring {
		next := ring[(i+1)%len(ring)]
		what := m.Info().Name
		if i > 0 {
			what = look.wants[q].Name
			if !w.unlimited[q] {
				w.wrong("lock", fmt.Errorf("%s would have left the ring %v by itself", q, err))
			}
		}
		want = append(want, rtos.CycleWait{Task: q.Name(), Mutex: what, Holder: next.Name()})
	}
	if !errors.Is(err, rtos.ErrDeadlock) || !slices.Equal(want, d.Waits) {
		w.wrong("lock", fmt.Errorf("%s gets %w, want %v", t, err, want))
	}
}

func (w *world) give(t *rtos.Task, o op) any {
	m := w.mutexes[o.a]
	if m.Holder() != t {
		return "skipped"
	}
	if m.Info().Depth == 1 {
		w.policy.gives(t, m)
	}
	if err := m.Unlock(t); err != nil {
		w.wrong("unlock", err)
	}
	return ""
}

// onSwitch is told that to gets the processor.
func (w *world) onSwitch(to *rtos.Task) {
	if t := w.current; t != nil && t.State() == rtos.StateBlocked {
		w.arrivals++
		w.arrived[t] = w.arrivals
		for _, m := range w.mutexes {
			if slices.Contains(m.Info().Waiters, t) {
				w.policy.began(t, m)
			}
		}
	}
	w.current = to
	fmt.Fprintf(&w.log, "%d switch to %v\n", w.s.Time(), to)
	w.look("switch", true)
}

func (w *world) infos() (list []rtos.MutexInfo) {
	for _, m := range w.mutexes {
		list = append(list, m.Info())
	}
	return list
}

// look checks everything. At rest, which is not within an interrupt or while somebody is
// unwound, nobody ready outranks who runs.
func (w *world) look(where string, rest bool) {
	w.atRest = rest && !w.gentle && w.held == 0 && len(w.lines) == 0 && !w.k.Stopping()
	if err := w.policy.check(); err != nil {
		w.wrong(where, err)
	}
	for t := range w.k.Tasks() {
		if t.Priority() < t.BasePriority() {
			w.wrong(where, fmt.Errorf("%s is e%d/b%d", t, t.Priority(), t.BasePriority()))
		}
	}
}

func (w *world) wrong(where string, err error) {
	if w.err == nil {
		w.err = fmt.Errorf("at %d, %s: %w", w.s.Time(), where, err)
		fmt.Fprintf(&w.log, "%v\n", w.err)
	}
}
