package rtos

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/bits"
	"slices"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// ErrTooManyTasks: as many tasks exist as [Config].Tasks allows.
var ErrTooManyTasks = errors.New("rtos: too many tasks")

func errUnsupported(what string) error {
	return fmt.Errorf("rtos: %s: %w", what, errors.ErrUnsupported)
}

// A Kernel is a set of tasks and the world they run in. Kernels share nothing;
// a process may have any number.
//
// Making, ending and listing tasks takes a lock inside; the primitives and all
// other calls on tasks take none.
type Kernel struct {
	cfg    Config
	port   Port
	traits Traits
	sched  bool // the port schedules: Switch, Retune, Evict, Hold mean something
	retune bool // Retune means something
	native bool // the goroutine port: waits may spin by internal/spin
	// The policy of mutexes is InheritChained, not InheritFreeRTOS.
	chained bool

	tasks   []atomic.Pointer[Task] // by slot; the length is a power of two
	waiters []waiter               // by slot
	ticket  atomic.Uint64          // order of arrival in waiter sets
	orphans atomic.Pointer[orphan] // newest first
	section *section               // the kernel-wide critical section

	phase atomic.Uint32 // fresh, running, ended
	stop  atomic.Bool   // tasks are being ended
	ended chan struct{} // closed when stop is set

	mu    atomic.Mutex // management only: the fields below
	free  []int        // free slots
	alive []*Task      // in order of creation
	err   error        // first panic of a task
}

const (
	phaseFresh uint32 = iota
	phaseRunning
	phaseEnded
)

// New makes a kernel. An error says which field of the configuration is wrong,
// or what the port lacks.
func New(c Config) (*Kernel, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	k := &Kernel{cfg: c, port: c.Port}
	if k.port == nil {
		k.port = NewGoroutinePort()
	}
	_, k.native = k.port.(*goroutinePort)
	size := 1 << bits.Len(uint(c.Tasks-1))
	k.tasks = make([]atomic.Pointer[Task], size)
	k.waiters = make([]waiter, size)
	k.free = make([]int, c.Tasks)
	for i := range k.free {
		k.free[i] = c.Tasks - 1 - i
	}
	k.section = newSection()
	k.ended = make(chan struct{})
	if k.traits, err = k.port.Bind(k); err != nil {
		return nil, fmt.Errorf("rtos: port: %w", err)
	}
	if k.traits.Schedules && (k.traits.Current == nil || k.traits.InInterrupt == nil) {
		return nil, errors.New("rtos: port: Traits.Schedules without Current or InInterrupt")
	}
	k.sched = k.traits.Schedules
	k.retune = k.traits.Schedules || k.traits.Retunes
	k.chained = c.Inheritance == InheritChained
	if k.chained && !k.sched {
		return nil, errUnsupported("Config.Inheritance InheritChained on a port where tasks run in parallel, only on one that schedules, such as package sim")
	}
	register(k)
	return k, nil
}

// Run lets the tasks run and returns when all tasks that were spawned have
// ended. When ctx is done, a task panics or [Kernel.Stop] is called, the others
// are ended as by [Task.Delete]; Run waits for them and names those that compute
// on every second. When it has returned the kernel is over, and no goroutine,
// timer or thread of it is left.
//
// The error is a [*PanicError] if a task panicked, else the cause of ctx if that
// ended the run, else nil. Adopted tasks are not waited for. Run may be called
// once; mirrors vTaskStartScheduler.
//
// A simulation is also over when nothing can happen any more although tasks wait: with a
// nil error if they wait for events, with an error that tells who waits for whom if some
// wait for what others hold and will not give.
func (k *Kernel) Run(ctx context.Context) error {
	k.refuseZero("Kernel.Run")
	if k.traits.FromOutside != nil && !k.traits.FromOutside() {
		misuse("Kernel.Run", k.Current(), "", "called from inside, by a task or an interrupt")
	}
	if !k.phase.CompareAndSwap(phaseFresh, phaseRunning) {
		return fmt.Errorf("rtos: Kernel.Run called twice: %w", ErrStopped)
	}
	defer k.end() // also if a task of a simulation has called Goexit, as a failing test does
	err := k.port.Run(ctx)
	k.end()
	if failure := k.Err(); failure != nil {
		return failure
	}
	return err
}

// end makes the kernel a thing of the past. Only adopted tasks are left.
func (k *Kernel) end() {
	if k.phase.Swap(phaseEnded) == phaseEnded {
		return
	}
	if k.stop.CompareAndSwap(false, true) {
		close(k.ended)
	}
	for _, t := range k.snapshot() {
		if !t.adopted {
			continue // a Spawn that came too late, about to fail
		}
		k.cfg.Logger.Warn("rtos: adopted task was not released before the kernel ended", "task", t.name)
		t.request(askStop)
		t.kick()
	}
}

