package realtime

// run reads the clock until it says until, and notes the gaps; see bare_linux.go for what
// it may do. It ends as an ordinary thread.
//
//go:nosplit
//go:norace
func (l *spinLoop) run(until int64) {
	entersyscall()
	for last := nanotime(); last < until; {
		now := nanotime()
		gap := now - last
		last = now
		if gap <= gapLimits[0] {
			continue
		}
		for i := range l.gaps {
			if gap > gapLimits[i] {
				l.gaps[i]++
			}
		}
		l.lost += gap
		l.longest = max(l.longest, gap)
	}
	demote()
	exitsyscall()
}
