package conformance

// A Scenario is the contents of one file.
type Scenario struct {
	File       string // where it was read from, for messages
	Name, Doc  string
	Tags       []string
	Config     Config
	End        uint64 // virtual tick at which it ends
	Objects    []Object
	Tasks      []Task
	Interrupts []Interrupt
	Trace      []Event // of the reference; empty if HasTrace is false
	HasTrace   bool
}

// Config holds the kernel options of a scenario.
type Config struct {
	Preemption, TimeSlicing bool
	Timers                  bool   // there is a timer service task
	StartTick               uint32 // tick count at which the scheduler starts
	Cores                   int
}

// A Task is a scripted task.
type Task struct {
	ID       string
	Priority int
	Start    bool // it exists when the scheduler starts
	Core     int  // -1: any
	Script   []Op
}

// An Object is something tasks wait on, or a timer.
type Object struct {
	ID, Kind      string
	Initial, Max  uint32 // binary, counting
	Len           uint32 // queue, queueset
	Members       []int  // queueset: indexes of objects
	Size, Trigger uint32 // stream, batch, message
	Period        uint32 // timer
	AutoReload    bool   // timer
	Callback      []Op   // timer
}

// An Interrupt is a list of operations inside one tick interrupt.
type Interrupt struct {
	At      uint64 // virtual tick
	NoYield bool   // a switch it wants stays owed
	Ops     []Op
}

// Self stands in Op.To for the calling task.
const Self = -1

// An Op is one operation of a script. Which of the fields count depends on Name.
type Op struct {
	Name                    string
	Obj                     int // index of the object
	To                      int // index of the target task, or Self
	Wait                    Limit
	N                       uint32
	Index                   int
	Action                  string
	Value, Bits, Set        uint32
	Entry, Exit, Max        uint32
	Clear, All, Auto, Guard bool
	Data                    string
	Mask                    uint32
}

// A Limit is how long an operation waits at most.
type Limit struct {
	Ticks   uint32
	Forever bool
}

// Kinds returns what the scenario needs of an implementation: the kinds of its
// objects in the order of their first use, "timers" if it needs the timer
// service, and "smp" if it needs more than one core.
func (s *Scenario) Kinds() []string {
	var kinds []string
	seen := map[string]bool{}
	need := func(kind string) {
		if !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	if s.Config.Cores > 1 {
		need("smp")
	}
	if s.Config.Timers {
		need("timers")
	}
	for i := range s.Objects {
		need(s.Objects[i].Kind)
	}
	return kinds
}
