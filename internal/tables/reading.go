package tables

import "github.com/tickwake/rtos/jitter"

// reading is how far somebody has read the activations of a timer.
type reading struct {
	next uint64 // the number that should come
	lost uint64 // by the timer until now
}

// gap records what is missing before activation n, when the timer has lost so many in all:
// nothing is known of those, and the timer has left out the others.
func (r *reading) gap(rec *jitter.Recorder, n, lost uint64) {
	if more := lost - r.lost; more > 0 {
		rec.Lost(more)
		r.next, r.lost = r.next+more, lost
	}
	if n > r.next {
		rec.Skipped(n - r.next)
	}
	r.next = n + 1
}
