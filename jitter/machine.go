package jitter

import (
	"runtime/debug"
	"time"
)

// Collector is what the garbage collector did during a run.
type Collector struct {
	Cycles  uint64        `json:"cycles"`
	Pause   time.Duration `json:"pause_ns"`   // in all
	Longest time.Duration `json:"longest_ns"` // of one cycle
}

// machine watches what disturbs a loop and is not the loop's: the collector and page
// faults. It is looked at beside the loop, never in it.
type machine struct {
	gc        debug.GCStats // with the last 256 pauses
	first     debug.GCStats // before the run
	collector Collector

	faults  Faults // of the process, at the last look
	stretch Faults // and between the last two

	wall time.Time     // the last look
	now  time.Duration // the same on the loop's clock
}

func (m *machine) begin() {
	debug.ReadGCStats(&m.first)
	m.gc.NumGC = m.first.NumGC
	m.faults, _ = processFaults()
}

func (m *machine) look(clock func() time.Duration) {
	seen := m.gc.NumGC
	debug.ReadGCStats(&m.gc)
	m.wall, m.now = together(clock)
	for _, pause := range m.gc.Pause[:min(int(m.gc.NumGC-seen), len(m.gc.Pause))] {
		m.collector.Longest = max(m.collector.Longest, pause)
	}
	m.collector.Cycles = uint64(m.gc.NumGC - m.first.NumGC)
	m.collector.Pause = m.gc.PauseTotal - m.first.PauseTotal
	faults, _ := processFaults()
	m.stretch, m.faults = faults.minus(m.faults), faults
}

// annotate adds to a sample what is known of the machine at that time.
func (m *machine) annotate(s *Sample, planned time.Duration) {
	s.At = m.wall.Add(planned - m.now)
	s.Faults = m.stretch.Minor + m.stretch.Major
	began := s.At.Add(s.By)
	for i, end := range m.gc.PauseEnd {
		if end.After(s.At) && end.Add(-m.gc.Pause[i]).Before(began) {
			s.Pause += m.gc.Pause[i]
		}
	}
}

// together reads the clock on the wall and another one at the same time, as nearly as can
// be had: of a few tries the one that was disturbed least.
func together(clock func() time.Duration) (wall time.Time, now time.Duration) {
	const tries = 5
	least := time.Duration(-1)
	for range tries {
		before := clock()
		w := time.Now()
		after := clock()
		if d := after - before; least < 0 || d < least {
			least, wall, now = d, w, before+d/2
		}
	}
	return wall, now
}
