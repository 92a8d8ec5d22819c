package jitter

import (
	"math"
	"time"

	"github.com/tickwake/rtos/internal/thread"
)

// Faults is a number of page faults: those that needed no input (Minor) and those that
// did.
type Faults struct {
	Minor uint64 `json:"minor"`
	Major uint64 `json:"major"`
}

func (f Faults) minus(o Faults) Faults { return Faults{f.Minor - o.Minor, f.Major - o.Major} }
func (f Faults) plus(o Faults) Faults  { return Faults{f.Minor + o.Minor, f.Major + o.Major} }

// CPU is the processor time of a run. It belongs beside every figure of a loop that
// spins.
type CPU struct {
	// Of tells whose time it is: "thread" (that of the loop) or "process" (loads inside it
	// and all else included); "" if it is not known, as in virtual time.
	Of   string        `json:"of,omitempty"`
	Used time.Duration `json:"used_ns"`
	Wall time.Duration `json:"wall_ns"`
}

// Share is Used over Wall, 1 for one processor all the time; NaN if it is not known.
func (c CPU) Share() float64 {
	if c.Of == "" || c.Wall <= 0 {
		return math.NaN()
	}
	return float64(c.Used) / float64(c.Wall)
}

// usage is what was used up to an instant.
type usage struct {
	wall   time.Time
	cpu    time.Duration
	of     string // whose, "" not known
	faults Faults // of the process
	own    Faults // of the thread
	ownOK  bool
	loads  []uint64 // operations of each load
}

// useOf reads the usage; the thread's own faults only for the thread that calls.
func useOf(id int, ownThread bool) usage {
	u := usage{wall: time.Now()}
	u.faults, _ = processFaults()
	if ownThread {
		if id != 0 && id == thread.ID() {
			u.own, u.ownOK = threadFaults()
		}
		if cpu, ok := thread.CPUTime(id); ok {
			u.cpu, u.of = cpu, "thread"
			return u
		}
	}
	if cpu, ok := processTime(); ok {
		u.cpu, u.of = cpu, "process"
	}
	return u
}

// since is what was used between from and u.
func (u usage) since(from usage) CPU {
	c := CPU{Wall: u.wall.Sub(from.wall)}
	if u.of == from.of {
		c.Of, c.Used = u.of, u.cpu-from.cpu
	}
	return c
}
