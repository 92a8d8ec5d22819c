package realtime

import (
	"golang.org/x/sys/unix"
)

// run is the loop of the timer; see bare_linux.go for what it may do. It ends as an
// ordinary thread, because it has to come to terms with Go's scheduler then.
//
//go:nosplit
//go:norace
func (l *timerLoop) run() {
	entersyscall()
	for load(&l.stop) == 0 {
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
		store64(&s.deadline, l.next)
		store64(&s.fired, now)
		store64(&l.head, l.head+1)
		if l.calls != nil && swap(l.calls, called) == parked {
			wake(l.calls)
		}
		l.g.rests()
		if l.head == l.count {
			break
		}
		l.advance(now)
	}
	demote()
	exitsyscall()
}
