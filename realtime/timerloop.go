package realtime

import (
	"time"
)

// timerLoop is what the thread of a timer uses. The 64-bit words that others read come
// first, where they are aligned on every machine.
type timerLoop struct {
	head int64 // activations so far
	over int64 // 1 when it has ended
	due  int64 // next, for others

	next   int64 // the next deadline, on the system's clock
	period int64
	margin int64
	count  int64
	ring   *[ringSize]stamps
	g      *guarded
	calls  *uint32 // the word of the wait of the called task, nil if there is none
	stop   uint32
	till   instant // next-margin, as the system wants it
	step   instant // period likewise
}

// stamps are those of one activation.
type stamps struct{ deadline, fired int64 }

const (
	ringSize       = 1 << 15
	shortestPeriod = 10 * time.Microsecond
)

func (l *timerLoop) prepare(o TimerOptions) {
	l.period, l.margin, l.count = int64(o.Period), int64(o.Margin), int64(o.Count)
	l.ring = new([ringSize]stamps)
	for i := range l.ring {
		l.ring[i].deadline = 1 // so that the page is there
	}
}

// begin returns the first deadline.
func (l *timerLoop) begin() int64 {
	l.next = nanotime() + l.period
	l.till.set(l.next - l.margin)
	l.step.set(l.period)
	store64(&l.due, l.next)
	return l.next
}

// advance sets the next deadline, the first one after now. If that leaves out periods it
// does so by steps that double.
//
//go:nosplit
//go:norace
func (l *timerLoop) advance(now int64) {
	l.next += l.period
	l.till.add(l.step)
	for l.next <= now {
		n, step := l.period, l.step
		for l.next+2*n <= now {
			n += n
			step.add(step)
		}
		l.next += n
		l.till.add(step)
	}
	store64(&l.due, l.next)
}
