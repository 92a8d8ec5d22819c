package rtos

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// A State is what a task is doing, as eTaskGetState tells it.
type State uint8

// The states of a task.
const (
	StateReady State = iota
	StateRunning
	StateBlocked
	StateSuspended
	StateDeleted
)

func (s State) String() string {
	return [...]string{"Ready", "Running", "Blocked", "Suspended", "Deleted"}[s]
}

// main is the body that the port runs.
func (t *Task) main() {
	defer t.finish()
	t.adoptCaller()
	if t.heed() != nil {
		return
	}
	t.resumeClock()
	t.fn(t)
}

// finish ends t: on return, panic, and when t is unwound.
func (t *Task) finish() {
	if v := recover(); v != nil && !isUnwind(v) {
		t.k.fail(&PanicError{Task: t.name, Value: v, Stack: debug.Stack()})
	}
	t.unwinding = true
	port := t.k.port
	t.retire()
	port.End(t)
}

// retire makes t a thing of the past. Its last access to any waiter set has been
// made; the slot is free only now, so nobody can take a new task for it.
func (t *Task) retire() {
	t.leaveBehind()
	t.leaveWait()
	for i := range t.numSlots() {
		t.closeSlot(i)
	}
	t.ended.Store(true)
	t.gate.Or(askDelete)
	t.k.forget(t)
	close(t.done)
}

// leaveBehind reports what t still holds and stops its timer.
func (t *Task) leaveBehind() {
	t.pauseClock()
	t.k.section.abandon(t)
	t.orphanMutexes()
	t.returnSpares()
	if t.spinlocks > 0 {
		t.k.cfg.Logger.Warn("rtos: task ended with a spinlock held", "task", t.name)
	}
	if t.timer != nil {
		t.timer.Stop()
	}
}

// unwindPanic is what a port panics with to leave a task's body, where
// runtime.Goexit will not do.
type unwindPanic struct{ t *Task }

func (unwindPanic) String() string { return "rtos: task is being deleted" }

func isUnwind(v any) bool { _, ok := v.(unwindPanic); return ok }

// GoexitUnwind unwinds the calling task by [runtime.Goexit]: the Unwind of a [Port] whose
// tasks are goroutines. It returns if t is being unwound already, or a panic is on its way
// through t, which Goexit would drop.
func (t *Task) GoexitUnwind() {
	if !t.leaving && !running("runtime.gopanic") {
		t.leaving = true
		runtime.Goexit()
	}
}

// PanicUnwind unwinds the calling task by a panic that the kernel knows: the Unwind of a
// [Port] whose tasks cannot end by [runtime.Goexit]. It returns if a panic, this one or
// another, or a Goexit is on its way through t. A recover that swallows the panic meets it
// again at the next call.
func (t *Task) PanicUnwind() {
	if !running("runtime.gopanic", "runtime.Goexit") {
		panic(unwindPanic{t})
	}
}

// running tells whether one of these functions is on the stack of the caller.
func running(functions ...string) bool {
	pcs := make([]uintptr, 64)
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); slices.Contains(functions, f.Function) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// heed obeys the requests to t; called by t, in no waiter set that a wake could
// still be meant for. It does not return if t is deleted, unless t is adopted or
// already unwinding: then the answer is ErrDeleted.
func (t *Task) heed() error {
	for {
		g := t.gate.Load()
		switch {
		case t.unwinding:
			return ErrDeleted
		case g&askEnd != 0:
			if t.adopted {
				return ErrDeleted
			}
			t.unwinding = true
			t.leaveWait()
			t.k.port.Unwind(t)
			return ErrDeleted // a port that cannot unwind just now
		case g&askSuspend != 0:
			t.pauseClock()
			ctx := t.ctx
			t.ctx = nil // a context that is done would not let it park
			t.k.port.Park(t)
			t.ctx = ctx
			t.resumeClock()
		default:
			return nil
		}
	}
}

// leaveWait makes the wait word idle: t will not come back to the wait it was in.
func (t *Task) leaveWait() {
	t.w.word.Store(withState(t.w.word.Load(), stIdle))
}

// request stores a request, then ends the wait that it finds. The task publishes
// its wait, then reads the requests: one of the two sees the other
// (model/suspend.pml).
func (t *Task) request(a ask) {
	t.gate.Or(a)
	t.endWait(stAsked)
}

