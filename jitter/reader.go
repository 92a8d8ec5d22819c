package jitter

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos/internal/thread"
)

// reader is the readers' side of a [Recorder]: what was handed over so far, and what the
// machine did meanwhile. The lock is among readers; the writer takes it only to begin and
// to end.
type reader struct {
	opts    Options
	earlier *Result     // of the file that the run goes on from
	begun   atomic.Bool // Begin was called
	last    usage       // at the end; written by the writer before over

	mu      sync.Mutex
	wait    string // how the loop waits
	detail  string
	policy  string
	ours    int  // the shard that is handed over next
	asked   bool // and has been asked for
	over    bool // the writer has ended, and all is taken
	started bool // what follows is set
	virtual bool
	start   time.Duration // on the loop's clock
	clock   func() time.Duration
	thread  int
	first   usage
	machine machine
	res     *Result // of this run; what can be read off at any time is not in it
	saved   error   // of the last snapshot

	stop      chan struct{} // closed at the end
	collected chan struct{} // closed when the goroutine has ended
}

func (d *reader) init(o Options) error {
	d.opts = o
	if !o.Resume {
		return nil
	}
	earlier, err := ReadFile(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("jitter: going on from an earlier run: %w", err)
	}
	if earlier.Running {
		earlier.Running, earlier.Interrupted = false, "the program ended in the middle of a run"
	}
	d.earlier = earlier
	return nil
}

// begin is called by the writer.
func (d *reader) begin(r *Recorder, clock func() time.Duration, virtual bool) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.res = newResult(d.opts)
	d.res.Wait, d.res.WaitDetail, d.res.Policy = d.wait, d.detail, d.policy
	d.virtual, d.clock, d.thread = virtual, clock, thread.ID()
	if virtual {
		d.res.Setup.assume("simulation", "virtual", "the simulation's", "none needed")
	} else {
		d.res.Began = time.Now()
		d.machine.begin()
	}
	d.first = d.usage(d.thread)
	if d.opts.File != "" || !virtual {
		d.stop, d.collected = make(chan struct{}), make(chan struct{})
		go d.collect(r)
	}
	d.started = true
	d.start = clock()
	return d.start
}

// end is called by the writer, after over.
func (d *reader) end() error {
	if d.stop == nil {
		return nil
	}
	close(d.stop)
	<-d.collected
	return d.saved
}

// collect takes over now and then, and writes snapshots.
func (d *reader) collect(r *Recorder) {
	defer close(d.collected)
	ticker := time.NewTicker(d.opts.TakeOver)
	defer ticker.Stop()
	due := time.Now().Add(d.opts.Every)
	for running := true; running; {
		select {
		case <-d.stop:
			running = false
		case <-ticker.C:
		}
		d.mu.Lock()
		d.take(r)
		if now := time.Now(); d.opts.File != "" && (!running || !now.Before(due)) {
			for ; !now.Before(due); due = due.Add(d.opts.Every) {
			}
			d.saved = d.save(r)
		}
		d.mu.Unlock()
	}
}

// take takes over what the writer has recorded. A writer that waits for its next
// activation answers then; a reader does not wait longer than patience for that, and the
// shard comes with a later take.
func (d *reader) take(r *Recorder) {
	const longest = time.Second
	patience := min(2*d.opts.Period+10*time.Millisecond, longest)
	if d.asked && atomic.LoadUint32(&r.ask) == 0 { // an earlier take did not wait for it
		d.look()
		d.receive(r)
	}
	if !d.asked {
		d.asked = true
		atomic.StoreUint32(&r.ask, 1)
	}
	begun := time.Now()
	for atomic.LoadUint32(&r.over) == 0 && atomic.LoadUint32(&r.ask) != 0 && time.Since(begun) < patience {
		time.Sleep(50 * time.Microsecond)
	}
	// When the writer has ended, both shards are ours, whatever it has answered.
	d.over = atomic.LoadUint32(&r.over) != 0
	d.look()
	d.receive(r)
	if d.over {
		d.drain(&r.shards[0])
		d.drain(&r.shards[1])
	}
}

// receive takes the shard, which has been asked for, if the writer has left it.
func (d *reader) receive(r *Recorder) {
	if atomic.LoadUint32(&r.ask) != 0 {
		return
	}
	d.asked = false
	d.drain(&r.shards[d.ours])
	d.ours ^= 1
}

// look looks at the machine, as it was while the shards were filled.
func (d *reader) look() {
	if !d.virtual {
		d.machine.look(d.clock)
	}
}

// drain adds what is in s to the result, and empties it.
func (d *reader) drain(s *shard) {
	res := d.res
	if time.Duration(s.last)-d.start > res.Elapsed {
		res.Elapsed = time.Duration(s.last) - d.start
	}
	if s.empty() {
		return
	}
	res.Lateness.Merge(&s.hist)
	res.Missed += s.missed
	res.Coalesced += s.coalesced
	res.Lost += s.lost
	for _, l := range s.worst.all() {
		sample := Sample{Index: l.index, Planned: time.Duration(l.planned) - d.start, By: time.Duration(l.by)}
		if !d.virtual {
			d.machine.annotate(&sample, time.Duration(l.planned))
		}
		res.Worst = append(res.Worst, sample)
	}
	res.keepWorst()
	s.clear()
}

// usage is what the process and the thread have used so far, and the loads have done.
func (d *reader) usage(id int) (u usage) {
	if !d.virtual {
		u = useOf(id, d.opts.OwnThread)
	}
	for _, l := range d.opts.Loads {
		u.loads = append(u.loads, l.Ops())
	}
	return u
}

// result is what has been recorded so far, by this run and those before it. If they do not
// go together it is that of this run alone, and the error says why.
func (d *reader) result(r *Recorder) (*Result, error) {
	if !d.started {
		return newResult(d.opts), nil
	}
	res := d.res.clone()
	var now usage
	if d.over {
		now, res.Interrupted = d.last, r.cause
	} else {
		now, res.Running = d.usage(d.thread), true
	}
	elapsed := res.Elapsed
	if !d.virtual {
		res.CPU = now.since(d.first)
		res.Collector = d.machine.collector
		res.Faults = now.faults.minus(d.first.faults)
		if now.ownOK && d.first.ownOK {
			own := now.own.minus(d.first.own)
			res.ThreadFaults = &own
		}
		elapsed = res.CPU.Wall
	}
	for i, l := range d.opts.Loads {
		ops := now.loads[i] - d.first.loads[i]
		res.Loads = append(res.Loads, LoadResult{l.Name(), ops, elapsed})
	}
	if d.earlier == nil {
		return res, nil
	}
	return res, res.Merge(d.earlier)
}

func (d *reader) save(r *Recorder) error {
	res, err := d.result(r)
	if err != nil {
		return err // and the earlier file stays
	}
	return res.WriteFile(d.opts.File)
}

// Result is what has been recorded so far. Anybody may ask, at any time and as often as he
// likes. While the loop runs it is asked for what is not taken over yet, which it hands
// over at its next activation; that takes a period, and if it takes more than a second the
// answer is what there was before. Blocking.
func (r *Recorder) Result() *Result {
	d := &r.read
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.started {
		d.take(r)
	}
	res, _ := d.result(r)
	return res
}
