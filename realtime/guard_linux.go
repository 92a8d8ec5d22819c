package realtime

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// run is the loop of the guard; see bare_linux.go for what it may do.
//
//go:nosplit
//go:norace
func (g *guard) run() {
	entersyscall()
	for load(&g.stop) == 0 {
		e := sleepInside(&g.stop, 0, &g.till)
		now := nanotime()
		if now < g.next {
			if e == unix.EINTR || e == unix.EAGAIN || e == 0 || e == unix.ETIMEDOUT {
				continue
			}
			break
		}
		g.look(now)
		for n := 0; n < mostMoments && g.lower(); n++ {
			napInside(&g.brief)
		}
		g.restore()
		for now = nanotime(); g.next <= now; g.next += int64(guardPeriod) {
			g.till.add(g.step)
		}
	}
	exitsyscall()
}

// look suspects those that have had no break.
//
//go:nosplit
//go:norace
func (g *guard) look(now int64) {
	passed := now - g.at
	g.at = now
	for i := range g.entry {
		e := &g.entry[i]
		if !e.useInside() {
			e.spent, e.looks, e.suspect = 0, 0, false
			continue
		}
		spent, rest := g.processorTime(e), load(&e.rest)
		switch {
		case e.spent == 0 || rest != e.rested:
			e.looks, e.suspect = 0, false
		case spent-e.spent >= passed>>2:
			if e.looks++; e.looks >= guardLooks {
				e.suspect = true
			}
		default:
			e.looks = 0
		}
		e.spent, e.rested = spent, rest
		e.unuseInside()
	}
}

// lower makes ordinary threads of those that are suspected, and of those that have used
// the moment since it was called last. It tells whether there is anybody new. They are in
// use until they are restored.
//
//go:nosplit
//go:norace
func (g *guard) lower() (more bool) {
	for i := range g.entry {
		e := &g.entry[i]
		if e.lowered || !e.useInside() {
			continue
		}
		if g.lowered && !e.suspect {
			spent := g.processorTime(e)
			e.suspect = spent-e.spent >= int64(guardMoment)/2 && load(&e.rest) == e.rested
			e.spent = spent
		}
		if !e.suspect {
			e.unuseInside()
			continue
		}
		e.param = 0
		_ = setScheduler(int(load(&e.id)), unix.SCHED_NORMAL|unix.SCHED_RESET_ON_FORK, &e.param)
		e.lowered, more = true, true
	}
	g.lowered = more
	return more
}

// restore gives them their priorities back, also if they are tuned meanwhile.
//
//go:nosplit
//go:norace
func (g *guard) restore() {
	g.lowered = false
	for i := range g.entry {
		e := &g.entry[i]
		if !e.lowered {
			continue
		}
		e.lowered = false
		for e.param = 0; e.param != int32(load(&e.prio)); {
			e.param = int32(load(&e.prio))
			_ = setScheduler(int(load(&e.id)), g.policy, &e.param)
		}
		e.unuseInside()
	}
}

// processorTime is the processor time that a thread has used.
//
//go:nosplit
//go:norace
func (g *guard) processorTime(e *guarded) int64 {
	// The clock of a thread: its number, inverted, over the flags "per thread" and
	// "scheduler's time".
	clock := ^int(load(&e.id))<<3 | 4 | 2
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&g.cpu)), 0)
	return int64(g.cpu.sec)*second + int64(g.cpu.nsec)
}