// endWait moves the wait of t, if it is in one, to the given state, and tells which
// wait that was. The wait word belongs to t and not to a later task of the slot if t is
// still there after the word was read.
func (t *Task) endWait(s waitState) (word uint64, ok bool) {
	for {
		word = t.w.word.Load()
		if stateOf(word) != stWaiting || t.ended.Load() {
			return word, false
		}
		if t.decide(word, s) {
			return word, true
		}
	}
}

// decide ends a wait of t without what it waits for, unless somebody else has ended it.
func (t *Task) decide(word uint64, s waitState) bool {
	var h *Task
	if t.k.chained {
		h = t.ahead()
	}
	if !t.w.word.CompareAndSwap(word, withState(word, s)) {
		return false
	}
	if h != nil && h.Priority() == t.Priority() { // else t has lent h nothing
		h.relend()
	}
	return true
}

// kick lets t run so that it sees a request.
func (t *Task) kick() {
	switch {
	case !t.k.sched:
		t.k.port.Ready(t, FromTask)
	case !t.ended.Load(): // the unwinding of another task may have ended it
		t.k.port.Evict(t)
		t.k.port.Kill(t)
	}
}

// Delete ends the task, from anywhere. In a simulation a task other than the
// caller is unwound before Delete returns. Elsewhere a waiting task is unwound at
// once in its own goroutine, one that computes at its next call that can block, or
// [Task.Checkpoint]. Unwinding runs deferred functions: in them gives work, and
// what would block returns [ErrDeleted]. A mutex that no deferred function gives
// stays taken (see [Config].Robust). An adopted task is not unwound; its calls
// return ErrDeleted. A task that ends itself calls [Task.Exit]. Lock-free.
// Mirrors vTaskDelete.
func (t *Task) Delete() {
	t.refuseNil("Task.Delete")
	if t.calls() {
		t.Exit()
		return
	}
	prio := t.k.running()
	t.request(askDelete)
	if t.ended.Load() {
		return
	}
	t.passOn()
	t.kick()
	if t.k.sched {
		t.k.switchAfter(prio)
	}
}

// calls tells whether t itself makes the present call, where the port can tell.
func (t *Task) calls() bool {
	k := t.k
	return k.sched && k.Current() == t && !k.traits.InInterrupt() &&
		(k.traits.FromOutside == nil || !k.traits.FromOutside())
}

// Exit ends the calling task and does not return; deferred functions run. An adopted
// task is not unwound: Exit only marks it as deleted. Wait-free up to the unwinding.
// Mirrors vTaskDelete(NULL).
func (t *Task) Exit() {
	t.refuseNil("Task.Exit")
	if t.k.sched && t.sections > 0 {
		misuse("Task.Exit", t, "", "the scheduler is suspended"+t.enteredAt())
	}
	t.gate.Or(askDelete)
	_ = t.heed()
}

// Checkpoint lets a task that computes for long obey a suspension or deletion. It
// returns [ErrDeleted] to a deleted task that is adopted or unwinding, else nil, and
// otherwise costs one load; on WebAssembly, where nobody else could run, it also yields.
// Called by the task itself. Wait-free, unless it obeys a suspension: then it blocks.
func (t *Task) Checkpoint() error {
	if threads && t != nil && t.gate.Load() == 0 {
		return nil
	}
	t.refuseNil("Task.Checkpoint")
	if !threads && !t.k.sched {
		runtime.Gosched() // nobody else would ever run
	}
	t.checkCaller("Task.Checkpoint")
	return t.heed()
}

// refuseNil reports a nil task as misuse, not as a fault that some machines cannot
// recover from.
func (t *Task) refuseNil(op string) {
	if t == nil {
		misuse(op, nil, "", "nil task")
	}
}