// Stop ends the run: every blocked and every later blocking call ends its task
// as [Task.Delete] does; gives still work. What was blocked is logged. It does
// not wait; from anywhere, and more than once does no harm. Mirrors
// vTaskEndScheduler.
func (k *Kernel) Stop() {
	if !k.stop.CompareAndSwap(false, true) {
		return
	}
	close(k.ended)
	if k.cfg.Logger.Enabled(context.Background(), slog.LevelWarn) && k.countBlocked() > 0 {
		k.cfg.Logger.Warn("rtos: kernel stopped with blocked tasks", "report", k.String())
	}
	for _, t := range k.snapshot() {
		t.request(askStop)
		if k.Current() != t {
			t.kick()
		}
	}
}

// Stopping reports whether the kernel has been stopped or has ended.
func (k *Kernel) Stopping() bool { return k.stop.Load() }

// Spawn makes a task that will run fn, at once if the kernel runs, else when it
// does. Returning from fn ends the task. A priority out of range or a nil fn is
// misuse; [ErrTooManyTasks] and [ErrStopped] are the other refusals. Names need
// not be unique. Mirrors xTaskCreate.
func (k *Kernel) Spawn(name string, prio int, fn func(*Task), opts ...SpawnOption) (*Task, error) {
	k.checkPriority("Kernel.Spawn", name, prio)
	if fn == nil {
		misuse("Kernel.Spawn", nil, name, "nil task function")
	}
	var o spawnOptions
	for _, opt := range opts {
		opt(&o)
	}
	if o.own {
		if err := checkOwnThread(k, o.core); err != nil {
			return nil, err
		}
	}
	t, err := k.newTask("Spawn", name, prio, false)
	if err != nil {
		return nil, err
	}
	t.fn, t.own, t.core = fn, o.own, o.core
	if err := k.port.Start(t, t.main); err != nil {
		t.retire()
		return nil, err
	}
	if k.sched {
		k.port.Switch(nil, Woke)
	}
	return t, nil
}

// Adopt makes the calling goroutine a task, so that it may wait on the kernel's
// objects. It must call [Task.Release] before it ends; until then the task counts
// as running. A name that a living task has is refused. An adopted task is never
// unwound: once it is deleted, or the kernel stopped, its calls return
// [ErrDeleted] where they would block. Not in a simulation.
func (k *Kernel) Adopt(name string, prio int) (*Task, error) {
	k.checkPriority("Kernel.Adopt", name, prio)
	if k.sched {
		return nil, errUnsupported("Kernel.Adopt on a port that schedules")
	}
	t, err := k.newTask("Adopt", name, prio, true)
	if err == nil {
		t.resumeClock()
	}
	return t, err
}

func (k *Kernel) checkPriority(op, name string, prio int) {
	k.refuseZero(op)
	if prio < 0 || prio >= k.cfg.Priorities {
		misuse(op, nil, name, fmt.Sprintf("priority %d out of range 0 to %d", prio, k.cfg.Priorities-1))
	}
}

func (k *Kernel) refuseZero(op string) {
	if k == nil || k.port == nil {
		misuse(op, nil, "", "zero Kernel: use New")
	}
}

// lastID numbers the tasks of the process. Numbers are handed out in blocks as
// long as a kernel's slot table, so that a number can be found whose remainder is
// the slot. None is used twice. The first ones are left to requests, see ask.
var lastID atomic.Uint64

const (
	firstID   = 1 << 16
	ownerMask = 1<<47 - 1
)

func init() { lastID.Store(firstID) }

func (k *Kernel) newTask(op, name string, prio int, adopted bool) (*Task, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop.Load() || k.phase.Load() == phaseEnded {
		return nil, fmt.Errorf("rtos: %s of task %q: %w", op, name, ErrStopped)
	}
	if adopted && slices.ContainsFunc(k.alive, func(t *Task) bool { return t.name == name }) {
		return nil, fmt.Errorf("rtos: %s of task %q: a task of that name exists", op, name)
	}
	if len(k.free) == 0 {
		return nil, fmt.Errorf("rtos: %s of task %q: %w (Config.Tasks is %d)", op, name, ErrTooManyTasks, k.cfg.Tasks)
	}
	size := uint64(len(k.tasks))
	slot := k.free[len(k.free)-1]
	block := lastID.Add(size) - size
	id := block + (uint64(slot)-block)&(size-1)
	if id > ownerMask {
		return nil, fmt.Errorf("rtos: %s of task %q: the process has used up its task numbers", op, name)
	}
	k.free = k.free[:len(k.free)-1]
	t := &Task{
		id:      id,
		k:       k,
		slot:    slot,
		name:    name,
		adopted: adopted,
		sched:   k.sched,
		w:       &k.waiters[slot],
		more:    make([]atomic.Uint64, k.cfg.NotifySlots-1),
		park:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		start:   k.port.Now(),
	}
	t.prio.Store(packPrio(uint64(prio), uint64(prio), 0, 0))
	t.order.Store(int32(prio))
	t.gate.Store(debugGate)
	if adopted {
		t.adoptCaller()
	}
	k.tasks[slot].Store(t)
	k.alive = append(k.alive, t)
	return t, nil
}

