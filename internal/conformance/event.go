package conformance

// Names of the tasks that belong to the kernel.
const (
	idleName  = "idle"
	timerName = "timer"
)

// EventKind tells the events of a trace apart.
type EventKind uint8

// The events.
const (
	OpEvent     EventKind = iota // an operation is complete
	SwitchEvent                  // another task was chosen
	TimerEvent                   // a timer callback begins
	DoneEvent                    // a script is finished
	AssertEvent                  // an assertion failed
	EndEvent                     // the last
)

var eventNames = [...]string{"", "switch", "timer", "done", "assert", "end"}

// ActorKind says whose operation an event tells about.
type ActorKind uint8

// The actors.
const (
	NoActor ActorKind = iota
	TaskActor
	InterruptActor
	TimerActor
)

// An Event is one line of a trace. Which fields count depends on Kind.
type Event struct {
	T        uint64 // virtual time
	Kind     EventKind
	Actor    ActorKind
	ID       string // of the task or timer that acts
	ISR      int    // index of the interrupt that acts
	Core     Value  // of a scenario for several cores
	PC       int
	Op       string
	Skip     bool
	Ret, Val Value
	Woken    Value
	To       string // SwitchEvent
	Obj      string // TimerEvent
	Prio     []int8 // effective priority of every task; NoTask if it does not exist
	Why      string // EndEvent
	Tasks    []TaskEnd
	Objects  []ObjectEnd
}

// NoTask stands in Event.Prio for a task that does not exist.
const NoTask = -1

// TaskEnd is the state of a task at the end. Exists is false for a task that was
// never created or has been deleted, and then only ID and State count.
type TaskEnd struct {
	ID, State      string
	Exists         bool
	Prio, Base, PC int
	Done           bool
	Mutexes        int
	Values         []uint32
	States         []uint32
}

// ObjectEnd is the state of an object at the end.
type ObjectEnd struct {
	ID     string
	Fields []Field
}

// A Field is a key of an ObjectEnd; the keys depend on the kind of the object.
type Field struct {
	Key   string
	Value Value
}

// ValueKind tells the values of an event apart.
type ValueKind uint8

// The kinds of a Value.
const (
	Absent ValueKind = iota
	Null
	Number
	Text
	Boolean
	Numbers
)

// A Value is a return value or another small datum of an event.
type Value struct {
	Kind ValueKind
	Num  int64 // Number; 0 or 1 of a Boolean
	Text string
	List []uint32
}

func number[T ~int | ~int64 | ~uint32 | ~uint64](n T) Value {
	return Value{Kind: Number, Num: int64(n)}
}
func text(s string) Value { return Value{Kind: Text, Text: s} }

func boolean(b bool) Value { return Value{Kind: Boolean, Num: bit(b)} }

// success is the number by which traces tell success.
func success(ok bool) Value { return number(bit(ok)) }

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// name is a text, or null if there is none.
func name(s string) Value {
	if s == "" {
		return Value{Kind: Null}
	}
	return text(s)
}