// Suspend stops the task until [Task.Resume], from anywhere; it does not nest. A
// waiting task leaves what it waits for: when resumed it looks again, and waits
// on for the rest of its limit; a notification wait returns with what is there, a
// delay ends. On a port without a scheduler a task that computes goes on until
// its next call that can block, or [Task.Checkpoint]; [Task.State] says suspended
// from the call on. What it holds it keeps, critical sections and spinlocks too: who
// wants to resume it must not need them. A task that suspends itself calls
// [Task.SuspendSelf].
// Lock-free. Mirrors vTaskSuspend.
func (t *Task) Suspend() {
	t.refuseNil("Task.Suspend")
	if t.ended.Load() {
		return
	}
	if t.calls() {
		_ = t.SuspendSelf()
		return
	}
	prio := t.k.running()
	t.gate.Or(askSuspend)
	word, ok := t.endWait(stAsked)
	if ok || t.k.sched {
		// Elsewhere a task that was not found waiting hears the request by itself.
		t.stopNotifyWait(word)
	}
	if !ok {
		t.passOn()
	}
	switch {
	case t.k.sched:
		t.k.port.Evict(t)
		t.k.switchAfter(prio)
	case ok:
		// Whose wait was ended has to see it: a resume in between finds nothing to undo.
		t.k.port.Ready(t, FromTask)
	}
}

// passOn hands the wake that t has not used to the next waiter, where t itself will
// not run to do it, as in a simulation.
func (t *Task) passOn() {
	if !t.k.sched || t.k.cfg.Compat&CompatLostWake != 0 {
		return
	}
	word := t.w.word.Load()
	obj := t.w.obj.Load()
	if stateOf(word) != stWoken || obj == nil {
		return
	}
	if t.w.word.CompareAndSwap(word, withState(word, stAsked)) {
		if b := obj.body.Load(); b != nil {
			if g, ok := b.self.(giver); ok && g.hasSome() {
				obj.wake(FromTask)
			}
		}
	}
}

// SuspendSelf stops the calling task until another one calls [Task.Resume]. The
// error is [ErrDeleted] if it was deleted meanwhile and cannot be unwound.
// Blocking. Mirrors vTaskSuspend(NULL).
func (t *Task) SuspendSelf() error {
	if err := t.enter("Task.SuspendSelf", "", 0, nil); err != nil {
		return err
	}
	if t.unwinding {
		return ErrDeleted
	}
	t.mayBlock("Task.SuspendSelf", "")
	t.gate.Or(askSuspend)
	return t.heed()
}

// Resume lets a suspended task go on, from anywhere; on any other task it does
// nothing. Lock-free. Mirrors vTaskResume.
func (t *Task) Resume() {
	t.refuseNil("Task.Resume")
	if t.resume(FromTask); t.k.sched {
		t.k.port.Switch(nil, Woke)
	}
}

// ResumeFromISR is [Task.Resume] from an interrupt; it reports whether a task more
// urgent than the interrupted one was resumed. Lock-free. Mirrors
// xTaskResumeFromISR.
func (t *Task) ResumeFromISR(isr *ISR) bool {
	isr.check("Task.ResumeFromISR")
	t.refuseNil("Task.ResumeFromISR")
	outranks := t.resume(FromISR)
	if cur := t.k.Current(); cur != nil && cur.sections > 0 {
		return false // FreeRTOS decides when the scheduler is resumed
	}
	return isr.note(outranks)
}

func (t *Task) resume(from Origin) bool {
	if t.ended.Load() || t.gate.And(^askSuspend)&askSuspend == 0 {
		return false
	}
	return t.k.port.Ready(t, from)
}

// AbortDelay ends the wait or delay that the task is in, from anywhere, and reports
// whether there was one. The call of the task returns [ErrAborted], unless what it
// waited for is there when it runs. A task that is suspended is not in a wait.
// Lock-free. Mirrors xTaskAbortDelay.
func (t *Task) AbortDelay() bool {
	t.refuseNil("Task.AbortDelay")
	_, ok := t.endWait(stAborted)
	if ok {
		if t.k.sched {
			t.k.port.Disarm(t)
		}
		t.k.port.Ready(t, FromTask)
	}
	if t.k.sched {
		t.k.port.Switch(nil, Section)
	}
	return ok
}

// State tells what the task is doing: a snapshot, exact only in a simulation.
// Elsewhere a task that does not wait counts as running. Wait-free. Mirrors
// eTaskGetState.
func (t *Task) State() State {
	g := t.gate.Load()
	word := t.w.word.Load()
	switch {
	case t.k.byID(t.id) == nil: // and its slot can be used again
		return StateDeleted
	case g&askSuspend != 0:
		return StateSuspended
	case stateOf(word) == stWaiting || stateOf(word) == stGranting:
		return StateBlocked
	case t.k.sched && t.k.Current() == t:
		return StateRunning
	case t.k.sched, t.k.phase.Load() == phaseFresh && !t.adopted:
		return StateReady
	}
	return StateRunning
}

