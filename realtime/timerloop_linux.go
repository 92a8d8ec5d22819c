package realtime

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// run is the loop of the timer; see bare_linux.go for what it may do. It ends as an
// ordinary thread, because it has to come to terms with Go's scheduler then.
//
//go:nosplit
func (l *timerLoop) run() {
	entersyscall()
	for atomic.LoadUint32(&l.stop) == 0 {
		e := sleepInside(&l.stop, 0, &l.till)
		now := nanotime()
		if now < l.next-l.margin {
			if e == unix.EINTR || e == unix.EAGAIN || e == 0 || e == unix.ETIMEDOUT {
				continue
			}
			break // the system cannot do it: better no timer than one that spins
		}
		for now < l.next {
			now = nanotime()
		}
		s := &l.ring[l.head%ringSize]
		atomic.StoreInt64(&s.deadline, l.next)
		atomic.StoreInt64(&s.fired, now)
		atomic.StoreUint64(&l.head, l.head+1)
		if l.calls != nil && atomic.SwapUint32(l.calls, called) == parked {
			wake(l.calls)
		}
		if l.head == l.count {
			break
		}
		l.advance(now)
	}
	demote()
	exitsyscall()
}
