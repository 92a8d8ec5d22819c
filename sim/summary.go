package sim

import (
	"fmt"
	"strings"

	"github.com/tickwake/rtos"
)

// A Summary tells how a simulation went, up to now or to its end.
type Summary struct {
	Seed       uint64
	Time       uint64 // virtual time
	Switches   uint64 // to another task, or to idle
	Interrupts uint64
	Idle       uint64        // ticks in which no task had the processor
	Tasks      []TaskSummary // in the order in which they were made, then those that have ended
}

// A TaskSummary tells how a task fared. Tasks that have ended are summed up by name.
type TaskSummary struct {
	Name     string
	Count    int        // tasks that this is the sum of
	State    rtos.State // before what was left was unwound
	Priority int        // effective
	Base     int        // base priority
	Ticks    uint64     // of processor time
	Runs     uint64     // how often it got the processor
	WaitsFor string     // kind and name of what it waits for
	Holder   string     // who holds that
}

// Summary tells how the simulation has gone so far. When the kernel has ended it tells
// how things stood before the tasks that were left were unwound.
func (s *Sim) Summary() Summary {
	if s.ended {
		return s.last
	}
	sum := Summary{
		Seed:       s.opts.Seed,
		Time:       s.time,
		Switches:   s.switches,
		Interrupts: s.interrupts,
		Idle:       s.idle.ticks,
	}
	if s.k == nil {
		return sum
	}
	holders := map[*rtos.Task]string{}
	for _, w := range s.k.Waits() {
		holders[w.Task] = w.HolderName
	}
	for t := range s.k.Tasks() {
		st, i := s.slots[t.Slot()], t.Info()
		sum.Tasks = append(sum.Tasks, TaskSummary{
			Name: i.Name, Count: 1, State: i.State, Priority: i.Priority, Base: i.BasePriority,
			Ticks: st.ticks, Runs: st.runs, WaitsFor: i.WaitsFor, Holder: holders[t],
		})
	}
	for _, e := range s.past.list {
		sum.Tasks = append(sum.Tasks, *e)
	}
	return sum
}

// String is a table.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "virtual time %d, seed %d: %d switches, %d interrupts, idle %s\n",
		s.Time, s.Seed, s.Switches, s.Interrupts, share(s.Idle, s.Time))
	if len(s.Tasks) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "%-16s %-9s %4s %4s %12s %7s %8s  %s\n", "task", "state", "prio", "base", "ticks", "share", "runs", "waits for")
	for _, t := range s.Tasks {
		name := t.Name
		if t.Count > 1 {
			name = fmt.Sprintf("%d x %s", t.Count, name)
		}
		waits := t.WaitsFor
		if t.Holder != "" {
			waits += ", held by " + t.Holder
		}
		line := fmt.Sprintf("%-16s %-9s %4d %4d %12d %7s %8d  %s", name, t.State, t.Priority, t.Base, t.Ticks, share(t.Ticks, s.Time), t.Runs, waits)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func share(ticks, of uint64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(ticks)/float64(of))
}

// past is the tasks that have ended, summed up by name.
type past struct {
	list   []*TaskSummary
	byName map[string]*TaskSummary
}

// Where names are many the later ones share an entry.
const (
	mostNames  = 1000
	otherNames = "(others)"
)

func (p *past) add(st *simTask) {
	name := st.name()
	e := p.byName[name]
	if e == nil {
		if len(p.list) >= mostNames {
			name = otherNames
		}
		if e = p.byName[name]; e == nil {
			if p.byName == nil {
				p.byName = map[string]*TaskSummary{}
			}
			e = &TaskSummary{Name: name, State: rtos.StateDeleted}
			p.byName[name] = e
			p.list = append(p.list, e)
		}
	}
	e.Count++
	e.Ticks += st.ticks
	e.Runs += st.runs
	e.Priority, e.Base = st.t.Priority(), st.t.BasePriority()
}
