package realtime

// A wait is where a thread waits: a word that others change, and the times until which it
// waits, as the system wants them. It must not move.
type wait struct {
	word uint32
	rest instant // until which it sleeps before it looks out
	till instant
}

// What the word of a wait says.
const (
	quiet  uint32 = iota // nothing
	called               // the next wait ends at once
	parked               // a thread sleeps, and must be woken
)

// An instant is the system's timespec: two of its longs.
type instant struct{ sec, nsec int }

const second = 1e9

func (i *instant) set(ns int64) { i.sec, i.nsec = int(ns/second), int(ns%second) }

// add does without a division, which is a call on some machines.
//
//go:nosplit
//go:norace
func (i *instant) add(d instant) {
	i.sec += d.sec
	if i.nsec += d.nsec; i.nsec >= second {
		i.sec, i.nsec = i.sec+1, i.nsec-second
	}
}
