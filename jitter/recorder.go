package jitter

import (
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/thread"
)

// A Recorder keeps what a periodic loop measures, in a memory that does not grow. One
// goroutine writes: it calls Begin, then Record and the other methods that say so, and at
// last End. Anybody reads, at any time, by [Recorder.Result].
//
// The writer fills one of two shards by plain stores. A reader asks for it; at its next
// activation the writer goes on with the other shard, and leaves the first to the reader
// for good. That costs the writer one load of a word for each activation. All that a
// reader then sees has been written before it was handed over, so the race detector has
// nothing to say, and nothing is ever half written.
//
// Record, Missed, Skipped, Coalesced, Lost and Full call nothing, allocate nothing and
// write no pointer. They may be called where the stack must not grow, as in a loop that
// runs on a thread that the Go scheduler has let go. They are wait-free.
type Recorder struct {
	// The writer's.
	index  uint64 // of the last activation
	count  uint64 // of those recorded
	warmup uint64
	limit  uint64
	active uint32 // the shard it writes to
	cause  string // why the run ended early; written before over

	_    [64]byte
	ask  uint32 // 1: a reader wants the active shard. Set by a reader, cleared by the writer
	over uint32 // 1: the writer has ended; then both shards are the readers'
	_    [64]byte

	shards [2]shard

	read reader
}

// NewRecorder makes a recorder. An error says which option is wrong, or why the file to go
// on from cannot be read.
func NewRecorder(o Options) (*Recorder, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Recorder{warmup: o.Warmup, limit: o.Samples}
	if err := r.read.init(o); err != nil {
		return nil, err
	}
	r.shards[0].clear()
	r.shards[1].clear()
	return r, nil
}

// Describe says, for reports, how the loop waits, what it has found for that, and what it
// does with an activation that is late. Before Begin; a [Loop] does it by itself.
func (r *Recorder) Describe(wait, detail, policy string) {
	r.read.mu.Lock()
	defer r.read.mu.Unlock()
	r.read.wait, r.read.detail, r.read.policy = wait, detail, policy
}

// Begin begins the run of a loop in task t, whose kernel has the clock. It answers the
// time at which the run begins: the n-th activation is planned n periods later. It must
// be called by the goroutine that will record. A second Begin is misuse.
func (r *Recorder) Begin(t *rtos.Task) (start time.Duration) {
	// Where the port decides who runs, time is virtual: the machine's says nothing.
	return r.begin(t.Kernel().Now, t.Kernel().Current() != nil)
}

// BeginOn is [Recorder.Begin] for a loop that is no task, with a clock of its own.
func (r *Recorder) BeginOn(clock func() time.Duration) (start time.Duration) {
	return r.begin(clock, false)
}

func (r *Recorder) begin(clock func() time.Duration, virtual bool) time.Duration {
	if !r.read.begun.CompareAndSwap(false, true) {
		panic(&rtos.MisuseError{Op: "Recorder.Begin", Object: r.read.opts.Name, Reason: "it has begun already"})
	}
	return r.read.begin(r, clock, virtual)
}

// Record records one activation: it was planned for one instant and began at another, by
// the same clock. What comes when the recorder is full is not recorded.
//
//go:nosplit
func (r *Recorder) Record(planned, began time.Duration) {
	if atomic.LoadUint32(&r.ask) != 0 {
		r.handOver()
	}
	r.index++
	if r.index <= r.warmup || r.Full() {
		return
	}
	r.count++
	s := &r.shards[r.active&1]
	by := int64(began - planned)
	s.hist.Add(time.Duration(by))
	s.worst.add(late{index: r.index, planned: int64(planned), by: by})
	s.last = int64(began)
}

// handOver leaves the active shard to the reader who asked for it. The reader has emptied
// the other one before it asked.
//
//go:nosplit
func (r *Recorder) handOver() {
	r.active ^= 1
	atomic.StoreUint32(&r.ask, 0)
}

// Missed counts n activations whose time had passed already when it was their turn, and
// which are recorded all the same.
//
//go:nosplit
func (r *Recorder) Missed(n uint64) {
	if r.index >= r.warmup {
		r.shards[r.active&1].missed += n
	}
}

// Skipped counts n activations whose time had passed when it was their turn, and which
// are left out: they are missed, and not recorded.
//
//go:nosplit
func (r *Recorder) Skipped(n uint64) {
	r.index += n
	r.shards[r.active&1].missed += r.counting(n)
}

// Coalesced counts n activations that had no wake of their own, but were found by the
// wake for another one. Before they are recorded.
//
//go:nosplit
func (r *Recorder) Coalesced(n uint64) {
	if r.index >= r.warmup {
		r.shards[r.active&1].coalesced += n
	}
}

// Lost counts n activations of which nothing is known, because there was no room to keep
// their times.
//
//go:nosplit
func (r *Recorder) Lost(n uint64) {
	r.index += n
	r.shards[r.active&1].lost += r.counting(n)
}

// counting is how many of the last n activations come after the warm-up.
//
//go:nosplit
func (r *Recorder) counting(n uint64) uint64 {
	if r.index <= r.warmup {
		return 0
	}
	return min(n, r.index-r.warmup)
}

// Full tells whether all samples that were asked for have been recorded.
//
//go:nosplit
func (r *Recorder) Full() bool { return r.limit != 0 && r.count >= r.limit }

// End ends the run. It waits for the goroutine that takes over, and for the last snapshot;
// the error is that of the file. It must be called by the goroutine that has recorded; a
// loop defers it, so that nothing is lost however it ends. A second End does nothing.
func (r *Recorder) End() error {
	if !r.read.begun.Load() || atomic.LoadUint32(&r.over) != 0 {
		return nil
	}
	r.read.last = r.read.usage(thread.ID())
	if r.cause == "" && !r.Full() && r.limit != 0 {
		r.cause = "the loop has ended early"
	}
	atomic.StoreUint32(&r.over, 1)
	return r.read.end()
}
