package realtime

import (
	"sync/atomic"
	"time"
)

// Go's runtime knows nothing of priorities. Here and there a thread spins until another
// one has finished a few steps: one that returns from a system call while another looks at
// its goroutine, one that allocates and meets another in the middle of the same. If who is
// waited for is less urgent and was preempted on the same core, it will never be done.
//
// The guard is a thread that needs nothing of Go, and looks at the threads of tasks and
// timers all the time. One that has used its core from look to look, and has not begun to
// wait in between, is suspected of spinning, and becomes an ordinary thread for a moment
// in every period, in which whoever it waits for runs. Who uses up such a moment is
// suspected too. That also leaves other programs a moment where a task computes for ever.
// A build with plain waits has no guard: see probePriorities.
type guard struct {
	stop  uint32
	till  instant // next
	step  instant // guardPeriod
	brief instant // guardMoment
	next  int64
	entry []guarded

	policy  uint32  // the system's, for threads of tasks
	cpu     instant // what the system says
	at      int64   // the clock at the last look
	lowered bool    // some have been, in this period
}

// guarded is what the guard needs to know of a thread.
type guarded struct {
	// uses counts those that are about to set the priority, so that the thread does not
	// end under their hands and its number becomes another one's.
	uses uint32
	id   uint32 // the system's number
	prio uint32 // the priority that it was last tuned to
	rest uint32 // counts the waits that it has begun
	seen bool   // the guard knows of it

	// The guard's own.
	spent   int64  // processor time
	rested  uint32 // rest, at the last look
	looks   int32  // without a break
	suspect bool   // until it rests
	lowered bool   // is an ordinary thread now
	param   int32  // for the system
}

// closed in uses: the thread has not begun, or it ends.
const closed uint32 = 1 << 31

// A thread is suspected after guardLooks periods of which it has used a quarter at least:
// on a virtual machine it need not have had more.
const (
	guardPeriod = 10 * time.Millisecond
	guardLooks  = 2
	guardMoment = 200 * time.Microsecond
	mostMoments = 8  // in one period
	spareGuards = 64 // for timers, and for tasks that end while the next one begins
)

func (g *guard) begin(policy uint32) {
	g.policy, g.at = policy, nanotime()
	g.next = g.at + int64(guardPeriod)
	g.till.set(g.next)
	g.step.set(int64(guardPeriod))
	g.brief.set(int64(guardMoment))
}

// use keeps the thread from ending until unuse; false if it has not begun or is ending.
func (g *guarded) use() bool {
	for {
		n := atomic.LoadUint32(&g.uses)
		if n&closed != 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&g.uses, n, n+1) {
			return true
		}
	}
}

func (g *guarded) unuse() {
	if atomic.AddUint32(&g.uses, ^uint32(0)) == closed {
		wake(&g.uses)
	}
}

// useInside is use in the state of a system call.
//
//go:nosplit
//go:norace
func (g *guarded) useInside() bool {
	for {
		n := load(&g.uses)
		if n&closed != 0 {
			return false
		}
		if cas(&g.uses, n, n+1) {
			return true
		}
	}
}

//go:nosplit
//go:norace
func (g *guarded) unuseInside() {
	if add(&g.uses, ^uint32(0)) == closed {
		wake(&g.uses)
	}
}

// rests says that the thread begins a wait.
//
//go:nosplit
//go:norace
func (g *guarded) rests() { add(&g.rest, 1) }

// open says that the thread with this number has begun.
func (g *guarded) open(id int) {
	atomic.StoreUint32(&g.id, uint32(id))
	atomic.StoreUint32(&g.uses, 0)
}

// close says that it will end, and waits until nobody uses it.
func (g *guarded) close() {
	atomic.OrUint32(&g.uses, closed)
	for n := atomic.LoadUint32(&g.uses); n != closed; n = atomic.LoadUint32(&g.uses) {
		_ = sleep(&g.uses, n, nil)
	}
}
