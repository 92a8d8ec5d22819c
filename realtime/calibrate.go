package realtime

import (
	"slices"
	"time"
)

const (
	calibrations       = 2000
	longestCalibration = 300 * time.Millisecond
	smallestMargin     = 20 * time.Microsecond
	greatestMargin     = 60 * time.Microsecond
	calibratedShare    = 99 // percent of the wakes that the margin covers by half as much again
)

// CalibrateMargin finds the margin for a timer of this period on this core: it lets one
// run without a margin for a third of a second at most, and takes how late it was at 99 %
// of its activations, and half as much again, because machines have better and worse
// moments; but 20 to 60 µs and not more than half the period. Only while the kernel runs.
// Blocking.
func (p *Port) CalibrateMargin(core int, period time.Duration) (time.Duration, error) {
	n := min(calibrations, max(10, int(longestCalibration/max(period, shortestPeriod))))
	tm, err := p.Timer(TimerOptions{Period: period, Count: uint64(n), Core: core})
	if err != nil {
		return 0, err
	}
	<-tm.Done()
	var late []time.Duration
	for a, ok := tm.Read(); ok; a, ok = tm.Read() {
		late = append(late, a.Fired-a.Deadline)
	}
	slices.Sort(late)
	margin := greatestMargin
	if len(late) > 0 {
		margin = late[len(late)*calibratedShare/100] * 3 / 2
	}
	return min(max(margin, smallestMargin), greatestMargin, period/2), nil
}