// Release ends an adopted task; the goroutine goes on without it. It must be called by
// that goroutine, outside any wait. Releasing a task that was not adopted is misuse;
// releasing twice answers [ErrDeleted]. Mutexes still held become orphans. Blocking for
// a short lock, as making and ending tasks is.
func (t *Task) Release() error {
	t.refuseNil("Task.Release")
	if !t.adopted {
		misuse("Task.Release", t, "", "the task was not adopted")
	}
	t.checkCaller("Task.Release")
	if t.ended.Load() {
		return ErrDeleted
	}
	if stateOf(t.w.word.Load()) != stIdle {
		misuse("Task.Release", t, "", "the task is in another call: a *Task may only be used by its own goroutine")
	}
	t.retire()
	return nil
}

// Yield lets other ready tasks of the same priority run first; on a port without a
// scheduler it is runtime.Gosched. It obeys requests. Wait-free but for what runs
// meanwhile; it blocks to obey a suspension. Mirrors taskYIELD.
func (t *Task) Yield() {
	if t == nil || t.gate.Load()&(askSuspend|askEnd|askDebug) != 0 {
		t.beforeYield()
	}
	t.k.port.Switch(t, Again)
}

// beforeYield is apart because in a simulation the frame of Yield is part of what a switch
// of tasks costs.
//
//go:noinline
func (t *Task) beforeYield() {
	t.refuseNil("Task.Yield")
	t.checkCaller("Task.Yield")
	if t.gate.Load()&(askSuspend|askEnd) != 0 {
		_ = t.heed() // and if it is ending without unwinding, it yields all the same
	}
}

// Delay waits for d. A delay of 0 is a [Task.Yield]; a negative one is misuse, and
// so is delaying where blocking is forbidden. In a simulation d is rounded up to
// ticks. It returns [ErrAborted] if it was cut short by AbortDelay or a suspension.
// Blocking. Mirrors vTaskDelay.
func (t *Task) Delay(d time.Duration) error {
	if err := t.enter("Task.Delay", "", d, nil); err != nil {
		return err
	}
	if d == 0 {
		t.k.port.Switch(t, Again)
		return nil
	}
	t.mayBlock("Task.Delay", "")
	return t.delayUntil(t.k.until(d))
}

// DelayUntil is for periodic work without drift: it adds period to ref, an instant
// as [Kernel.Now] tells it, and waits until then. It reports whether it waited;
// false says that the instant had already passed: a period was missed, and the
// next call may miss one too until the task has caught up. A ref ahead of now (after
// an aborted call) does not wait either. A period that is not positive is misuse.
// Blocking. Mirrors xTaskDelayUntil.
func (t *Task) DelayUntil(ref *time.Duration, period time.Duration) (waited bool, err error) {
	switch {
	case ref == nil:
		misuse("Task.DelayUntil", t, "", "nil reference")
	case period <= 0 || period == Forever:
		misuse("Task.DelayUntil", t, "", fmt.Sprintf("period %v, want a positive one", period))
	}
	if err := t.enter("Task.DelayUntil", "", period, nil); err != nil {
		return false, err
	}
	now := t.k.port.Now()
	from := *ref
	*ref = from + period
	if from > now || *ref <= now {
		t.k.port.Switch(t, Again)
		return false, nil
	}
	t.mayBlock("Task.DelayUntil", "")
	return true, t.delayUntil(*ref)
}

func (t *Task) delayUntil(deadline time.Duration) error {
	if t.unwinding {
		return ErrDeleted
	}
	t.deadline, t.abortMark = deadline, false
	word := t.publish(nil, 0)
	s := stAsked
	if t.gate.Load()&(askSuspend|askEnd) == 0 {
		s = t.sleep(word)
	}
	t.unpublish(word)
	if err := t.heed(); err != nil {
		return err
	}
	if s != stTimedOut {
		return ErrAborted
	}
	return nil
}

// Work uses d of processor time: virtual in a simulation, where nothing else takes
// time; computing for d of wall time elsewhere.
func (t *Task) Work(d time.Duration) {
	t.refuseNil("Task.Work")
	t.checkCaller("Task.Work")
	if d < 0 {
		misuse("Task.Work", t, "", "negative duration "+d.String())
	}
	t.k.port.Work(t, d)
}
