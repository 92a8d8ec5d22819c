package realtime

import (
	"sync/atomic"
	"time"
)

// Go's runtime knows nothing of priorities. A thread that returns from a system call, or
// looks at another goroutine's stack for the collector, may hold that goroutine for a
// moment; the goroutine's own thread then spins until it is done, and yields to its
// equals. If who is waited for is less urgent and was preempted on the same core, it will
// never be done.
//
// The guard is a thread that in a build with bare waits needs nothing of Go, and looks at
// the threads of tasks and timers all the time. One that has had its core for two looks without a break may be spinning, so all
// that share its cores are lifted to its priority until the next look: whoever it waits
// for runs at its next yield. A thread that just computes yields to nobody and does not
// notice.
type guard struct {
	stop  uint32
	till  instant
	step  instant
	next  int64
	entry []guarded

	policy uint32  // the system's, for threads of tasks
	cpu    instant // what the system says
	at     int64   // the clock at the last look
	lifted bool    // some are
}

func (g *guard) begin(policy uint32) {
	g.policy, g.at = policy, nanotime()
	g.next = g.at + int64(guardPeriod)
	g.till.set(g.next)
	g.step.set(int64(guardPeriod))
}

// guarded is what the guard needs to know of a thread.
type guarded struct {
	// uses counts those that are about to set the priority, so that the thread does not
	// end under their hands and its number becomes another one's.
	uses uint32
	id   uint32 // the system's number
	core int32  // the only core that it may run on, -1 if there are several
	prio int32  // the priority that it was last tuned to
	seen bool   // the guard knows of it

	// The guard's own.
	spent  int64 // processor time
	looks  int32 // without a break
	lifted bool
	param  int32 // for the system
}

// closed in uses: the thread has not begun, or it ends.
const closed uint32 = 1 << 31

const (
	guardPeriod = 10 * time.Millisecond
	guardLooks  = 2
	spareGuards = 64 // for timers, and for tasks that end while the next one begins
)

// use keeps the thread from ending until unuse; false if it has not begun or is ending.
//
//go:nosplit
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

//go:nosplit
func (g *guarded) unuse() {
	if atomic.AddUint32(&g.uses, ^uint32(0)) == closed {
		wake(&g.uses)
	}
}

// open says that the calling thread has begun.
func (g *guarded) open(id int, core int) {
	atomic.StoreUint32(&g.id, uint32(id))
	atomic.StoreInt32(&g.core, int32(core))
	atomic.StoreUint32(&g.uses, 0)
}

// close says that it will end, and waits until nobody uses it.
func (g *guarded) close() {
	atomic.OrUint32(&g.uses, closed)
	for n := atomic.LoadUint32(&g.uses); n != closed; n = atomic.LoadUint32(&g.uses) {
		_ = sleep(&g.uses, n, nil)
	}
}

// shares tells whether two threads may run on one core.
//
//go:nosplit
func (g *guarded) shares(o *guarded) bool {
	a, b := atomic.LoadInt32(&g.core), atomic.LoadInt32(&o.core)
	return a == b || a < 0 || b < 0
}
