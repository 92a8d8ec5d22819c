// Package rtos is a small real-time kernel for Go: tasks with priorities, notifications,
// mutexes, semaphores, queues and spinlocks that behave as FreeRTOS's do, on lock-free code.
//
// The same task bodies run as goroutines of an ordinary program, or in a simulation where
// time is virtual and the order of events exact. This page is the manual; the README has
// the first steps, docs/from-freertos.md shows C beside Go.
//
// # Mental model
//
// A [Kernel] is a set of tasks and the world they run in. A [Task] is one flow of control:
// a func(*Task) that the kernel runs. The *Task is the task's identity. Go has no handle
// of the current goroutine, so a call that may wait is a method of the calling task, or
// takes it as an argument:
//
//	err := t.Delay(d)         // t waits
//	err := m.Lock(t)          // t waits for m, and owns it then
//	err := other.NotifyGive() // other is the target, the caller may be anybody
//
// The methods of a Task are of two kinds. Those that act on the caller (Delay, NotifyTake,
// NotifyWait, Yield, SuspendSelf, Exit, ...) are for the task alone, in its own goroutine;
// not even a goroutine that it has started may use them. Those that act on a target
// (NotifyGive, Notify, Suspend, Resume, SetPriority, Delete, ...) are for everybody: other
// tasks, and goroutines that are no task.
//
// An [ISR] is the right to call the forms that end in FromISR. [Kernel.Interrupt] hands it
// out.
//
// Each call that waits has the same forms:
//
//	Lock(t)            waits for as long as it takes
//	LockFor(t, d)      waits for d at most; 0 polls; Forever has no limit
//	LockCtx(ctx, t)    waits until ctx is done
//	TryLock(t)         does not wait
//
// and likewise Take, TakeFor, TakeCtx, TryTake, and those of Send, Recv and Peek.
// Notifications always take a limit. Forms for one of several slots end in At, those for
// interrupts in FromISR.
//
// # Quick start
//
//	k, err := rtos.New(rtos.Config{})
//	if err != nil {
//		return err
//	}
//	worker, err := k.Spawn("worker", 1, func(t *rtos.Task) {
//		for {
//			n, err := t.NotifyTake(true, time.Second)
//			if err != nil {
//				return // nothing to do for a second
//			}
//			handle(n)
//		}
//	})
//	if err != nil {
//		return err
//	}
//	_, err = k.Spawn("sensor", 2, func(t *rtos.Task) {
//		for range 10 {
//			t.Delay(10 * time.Millisecond)
//			worker.NotifyGive()
//		}
//	})
//	if err != nil {
//		return err
//	}
//	return k.Run(ctx) // until both have ended
//
// Tasks that are spawned before [Kernel.Run] begin with it, so a body may use variables
// that are set between Spawn and Run, such as the *Task of a peer. A task spawned later
// is ready at once. Run returns when the last spawned task has ended. [Kernel.Adopt] makes
// a task of a goroutine that already runs, but not in a simulation.
//
// # Choosing a port
//
// What the primitives need of the world is a [Port]:
//
//   - The goroutine port is the default. A task is a goroutine and Go's scheduler runs it;
//     tasks run in parallel. A priority decides who is woken first and what a mutex lends;
//     it takes the processor from nobody. Durations are wall time and not rounded.
//     For Go programs and firmware written in Go, on every platform of Go.
//   - The simulation is [github.com/tickwake/rtos/sim]. One simulated core with fixed
//     priorities, preemption, time slices and interrupts at ticks, as FreeRTOS schedules.
//     Time passes only by [Task.Work] and by waiting, in whole ticks, and jumps to the next
//     event. For tests, simulators, and to see what FreeRTOS would do. It reproduces
//     recorded traces of the FreeRTOS kernel event by event; cmd/conform shows that. It can
//     be driven to a time, to a condition or step by step, names deadlocks, and makes other
//     legal runs from seeds. Goroutines outside reach into it by Sim.Inject only.
//   - Whoever has another world implements Port: its documentation says how, the package
//     [github.com/tickwake/rtos/porttest] checks it, examples/customport is one.
//
// On Linux the package [github.com/tickwake/rtos/realtime] is another: each task has a
// real-time thread of its own, pinned and scheduled by its priority.
//
// [OwnThread] is an option of Spawn on the goroutine port: the task gets a thread, on
// Linux also a core. Such a task spins longer before it parks.
//
// Tasks of the goroutine port wait on channels and timers, so inside a bubble of
// [testing/synctest] their waits count as blocked and their time is the bubble's.
//
// # Guarantees
//
// How a call makes progress. Wait-free: it ends after a bounded number of its own steps.
// Lock-free: it repeats a step only because another call has succeeded. Blocking: it waits
// for another task.
//
//	call                                 progress
//	Mutex.Lock, LockFor, TryLock         wait-free if free and the task's first mutex
//	  free, a further mutex, or LockCtx  lock-free
//	  held by another task               blocking; TryLock and a limit of 0 lock-free
//	Mutex.Unlock                         wait-free if nobody waits, else lock-free
//	RecursiveMutex                       as Mutex, but LockFor and TryLock lock-free;
//	  taken again by its owner           wait-free
//	Semaphore.Take and its forms         lock-free with tokens, else blocking
//	Semaphore.Give, GiveFromISR          lock-free
//	Semaphore.Count                      wait-free
//	Queue.Send and its forms             lock-free with room, else blocking
//	Queue.Recv, Peek and their forms     lock-free with items, else blocking; but they
//	                                     wait for a SendFront that is under way
//	Queue.SendFront and its forms        blocking: one at a time
//	Queue.Overwrite, Len, Items, Info    lock-free
//	Queue.Reset                          as Recv
//	Task.NotifyGive, Notify, NotifyQuery lock-free, in every form
//	Task.NotifyTake, NotifyWait          lock-free if it is there, else blocking
//	Task.NotifyStateClear, ValueClear    lock-free
//	Task.NotifyPending                   wait-free
//	Spinlock.Lock, LockFor               wait-free if free or one's own, else blocking
//	Spinlock.TryLock, Unlock             wait-free
//	Task.Priority, BasePriority, State   wait-free
//	Task.SetPriority                     lock-free
//	Task.Suspend, Resume, AbortDelay     lock-free
//	Task.Delete                          lock-free; in a simulation it unwinds the task
//	Task.Delay, DelayUntil, SuspendSelf  blocking
//	Kernel.SuspendScheduler,             blocking where tasks run in parallel:
//	  EnterCritical, Critical            one task at a time
//	Kernel.Spawn, Adopt, Tasks, Task,    take a short lock
//	  Stop, WriteTo; Task.Release
//	  and the end of a task
//	Mutex.Holder, Spinlock.Holder, Info  wait-free or lock-free
//
// That is without the port. A give that wakes a parked task calls the port, and on the
// goroutine port that is a send on a channel that never blocks, with the short locks that
// the Go runtime has inside. Taking, giving, notifying and waiting allocate nothing in
// steady state; docs/size.md says what the first time costs.
//
// What synchronizes before what, in the terms of the Go memory model:
//
//   - The n-th Unlock of a [Mutex] or [Spinlock] before the m-th Lock returns, for n < m;
//     of a [RecursiveMutex] the Unlock that frees it before the Lock that takes it free.
//   - A Give of a [Semaphore] before the return of the Take that gets its token.
//   - A send to a [Queue] before the return of the call that receives or peeks the item; the
//     receive that makes room before the return of the send that uses it.
//   - A notification before the return of the take or wait that reports it.
//   - Spawn before the body begins, and the body's end before [Task.Done] is closed and
//     before [Kernel.Run] returns.
//   - A Resume before the return of the SuspendSelf that it ends.
//   - Calls that fail, time out or are refused order nothing.
//
// Who wins when several things end a wait:
//
//   - A wake beats the limit, [Task.AbortDelay] and the end of a context.
//   - A task whose limit is over, whose wait was aborted or whose context is done looks
//     once more, and takes what is there, before it reports why it came back empty-handed.
//   - A context that is done when the call begins makes it fail at once, even if it would
//     not have to wait.
//   - A deletion, asked for before the task has taken what it was woken for, beats all that:
//     the call does not return, and the wake goes to the next waiter. Only a mutex that has
//     been handed over to the task is its own first.
//
// Who is woken first: the waiter of the highest priority, as it was when its wait began
// (with [InheritChained]: as it is), among equals the one that came first. A woken task owns nothing yet, it has to take what
// it was woken for; if another task is faster, it waits on, for what is left of its limit.
// The hand-over of a mutex, see below, is the exception.
//
// # Mutexes
//
// A [Mutex] belongs to the task that took it, and only that task may give it. Whatever
// tasks must wake each other for is a job for a [Semaphore] or a notification.
//
// A task that waits lends its priority to the owner, in FreeRTOS's way, which is simple and
// has limits to know:
//
//   - Only a task that is going to wait lends. A poll does not.
//   - The owner keeps what it has inherited until it gives the last mutex that it holds,
//     even if the waiter was that of another one.
//   - A waiter that times out or is aborted takes its loan back, if the owner holds exactly
//     one mutex; the owner falls to what the other waiters lend. A waiter that is suspended
//     or deleted leaves the loan as it is.
//   - Loans do not pass on: if the owner itself waits for a second mutex, the owner of that
//     one gains nothing.
//
// With [Config].Inheritance set to [InheritChained] it lends as the textbook says, on ports
// that schedule, such as the simulation. At any moment the effective priority of a task is the
// highest of its base and of the effective priorities of those that wait for its mutexes:
//
//   - A give takes away what was lent for that mutex, and leaves what others still lend.
//   - A wait that ends takes its loan back however it ends: by its limit, at the tick itself,
//     by an abort, a suspension, a deletion. A taker owes those that wait already.
//   - A waiter's priority is lent as it is now, and ranks the waiter as it is now; among
//     equals those that came first are first. That is so for semaphores, too.
//   - Loans pass on along chains: to the owner of the mutex for which the owner waits.
//   - A wait that would close a ring of tasks that wait for each other fails with
//     [ErrDeadlock] and names them in a [*CycleError], unless a wait of the ring has a limit
//     or a context that can be done: that one will end, and break the ring.
//
// [Task.Priority] is the effective priority, [Task.BasePriority] the task's own.
//
// A free mutex goes to whoever comes first, even while a woken waiter is on its way; this is
// what makes it fast. Where tasks run in parallel overtaking is bounded: a waiter that has
// been overtaken three times, or for a millisecond, or once by a less urgent task, is handed
// the mutex at the next Unlock.
//
// A mutex that a task did not give before it ended stays taken, is logged, and appears in
// [Kernel.Orphans]; with [Config].Robust the next taker gets it together with
// [ErrOwnerDied]: it owns the mutex then and has to give it, as after any Lock.
// [Mutex.Locker] makes a [sync.Locker] of a mutex and a task.
//
// A [Spinlock] has none of that: no inheritance, no order, no rescue. It is for sections of
// a few instructions; waiting while one holds it is misuse.
//
// # Deletion, suspension and the end
//
// A goroutine cannot be stopped from outside. [Task.Delete], [Kernel.Stop] and the end of
// Run's context ask; a task obeys where it waits, at its next call that could wait, polls
// included, and at [Task.Checkpoint] and [Task.Yield]. [Task.Suspend] takes effect at the
// same places. In a simulation a deletion is done when Delete returns.
//
// Obeying means to unwind: the call does not return, deferred functions run, the task ends.
// Gives work in deferred functions, so
//
//	if err := m.Lock(t); err != nil {
//		return
//	}
//	defer m.Unlock(t)
//
// gives the mutex however the task ends. Nothing should wait there; what would have to gets
// no further. In a simulation unwinding is a panic that the kernel knows: a recover that
// swallows it is met by it again at the next call.
//
// The consequence for errors: from a call that it makes for itself only an adopted task, or
// a deferred function, ever gets [ErrDeleted]. In a spawned task the plain Lock and Take
// return nil, unless somebody calls AbortDelay, the kernel's mutexes are robust, or it
// refuses to close a ring ([ErrDeadlock]).
//
// An adopted task is never unwound. Once it has been deleted, or the kernel is stopping or
// over, its calls still take what is there, and return ErrDeleted where they would block.
//
// A panic in a task ends the run: the others are unwound, and Run returns a [*PanicError]
// with the task's name and stack. A task that waits for ever keeps Run waiting on the
// goroutine port; [Kernel.WriteTo] tells at any time who waits for what, and who holds that.
// In a simulation Run ends when no task is ready and no limit or interrupt is to come; it
// does not wait for a context that something outside might end. It logs who is still
// blocked, and returns nil; or a [github.com/tickwake/rtos/sim.DeadlockError] if a task
// waits for what another one holds that will never run again.
//
// # Errors and misuse
//
// What may happen to a correct program is an error value, for [errors.Is]: [ErrTimeout],
// [ErrWouldBlock], [ErrAborted], [ErrDeleted], [ErrOwnerDied], [ErrDeadlock], [ErrNotOwner],
// [ErrPending], [ErrStopped], [ErrTooManyTasks], [errors.ErrUnsupported], and the cause of a context, as
// [context.Cause] tells it.
//
// What only a wrong program does panics with a [*MisuseError], where FreeRTOS would assert
// or be undefined; nothing has been changed then. That is a nil task, a task of another
// kernel, or one that is in another call and so must be another goroutine's; a priority or
// slot out of range, a negative limit; to take one's own plain mutex or give another task's;
// to wait in a critical section, with the scheduler suspended, with a spinlock held or in an
// interrupt; to overwrite in a queue of more than one item; and to use the zero value of a
// Kernel, a Semaphore or a Queue.
//
// A wrong configuration is an error of [New].
//
// # Waiting and spinning
//
// To park a task and wake it again costs far more than most waits last. So on the goroutine
// port a task that would have to wait looks a few times first, for some microseconds, and
// one that owns its thread for longer. It does so only while another processor is at work
// and nobody waits for this one; with GOMAXPROCS=1, and on js and wasip1, never.
// A task that is more urgent than the owner of a mutex does not spin for it, it lends its
// priority at once.
//
// # Durations and ticks
//
// Limits, delays and periods are [time.Duration]. The goroutine port does not round them.
// The simulation rounds up to ticks, so that a limit above 0 never becomes a poll, which is
// what happens in C when pdMS_TO_TICKS truncates. As in FreeRTOS, a delay of n ticks ends at
// the n-th tick from now.
//
// [Kernel.Ticks] converts ticks to a duration, [Kernel.TickCount] is the clock in ticks and
// wraps at 2^32, [Kernel.Now] does not wrap. [Forever] is portMAX_DELAY.
//
// # Differences from FreeRTOS
//
// Not to be switched, because Go or the API asks for them:
//
//   - The caller is explicit: where C passes NULL for "this task" there is a method of t.
//   - A body may return; that ends the task. Stacks grow, so Spawn has no depth.
//   - The outcomes that C folds into pdFALSE are different errors.
//   - A *Task of a task that has ended may be used: gives and notifications to it answer
//     ErrDeleted.
//   - Deletion unwinds and runs deferred functions.
//   - On the goroutine port tasks run in parallel: neither a priority nor a critical section
//     nor a suspended scheduler stops another task. See [Kernel.SuspendScheduler].
//   - In the simulation a critical section is a suspended scheduler: interrupts go on.
//   - Overtaking of mutex waiters is bounded where tasks run in parallel.
//   - There are no idle task, hooks, thread-local pointers and stack marks.
//
// To be switched by [Config].Inheritance: loans of priority that follow at once and pass on
// along chains, see above. The default is FreeRTOS's rule.
//
// To be switched by [Config].Compat, because they improve on an accident of the C code:
//
//   - [CompatOrder]: a task queues by the priority that was last assigned to it, be it its
//     base by SetPriority or its effective one by a loan. Without it by its effective
//     priority when the wait began. [CompatBasePriorityQueue] is part of it.
//   - [CompatSelfTake]: a task that takes its own plain mutex waits for its limit, for ever
//     if it has none. Without it that is misuse at once.
//   - [CompatLostWake]: a task that was woken and then suspended or deleted, before it ran,
//     keeps the wake. Without it the wake goes to the next waiter.
//   - [CompatAbortMark]: the mark of an abort may end a later wait. Without it an abort ends
//     one wait at most.
//   - [CompatLimitUnderSuspend]: a limit other than 0 is misuse under a suspended scheduler
//     even if the call need not wait. Without it only waiting is.
//   - [CompatPollClears]: a NotifyWait that polls in vain clears its entry bits, as FreeRTOS
//     up to 11.1 and ESP-IDF do; in no set. Without it nothing is cleared, as since 11.2.
//   - [CompatFreeRTOS] is all of them but the last. CompatStreamSlot0 and
//     CompatISRThroughTimer are for objects to come.
//
// # Not there yet
//
// Queue sets, event groups, stream and message buffers, software timers, the
// policy [InheritChained] where tasks run in parallel, several cores and core affinity in
// the simulation.
//
// # Build tags
//
//   - rtosdebug checks, in calls that may wait, that a *Task is used by its own goroutine,
//     and names the place where a section was entered in which a task must not wait. It is
//     slow.
//   - rtos_purego replaces what internal/spin borrows from the Go runtime by plain Go, as
//     other toolchains get it anyway. Only tasks with a thread of their own spin then.
//
// # From C name to Go name
//
// Tasks:
//
//   - xTaskCreate: [Kernel.Spawn]. xTaskCreateStatic, xTaskCreateRestricted: none
//   - xTaskCreatePinnedToCore, xTaskCreateAffinitySet: Spawn with [OwnThread]
//   - vTaskDelete: [Task.Delete], for NULL [Task.Exit]
//   - vTaskDelay: [Task.Delay]
//   - vTaskDelayUntil, xTaskDelayUntil: [Task.DelayUntil]
//   - xTaskAbortDelay: [Task.AbortDelay]
//   - uxTaskPriorityGet, uxTaskPriorityGetFromISR: [Task.Priority]
//   - uxTaskBasePriorityGet, uxTaskBasePriorityGetFromISR: [Task.BasePriority]
//   - vTaskPrioritySet: [Task.SetPriority]
//   - vTaskSuspend: [Task.Suspend], for NULL [Task.SuspendSelf]
//   - vTaskResume: [Task.Resume]. xTaskResumeFromISR: [Task.ResumeFromISR]
//   - taskYIELD: [Task.Yield]
//   - eTaskGetState: [Task.State]
//   - vTaskGetInfo: [Task.Info]
//   - pcTaskGetName: [Task.Name]
//   - ulTaskGetRunTimeCounter: [Task.RunTime]
//   - vTaskCoreAffinitySet, vTaskPreemptionDisable: not there yet
//   - uxTaskGetStackHighWaterMark, pvTaskGetThreadLocalStoragePointer, task tags: none
//   - no C name: [Kernel.Adopt], [Task.Release], [Task.Checkpoint], [Task.Work], [Task.Done]
//
// Kernel:
//
//   - vTaskStartScheduler: [Kernel.Run]. vTaskEndScheduler: [Kernel.Stop]
//   - vTaskSuspendAll: [Kernel.SuspendScheduler]. xTaskResumeAll: [Kernel.ResumeScheduler]
//   - taskENTER_CRITICAL, taskEXIT_CRITICAL: [Kernel.EnterCritical], [Kernel.ExitCritical],
//     or both by [Kernel.Critical]
//   - taskENTER_CRITICAL_FROM_ISR, taskDISABLE_INTERRUPTS: none
//   - xTaskGetTickCount, xTaskGetTickCountFromISR: [Kernel.TickCount], [Kernel.Now]
//   - pdMS_TO_TICKS, pdTICKS_TO_MS: none needed. Ticks to duration: [Kernel.Ticks]
//   - portMAX_DELAY: [Forever]
//   - vTaskSetTimeOutState, xTaskCheckForTimeOut: none
//   - xTaskCatchUpTicks: [github.com/tickwake/rtos/sim.Sim.CatchUp]. vTaskStepTick: none
//   - uxTaskGetNumberOfTasks: [Kernel.NumTasks]
//   - uxTaskGetSystemState: [Kernel.Tasks]
//   - vTaskList, vTaskListTasks, vTaskGetRunTimeStatistics: [Kernel.WriteTo], [Kernel.String]
//   - xTaskGetHandle: [Kernel.Task]
//   - xTaskGetCurrentTaskHandle: the body's argument; in a simulation also [Kernel.Current]
//   - xTaskGetSchedulerState: none, but see [Kernel.Stopping]
//   - no C name: [Kernel.Waits], [Kernel.Err]
//   - xTaskGetIdleTaskHandle: none
//   - configASSERT: [MisuseError]
//   - configTICK_RATE_HZ, configMAX_PRIORITIES, configTASK_NOTIFICATION_ARRAY_ENTRIES,
//     configGENERATE_RUN_TIME_STATS: [Config]
//   - configUSE_PREEMPTION, configUSE_TIME_SLICING: [github.com/tickwake/rtos/sim.Options]
//
// Notifications:
//
//   - xTaskNotifyGive: [Task.NotifyGive]. xTaskNotifyGiveIndexed: [Task.NotifyGiveAt]
//   - vTaskNotifyGiveFromISR: [Task.NotifyGiveFromISR]. vTaskNotifyGiveIndexedFromISR:
//     [Task.NotifyGiveAtFromISR]
//   - ulTaskNotifyTake: [Task.NotifyTake], [Task.NotifyTakeCtx]. ulTaskNotifyTakeIndexed:
//     [Task.NotifyTakeAt], [Task.NotifyTakeAtCtx]
//   - xTaskNotify: [Task.Notify]. xTaskNotifyIndexed: [Task.NotifyAt]
//   - xTaskNotifyFromISR: [Task.NotifyFromISR]. xTaskNotifyIndexedFromISR:
//     [Task.NotifyAtFromISR]
//   - xTaskNotifyAndQuery: [Task.NotifyQuery]. xTaskNotifyAndQueryIndexed:
//     [Task.NotifyQueryAt]
//   - xTaskNotifyAndQueryFromISR, xTaskNotifyAndQueryIndexedFromISR:
//     [Task.NotifyQueryAtFromISR]
//   - xTaskNotifyWait, xTaskNotifyWaitIndexed: [Task.NotifyWait], [Task.NotifyWaitCtx]
//   - xTaskNotifyStateClear, xTaskNotifyStateClearIndexed: [Task.NotifyStateClear]
//   - ulTaskNotifyValueClear, ulTaskNotifyValueClearIndexed: [Task.NotifyValueClear]
//   - no C name: [Task.NotifyPending]
//   - eNoAction, eSetBits, eIncrement, eSetValueWithOverwrite, eSetValueWithoutOverwrite:
//     [NoAction], [SetBits], [Increment], [Overwrite], [SetIfClear]
//
// Semaphores and mutexes:
//
//   - xSemaphoreCreateBinary, xSemaphoreCreateBinaryStatic: [NewBinary]
//   - xSemaphoreCreateCounting, xSemaphoreCreateCountingStatic: [NewCounting]
//   - xSemaphoreCreateMutex, xSemaphoreCreateMutexStatic: the zero [Mutex], [NewMutex]
//   - xSemaphoreCreateRecursiveMutex, xSemaphoreCreateRecursiveMutexStatic: the zero
//     [RecursiveMutex], [NewRecursiveMutex]
//   - xSemaphoreTake: [Semaphore.Take], [Semaphore.TakeFor], [Semaphore.TakeCtx],
//     [Semaphore.TryTake]; of a mutex [Mutex.Lock], [Mutex.LockFor], [Mutex.LockCtx],
//     [Mutex.TryLock]
//   - xSemaphoreTakeFromISR: [Semaphore.TryTakeFromISR]
//   - xSemaphoreGive: [Semaphore.Give]; of a mutex [Mutex.Unlock]
//   - xSemaphoreGiveFromISR: [Semaphore.GiveFromISR]
//   - xSemaphoreTakeRecursive: [RecursiveMutex.Lock], [RecursiveMutex.LockFor],
//     [RecursiveMutex.LockCtx], [RecursiveMutex.TryLock]
//   - xSemaphoreGiveRecursive: [RecursiveMutex.Unlock]
//   - uxSemaphoreGetCount, uxSemaphoreGetCountFromISR: [Semaphore.Count]
//   - xSemaphoreGetMutexHolder, xSemaphoreGetMutexHolderFromISR: [Mutex.Holder],
//     [RecursiveMutex.Holder]
//   - vSemaphoreDelete: none; what nobody refers to any more is collected
//
// Queues:
//
//   - xQueueCreate, xQueueCreateStatic: [NewQueue]
//   - xQueueSend, xQueueSendToBack: [Queue.Send], [Queue.SendFor], [Queue.SendCtx],
//     [Queue.TrySend]
//   - xQueueSendFromISR, xQueueSendToBackFromISR: [Queue.TrySendFromISR]
//   - xQueueSendToFront: [Queue.SendFront], [Queue.SendFrontFor], [Queue.SendFrontCtx],
//     [Queue.TrySendFront]
//   - xQueueSendToFrontFromISR: [Queue.TrySendFrontFromISR]
//   - xQueueOverwrite: [Queue.Overwrite]. xQueueOverwriteFromISR: [Queue.OverwriteFromISR]
//   - xQueueReceive: [Queue.Recv], [Queue.RecvFor], [Queue.RecvCtx], [Queue.TryRecv]
//   - xQueueReceiveFromISR: [Queue.TryRecvFromISR]
//   - xQueuePeek: [Queue.Peek], [Queue.PeekFor], [Queue.PeekCtx], [Queue.TryPeek]
//   - xQueuePeekFromISR: [Queue.TryPeekFromISR]
//   - xQueueReset: [Queue.Reset]
//   - uxQueueMessagesWaiting, uxQueueMessagesWaitingFromISR, xQueueIsQueueEmptyFromISR:
//     [Queue.Len]
//   - uxQueueSpacesAvailable, xQueueIsQueueFullFromISR: [Queue.Free]
//   - uxQueueGetQueueLength: [Queue.Cap]. uxQueueGetQueueItemSize: none, items have a type
//   - vQueueAddToRegistry, pcQueueGetName: the name given to NewQueue, see [Queue.Info]
//   - vQueueDelete, vQueueUnregisterQueue: none
//   - no C name: [Queue.Items]
//
// Spinlocks, as in ESP-IDF:
//
//   - SPINLOCK_INITIALIZER, portMUX_INITIALIZER_UNLOCKED, spinlock_initialize: the zero
//     [Spinlock]
//   - spinlock_acquire, portENTER_CRITICAL, portTRY_ENTER_CRITICAL, with
//     portMUX_NO_TIMEOUT: [Spinlock.Lock]; with portMUX_TRY_LOCK: [Spinlock.TryLock]; with
//     any other limit: [Spinlock.LockFor]
//   - spinlock_release, portEXIT_CRITICAL: [Spinlock.Unlock]
//   - portENTER_CRITICAL_ISR, portTRY_ENTER_CRITICAL_ISR: [Spinlock.LockFromISR],
//     [Spinlock.TryLockFromISR]
//   - portEXIT_CRITICAL_ISR: [Spinlock.UnlockFromISR]
//   - portENTER_CRITICAL_SAFE, portEXIT_CRITICAL_SAFE: none
//   - no C name: [Spinlock.Bare], [Spinlock.Holder]
//
// Interrupts:
//
//   - an interrupt service routine: the function given to [Kernel.Interrupt], in a
//     simulation to [github.com/tickwake/rtos/sim.Sim.At]
//   - pxHigherPriorityTaskWoken: [ISR.Woken], [ISR.TakeWoken]
//   - portYIELD_FROM_ISR, portEND_SWITCHING_ISR: none needed, the end of the interrupt
//     switches; [github.com/tickwake/rtos/sim.NoYield] leaves it out
//
// Not there yet, with all that belongs to them: xQueueCreateSet, xEventGroupCreate,
// xStreamBufferCreate, xMessageBufferCreate, xTimerCreate.
package rtos
