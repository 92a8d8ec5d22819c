package rtos

import (
	"context"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// A Task is one flow of control of a kernel: FreeRTOS's task control block. Its
// body is a func(*Task), and the *Task is its identity: a call that can wait is
// a method of the calling task or takes it as an argument. A Task must not be
// used as the caller by any other goroutine.
//
//	            Spawn                      Run, or at once
//	(nothing) ─────────▶ ready ◀───────────────────────────── ...
//	                     │  ▲  give, limit, abort: Ready
//	          scheduled  ▼  │
//	                    running ──▶ blocked        wait word: waiting
//	                     │  │ ▲
//	                     │  └─┴──▶ suspended       gate: askSuspend
//	     return, Exit,   ▼
//	     Delete       deleted                      ended; the slot is free again
//
// The methods of a Task fall in two groups. Those that act on the caller (Delay,
// NotifyTake, Yield, Exit ...) may only be called by the task itself. Those that
// act on a target (NotifyGive, Resume, SetPriority, Delete ...) may be called
// from anywhere: any task, any goroutine.
type Task struct {
	id   uint64 // process-wide, never used again
	k    *Kernel
	w    *waiter
	slot int

	gate atomic.Uint64   // requests, see ask; 0 lets the fast paths through
	prio atomic.Uint64   // effective and base priority, nest, version: see inherit.go
	more []atomic.Uint64 // notification slots but the first

	_     [56]byte
	slot0 atomic.Uint64 // the first notification slot, on a cache line of its own: givers write it
	_     [56]byte

	// Written and read by the task alone.
	holds     *Mutex   // the mutex it holds, none, or &several
	held      []*Mutex // all of them, if several
	sections  int      // scheduler suspensions and critical sections entered
	spinlocks int      // spinlocks held
	unwinding bool     // it is ending: what would block fails
	abortMark bool     // an abort has not been noticed by a limit check
	sched     bool     // of a kernel whose port schedules: a give in an interrupt must be seen
	deadline  time.Duration
	ctx       context.Context
	spares    [spares]spare // boxes for the queues it uses
	nextSpare uint8         // which of them goes next
	pinned    uint64        // box of the item that a Peek has found

	order atomic.Int32  // ordering value of CompatOrder
	ended atomic.Bool   // no access to any waiter set after this
	used  atomic.Uint64 // nanoseconds run up to the last wait
	begun atomic.Uint64 // when the present stretch of running began, plus one; 0: in a wait

	name    string
	fn      func(*Task)
	start   time.Duration
	adopted bool
	own     bool         // locked to its thread
	core    int          // the core the thread is pinned to, -1 none
	thread  atomic.Int32 // the system's number of that thread, 0 unknown
	done    chan struct{}

	// The goroutine port's.
	park    chan struct{}
	timer   *time.Timer
	armed   uint64 // epoch of the wait whose limit counts, 0 none
	leaving bool   // Goexit is under way
	yields  uint8  // of a task with its own thread

	debug debugTask
}

// An ask is a request to a task, stored in its gate. The fast path of a take
// compares the object's word with the gate instead of with zero, so that any
// request sends it to the slow path at no cost; no object's word is ever as
// small as a request, because task numbers begin above.
type ask = uint64

const (
	askSuspend ask = 1 << iota
	askDelete
	askStop
	askLimits    // CompatLimitUnderSuspend: look at limits even where nothing waits
	askDebug     // rtosdebug: always through the slow path
	askInterrupt // an interrupt runs: refuse the forms for tasks

	askEnd = askDelete | askStop
)

// Name is the task's name.
func (t *Task) Name() string { return t.name }

// String is the task's name.
func (t *Task) String() string { return t.name }

// ID is the task's number, unique in the process and never used again.
func (t *Task) ID() uint64 { return t.id }

// Slot is the task's place in its kernel, from 0 to Config.Tasks-1; it is used
// again after the task has ended. For ports.
func (t *Task) Slot() int { return t.slot }

// Core is the core that the task was given by [OwnThread], -1 if it was given none.
// For ports.
func (t *Task) Core() int {
	if !t.own {
		return -1
	}
	return t.core
}

// SetThread tells the system's number of the thread that is the task's own, so that
// [Task.RunTime] can ask for its processor time. For ports; called by t.
func (t *Task) SetThread(id int) { t.thread.Store(int32(id)) }

// Kernel is the kernel the task belongs to.
func (t *Task) Kernel() *Kernel { return t.k }

// Done is closed when the task has ended.
func (t *Task) Done() <-chan struct{} { return t.done }

// A SpawnOption changes how [Kernel.Spawn] makes a task.
type SpawnOption func(*spawnOptions)

type spawnOptions struct {
	own  bool
	core int
}

// OwnThread locks the task to a thread of its own, for life; the thread ends with
// it. A core of 0 or more also pins the thread there, on Linux; elsewhere Spawn
// answers [errors.ErrUnsupported], and also where goroutines cannot own threads.
// Such a task spins longer before it parks, because waking a thread is dear.
func OwnThread(core int) SpawnOption {
	return func(o *spawnOptions) { o.own, o.core = true, core }
}
