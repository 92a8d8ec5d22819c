package jitter

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
)

// A Post is one event that a task is to be woken for.
type Post struct {
	Planned time.Duration // when it was to happen
	Posted  time.Duration // when it was posted
	number  uint64        // those that were lost count
}

// A Ring carries the times of events from an interrupt to the task that it wakes: one entry
// for each post. The task cannot look at the latest event alone: after a stall that would
// be an event of just now, and the others, which waited, would be forgotten. So every event
// gets a lateness, and those that had no wake of their own are counted as coalesced.
//
// One goroutine posts and one drains. A Post synchronizes before the Drain that finds it.
// Both are wait-free.
type Ring struct {
	posts  []Post
	number uint64 // of posts so far; the poster's
	next   uint64 // number expected; the drainer's

	_    [64]byte
	head uint32 // entries posted; written by the poster
	_    [60]byte
	tail uint32 // entries drained; written by the drainer
	_    [60]byte
}

// NewRing makes a ring for length posts that wait to be drained, a power of two. Take it
// long enough for the longest stall: 4,096 are 0.4 s at 100 us. Posts for which there is no
// room are lost, and counted. Another length is misuse.
func NewRing(length int) *Ring {
	if length < 1 || length > 1<<30 || length&(length-1) != 0 {
		panic(&rtos.MisuseError{Op: "jitter.NewRing", Reason: fmt.Sprintf("length %d, want a power of two up to 2^30", length)})
	}
	r := &Ring{posts: make([]Post, length)}
	for i := range r.posts {
		r.posts[i].number = 1 // so that the poster meets no page that is not there
	}
	return r
}

// Post posts an event, before its task is woken; false: the ring was full, and the event
// is lost. It calls nothing and writes no pointer, as [Recorder.Record].
//
//go:nosplit
func (r *Ring) Post(planned, posted time.Duration) bool {
	r.number++
	head := atomic.LoadUint32(&r.head)
	if head-atomic.LoadUint32(&r.tail) >= uint32(len(r.posts)) {
		return false
	}
	r.posts[head&uint32(len(r.posts)-1)] = Post{planned, posted, r.number}
	atomic.StoreUint32(&r.head, head+1)
	return true
}

// Drain records every event that was posted before woke, the time at which the task woke,
// and answers how many those were. Into total goes the time from the plan to the wake, into
// wake that from the post; either may be nil. All but the first have been coalesced. 0 is
// usual now and then: what was posted between an earlier wake and its Drain has been found
// already, though its own wake was still to come.
//
//go:nosplit
func (r *Ring) Drain(woke time.Duration, total, wake *Recorder) (n int) {
	head := atomic.LoadUint32(&r.head)
	tail := atomic.LoadUint32(&r.tail)
	for ; tail != head; tail++ {
		p := r.posts[tail&uint32(len(r.posts)-1)]
		if p.Posted > woke {
			break
		}
		n++
		lost := p.number - r.next - 1
		r.next = p.number
		if total != nil {
			total.drained(p.Planned, woke, lost, n > 1)
		}
		if wake != nil {
			wake.drained(p.Posted, woke, lost, n > 1)
		}
	}
	atomic.StoreUint32(&r.tail, tail)
	return n
}

//go:nosplit
func (r *Recorder) drained(planned, woke time.Duration, lost uint64, coalesced bool) {
	if lost > 0 {
		r.Lost(lost)
	}
	if coalesced {
		r.Coalesced(1)
	}
	r.Record(planned, woke)
}
