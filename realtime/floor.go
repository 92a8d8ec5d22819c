package realtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// FloorOptions configures a measurement of the machine's floor.
type FloorOptions struct {
	_ struct{}

	// Core is the core that is looked at, by the system's number. Default 0.
	Core int
	// Spin is how long the thread spins altogether. Default 400 ms, at most 1 min.
	Spin time.Duration
	// Burst is how long it spins at a time, then it lets others run for as long. Default
	// 20 ms, at most 200 ms: longer, and the system takes the core away from a real-time
	// thread, which would be measured instead.
	Burst time.Duration
	// BestEffort measures with an ordinary thread where the system permits no other.
	BestEffort bool
}

// A Floor is what the machine takes away from a thread that nothing in the system may
// interrupt: a real-time thread of priority 98 that does nothing but read the clock. What
// is longer than a microsecond between two readings went to interrupts, or on a virtual
// machine to others. No task can be more punctual than that; on a virtual machine the
// largest gaps are noise, and so are maxima that are measured there.
type Floor struct {
	Core   int
	Policy Policy        // FIFO, or Other if that was refused
	Spun   time.Duration // altogether
	Gaps   [4]Gaps
	Max    time.Duration // the longest gap
	Lost   time.Duration // in gaps of more than a microsecond
}

// Gaps is the number of gaps that were longer than Over.
type Gaps struct {
	Over time.Duration
	N    uint64
}

// LostShare is the part of the time that was lost, from 0 to 1.
func (f Floor) LostShare() float64 {
	if f.Spun <= 0 {
		return 0
	}
	return float64(f.Lost) / float64(f.Spun)
}

// String is one line, with numbers of gaps per second.
func (f Floor) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "floor of core %d (%v, spun %v): gaps per second", f.Core, f.Policy, f.Spun.Round(time.Millisecond))
	for i, g := range f.Gaps {
		sep := ","
		if i == 0 {
			sep = ""
		}
		rate := 0.0
		if f.Spun > 0 {
			rate = float64(g.N) / f.Spun.Seconds()
		}
		fmt.Fprintf(&b, "%s >%v %.0f", sep, g.Over, rate)
	}
	fmt.Fprintf(&b, "; longest %v; lost %.2f %%", f.Max, 100*f.LostShare())
	return b.String()
}

// gapLimits are those of Floor.Gaps, in nanoseconds.
var gapLimits = [4]int64{1_000, 8_000, 64_000, 131_000}

const (
	usualFloor   = 400 * time.Millisecond
	longestFloor = time.Minute
	usualBurst   = 20 * time.Millisecond
	longestBurst = 200 * time.Millisecond
)

// MeasureFloor measures the floor of one core of the machine; it takes twice the time
// that it spins. It needs permission as a port does, and a machine with two cores, because
// on its core nothing else runs meanwhile. Blocking, until ctx is done at the latest.
func MeasureFloor(ctx context.Context, o FloorOptions) (Floor, error) {
	if o.Spin == 0 {
		o.Spin = usualFloor
	}
	if o.Burst == 0 {
		o.Burst = usualBurst
	}
	f := Floor{Core: o.Core, Policy: FIFO}
	for i := range f.Gaps {
		f.Gaps[i].Over = time.Duration(gapLimits[i])
	}
	switch {
	case !supported:
		return f, fmt.Errorf("realtime: MeasureFloor on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	case runtime.NumCPU() == 1:
		return f, fmt.Errorf("realtime: MeasureFloor on one core: %w", errors.ErrUnsupported)
	case o.Core < 0 || o.Core >= mostCores:
		return f, fmt.Errorf("realtime: FloorOptions.Core is %d, want 0 to %d", o.Core, mostCores-1)
	case o.Spin < 0 || o.Spin > longestFloor:
		return f, fmt.Errorf("realtime: FloorOptions.Spin is %v, want 0 to %v", o.Spin, longestFloor)
	case o.Burst < 0 || o.Burst > longestBurst:
		return f, fmt.Errorf("realtime: FloorOptions.Burst is %v, want 0 to %v", o.Burst, longestBurst)
	}
	granted := spinners.claim([]int{o.Core}, runtime.NumCPU())
	defer spinners.release(granted)
	if len(granted) == 0 {
		return f, fmt.Errorf("realtime: MeasureFloor: tasks spin on all other cores, and one is always left without spinning")
	}
	th := &thread{p: &Port{policy: FIFO}, prio: highestTask, cores: maskOf(o.Core), g: &guarded{uses: closed}}
	done := make(chan error, 1)
	goThread(func() {
		defer th.leave()
		err := th.enter()
		if err != nil && o.BestEffort {
			th.p.policy, f.Policy = Other, Other
			err = th.enter()
		}
		if err != nil {
			done <- fmt.Errorf("realtime: MeasureFloor: %w: %s", err, missing(toSchedule, th.prio, err))
			return
		}
		f.measure(ctx, th, o)
		done <- ctx.Err()
	})
	err := <-done
	return f, err
}

// measure spins in bursts.
func (f *Floor) measure(ctx context.Context, th *thread, o FloorOptions) {
	var l spinLoop
	for f.Spun < o.Spin && ctx.Err() == nil {
		burst := min(o.Burst, o.Spin-f.Spun)
		_ = th.tune() // it is an ordinary thread in between
		begin := nanotime()
		l.run(begin + int64(burst))
		f.Spun += time.Duration(nanotime() - begin)
		select {
		case <-ctx.Done():
		case <-time.After(burst):
		}
	}
	for i := range f.Gaps {
		f.Gaps[i].N = l.gaps[i]
	}
	f.Max, f.Lost = time.Duration(l.longest), time.Duration(l.lost)
}

// spinLoop is what the measuring thread uses.
type spinLoop struct {
	gaps    [4]uint64
	longest int64
	lost    int64
}
