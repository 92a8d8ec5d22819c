package rtos

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Outcomes of calls, for [errors.Is]. They are values, not failures of the
// program: misuse panics with a [*MisuseError] instead.
var (
	// ErrTimeout: the limit of the wait was over and the thing was not there.
	ErrTimeout = errors.New("rtos: timeout")
	// ErrAborted: another task ended the wait, by [Task.AbortDelay], or by
	// [Task.Suspend] where FreeRTOS lets a suspended wait return empty-handed.
	ErrAborted = errors.New("rtos: wait aborted")
	// ErrDeleted: the task concerned has been deleted, has ended, or belongs to
	// a kernel that is stopping.
	ErrDeleted = errors.New("rtos: task deleted")
	// ErrOwnerDied: the mutex was taken, but its last owner ended without giving
	// it ([Config].Robust). What it protects may be inconsistent.
	ErrOwnerDied = errors.New("rtos: last owner died")
	// ErrDeadlock: the wait for a mutex would never end. The error is a
	// [*CycleError], which tells who waits for whom. Only [InheritChained] looks.
	ErrDeadlock = errors.New("rtos: deadlock")
	// ErrWouldBlock: a call that does not wait found nothing to take.
	ErrWouldBlock = errors.New("rtos: would block")
	// ErrNotOwner: the mutex is not held; nothing was changed.
	ErrNotOwner = errors.New("rtos: not owner")
	// ErrPending: a notification with [SetIfClear] found one already pending.
	ErrPending = errors.New("rtos: notification pending")
	// ErrStopped: the kernel has been stopped or has ended.
	ErrStopped = errors.New("rtos: kernel stopped")
)

// MisuseError is what a call panics with when the program, not the situation,
// is wrong: FreeRTOS would assert or be undefined. The refused call has changed
// nothing.
type MisuseError struct {
	Op     string // the call, such as "Mutex.Lock"
	Task   string // name of the calling task, "" if none
	Object string // name of the object concerned, "" if unnamed
	Reason string // what was wrong
}

func (e *MisuseError) Error() string {
	var b strings.Builder
	b.WriteString("rtos: ")
	b.WriteString(e.Op)
	if e.Task != "" {
		fmt.Fprintf(&b, " by task %q", e.Task)
	}
	if e.Object != "" {
		fmt.Fprintf(&b, " on %q", e.Object)
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}

// misuse panics. It is apart from its callers so that they can be inlined.
//
//go:noinline
func misuse(op string, t *Task, object, reason string) {
	e := &MisuseError{Op: op, Object: object, Reason: reason}
	if t != nil {
		e.Task = t.name
	}
	panic(e)
}

// PanicError is returned by [Kernel.Run] when a task has panicked, or an interrupt of a
// simulation.
type PanicError struct {
	Task      string // the task's name
	Interrupt string // or that of the interrupt
	Value     any    // what it panicked with
	Stack     []byte // its stack at the panic
}

func (e *PanicError) Error() string {
	who := fmt.Sprintf("task %q", e.Task)
	if e.Interrupt != "" {
		who = fmt.Sprintf("interrupt %q", e.Interrupt)
	}
	return fmt.Sprintf("rtos: %s panicked: %v\n\n%s", who, e.Value, e.Stack)
}

// Unwrap returns the value of the panic if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// An Orphan is a mutex whose owner ended without giving it.
type Orphan struct {
	Mutex string        // its name, "" if it has none
	Owner string        // the task that held it
	Ended time.Duration // when that task ended, on the kernel's clock
}

func (o Orphan) String() string {
	return fmt.Sprintf("orphaned mutex %q, owner %q ended at %v", o.Mutex, o.Owner, o.Ended)
}
