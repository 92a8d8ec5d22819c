package realtime

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// run is the loop of the guard; see bare_linux.go for what it may do.
//
//go:nosplit
func (g *guard) run() {
	entersyscall()
	for atomic.LoadUint32(&g.stop) == 0 {
		e := sleepInside(&g.stop, 0, &g.till)
		now := nanotime()
		if now < g.next {
			if e == unix.EINTR || e == unix.EAGAIN || e == 0 || e == unix.ETIMEDOUT {
				continue
			}
			break
		}
		g.look(now)
		for g.next <= now {
			g.next += int64(guardPeriod)
			g.till.add(g.step)
		}
	}
	exitsyscall()
}

//go:nosplit
func (g *guard) look(now int64) {
	passed := now - g.at
	g.at = now
	busy := g.lifted
	for i := range g.entry {
		e := &g.entry[i]
		if !e.use() {
			e.looks, e.spent = 0, 0
			continue
		}
		spent := g.processorTime(e)
		if e.spent != 0 && spent-e.spent >= passed-passed>>3 {
			e.looks++
			busy = true
		} else {
			e.looks = 0
		}
		e.spent = spent
		e.unuse()
	}
	if !busy {
		return
	}
	g.lifted = false
	for i := range g.entry {
		g.level(&g.entry[i])
	}
}

// level lifts a thread to the highest priority of those that share its cores and may be
// spinning, or sets it back.
//
//go:nosplit
func (g *guard) level(e *guarded) {
	prio := atomic.LoadInt32(&e.prio)
	lift := prio
	for i := range g.entry {
		if o := &g.entry[i]; o.looks >= guardLooks && o != e && o.shares(e) {
			lift = max(lift, atomic.LoadInt32(&o.prio))
		}
	}
	if lift == prio && !e.lifted || !e.use() {
		return
	}
	for {
		e.param = lift
		_ = setScheduler(int(atomic.LoadUint32(&e.id)), g.policy, &e.param)
		if e.lifted = lift > prio; e.lifted {
			g.lifted = true
		}
		if now := atomic.LoadInt32(&e.prio); !e.lifted && now != prio {
			prio, lift = now, now // it was tuned meanwhile
			continue
		}
		break
	}
	e.unuse()
}

// processorTime is the processor time that a thread has used.
//
//go:nosplit
func (g *guard) processorTime(e *guarded) int64 {
	// The clock of a thread: its number, inverted, over the flags "per thread" and
	// "scheduler's time".
	clock := ^int(atomic.LoadUint32(&e.id))<<3 | 4 | 2
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&g.cpu)), 0)
	return int64(g.cpu.sec)*second + int64(g.cpu.nsec)
}
