package sim

import (
	"math"
	"time"
)

// pacer ties virtual time to the wall clock. Deadlines are absolute, counted from the
// beginning of a drive, so that lateness does not add up.
type pacer struct {
	tick  float64   // wall-clock nanoseconds of a tick; 0: no pace
	wall  time.Time // the instant
	from  uint64    // of this virtual time
	timer *time.Timer
}

// anchor begins to count.
func (p *pacer) anchor(now uint64) { p.wall, p.from = time.Now(), now }

// until is the wall-clock time left until a virtual time.
func (p *pacer) until(tick uint64) time.Duration {
	d := float64(tick-p.from)*p.tick - float64(time.Since(p.wall))
	return time.Duration(min(d, math.MaxInt64/2))
}

// now is the virtual time by the wall clock.
func (p *pacer) now() uint64 {
	return later(p.from, uint64(float64(time.Since(p.wall))/p.tick))
}

// sleepTo waits for the wall-clock time of a tick before which nothing happens. If it is
// called before, virtual time goes on to the present, and the answer is false.
func (s *Sim) sleepTo(tick uint64) bool {
	d := s.pace.until(tick)
	if d <= 0 {
		return true
	}
	if s.pace.timer == nil {
		s.pace.timer = time.NewTimer(d)
	} else {
		s.pace.timer.Reset(d)
	}
	if s.sleep(s.pace.timer.C) {
		return true
	}
	s.pace.timer.Stop()
	s.catchClock(tick - 1)
	return false
}

// catchClock lets virtual time go on to what the wall clock says, up to a tick before
// which nothing happens.
func (s *Sim) catchClock(most uint64) {
	if now := min(s.pace.now(), most); now > s.time {
		s.skip(now - s.time)
	}
}