// forget frees the slot of t, which has left every waiter set for good.
func (k *Kernel) forget(t *Task) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tasks[t.slot].Store(nil)
	k.free = append(k.free, t.slot)
	if i := slices.Index(k.alive, t); i >= 0 {
		k.alive = slices.Delete(k.alive, i, i+1)
	}
}

// byID finds the living task with this number, nil if it is gone or another
// kernel's.
func (k *Kernel) byID(id uint64) *Task {
	t := k.tasks[id&uint64(len(k.tasks)-1)].Load()
	if t == nil || t.id != id {
		return nil
	}
	return t
}

func (k *Kernel) snapshot() []*Task {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.alive)
}

// Tasks lists the tasks that exist, in the order of their creation, as they were
// when the iteration began. Mirrors uxTaskGetSystemState.
func (k *Kernel) Tasks() iter.Seq[*Task] { return slices.Values(k.snapshot()) }

// NumTasks is the number of tasks that exist. Mirrors uxTaskGetNumberOfTasks.
func (k *Kernel) NumTasks() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.alive)
}

// Task returns the oldest living task of this name, nil if there is none.
// Mirrors xTaskGetHandle.
func (k *Kernel) Task(name string) *Task {
	for _, t := range k.snapshot() {
		if t.name == name {
			return t
		}
	}
	return nil
}

// Current is the running task where the port decides who runs, as in a
// simulation; nil elsewhere, while an idle core waits, and before the start.
// Mirrors xTaskGetCurrentTaskHandle.
func (k *Kernel) Current() *Task {
	if k.sched {
		return k.traits.Current()
	}
	return nil
}

// running is the priority of the running task, -1 if there is none.
func (k *Kernel) running() int {
	if cur := k.Current(); cur != nil {
		return cur.Priority()
	}
	return -1
}

// switchAfter ends a call that may have ended a wait, and with it a loan to the running
// task: before is what priority that had.
func (k *Kernel) switchAfter(before int) {
	why := Woke
	if k.running() < before {
		why = Preempt
	}
	k.port.Switch(nil, why)
}

// Now is the time since the kernel was made: monotonic, virtual in a simulation.
func (k *Kernel) Now() time.Duration { return k.port.Now() }

// TickCount is Now in ticks; it wraps at 2^32. Mirrors xTaskGetTickCount.
func (k *Kernel) TickCount() Ticks {
	type counter interface{ TickCount() Ticks }
	if p, ok := k.port.(counter); ok {
		return p.TickCount()
	}
	return Ticks(k.port.Now() / k.cfg.Tick)
}

// Ticks is n ticks as a duration; it saturates below [Forever].
func (k *Kernel) Ticks(n uint64) time.Duration {
	if n > uint64((Forever-1)/k.cfg.Tick) {
		return Forever - 1
	}
	return time.Duration(n) * k.cfg.Tick
}

// Slots is the largest number of tasks at one time, one more than the highest
// [Task.Slot]. For ports.
func (k *Kernel) Slots() int { return k.cfg.Tasks }

// Priorities is the number of priority levels.
func (k *Kernel) Priorities() int { return k.cfg.Priorities }

// fail records the first panic of a task and stops the kernel.
func (k *Kernel) fail(err error) {
	k.mu.Lock()
	if k.err == nil {
		k.err = err
	}
	k.mu.Unlock()
	k.Stop()
}

// Fail ends the run because of err, which [Kernel.Run] returns unless something else was
// first. For ports; takes a short lock.
func (k *Kernel) Fail(err error) { k.fail(err) }

// Logger is [Config].Logger. For ports.
func (k *Kernel) Logger() *slog.Logger { return k.cfg.Logger }

// Err is what has ended the run, or will: the first panic of a task, as a [*PanicError];
// nil if there was none. From anywhere; takes a short lock.
func (k *Kernel) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
