package rtos

import "sync"

// An ISR is the right to call the FromISR forms. [Kernel.Interrupt] hands one to the
// function of an interrupt; it is worth nothing when that has returned. An interrupt
// never waits.
type ISR struct {
	k      *Kernel
	woke   bool // since TakeWoken
	woken  bool
	active bool
}

var isrs = sync.Pool{New: func() any { return new(ISR) }}

// Interrupt runs f as an interrupt and reports whether it woke a task (see
// [ISR.Woken]). Any goroutine may call it, and several at once; in a simulation only
// the simulation itself does, see its own way to raise interrupts.
func (k *Kernel) Interrupt(f func(*ISR)) (woken bool) {
	if f == nil {
		misuse("Kernel.Interrupt", nil, "", "nil function")
	}
	if k.sched && !k.traits.InInterrupt() {
		misuse("Kernel.Interrupt", nil, "", "the port raises its own interrupts")
	}
	if cur := k.Current(); cur != nil {
		cur.gate.Or(askInterrupt) // its own calls must not pass unseen by a fast path
		defer cur.gate.And(^askInterrupt)
	}
	isr := isrs.Get().(*ISR)
	*isr = ISR{k: k, active: true}
	defer func() {
		woken = isr.woken
		isr.active = false
		isrs.Put(isr)
	}()
	f(isr)
	return
}

// Woken tells whether any call of this interrupt has readied a task more urgent than
// the one it interrupted: FreeRTOS's pxHigherPriorityTaskWoken, accumulated. Where
// tasks run in parallel nothing is interrupted, and it tells whether a task was
// woken at all.
func (isr *ISR) Woken() bool { return isr.woken }

// TakeWoken tells whether a call since the last TakeWoken has readied such a task.
func (isr *ISR) TakeWoken() bool {
	w := isr.woke
	isr.woke = false
	return w
}

// Kernel is the kernel whose interrupt this is.
func (isr *ISR) Kernel() *Kernel { return isr.k }

// inInterrupt tells whether an interrupt runs, where the port can tell.
func (t *Task) inInterrupt() bool { return t.sched && t.k.traits.InInterrupt() }

func (isr *ISR) note(outranks bool) bool {
	if outranks {
		isr.woke, isr.woken = true, true
	}
	return outranks
}

func (isr *ISR) check(op string) {
	if isr == nil {
		misuse(op, nil, "", "nil ISR")
	}
	if !isr.active {
		misuse(op, nil, "", "the interrupt of this ISR is over")
	}
}
