package loans

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/tickwake/rtos"
)

// A program is a set of tasks that take mutexes from each other and disturb each other.
type program struct {
	slicing bool
	gentle  bool // no preemption
	wide    bool // more than 64 slots
	robust  bool
	compat  rtos.Compat
	defers  bool   // tasks give what they hold however they end
	mustEnd bool   // nobody may be left waiting
	kinds   string // of each mutex: 'm' plain, 'r' recursive
	tasks   []script
	lines   []line // interrupts
}

type script struct {
	prio int
	late bool // made by a spawn of somebody, not at the start
	ops  []op
}

type line struct {
	at uint64
	op op
}

// An op is one call. What does not make sense where it stands is skipped.
type op struct {
	kind opKind
	a, n int // mutex or task; ticks or priority
}

type opKind string

const (
	lock      opKind = "lock"
	lockFor   opKind = "lockFor"
	lockCtx   opKind = "lockCtx" // with a context that is done after the ticks
	try       opKind = "try"
	unlock    opKind = "unlock"
	take      opKind = "take" // a semaphore, to have tasks wait elsewhere
	give      opKind = "give"
	delay     opKind = "delay"
	work      opKind = "work"
	suspend   opKind = "suspend"
	resume    opKind = "resume"
	remove    opKind = "delete"
	abort     opKind = "abort"
	setPrio   opKind = "setPrio"
	spawn     opKind = "spawn"
	hold      opKind = "hold" // the scheduler
	letGo     opKind = "letGo"
	nothing   opKind = "nothing"
	topPrio          = 7
	maxTasks         = 8
	maxMutex         = 5
	maxSpawn         = 6
	maxTicks         = 9
	maxBlocks        = 6
)

// often lists the kinds as often as they are to come.
var often = strings.Fields(strings.Repeat("lock ", 8) + strings.Repeat("lockFor ", 4) + strings.Repeat("unlock ", 6) +
	"lockCtx try take give " + strings.Repeat("delay ", 3) + strings.Repeat("work ", 2) +
	"suspend resume resume delete abort setPrio setPrio spawn spawn hold letGo")

var inInterrupts = []string{"setPrio", "abort", "suspend", "resume", "delete", "give", "nothing"}

func drawOp(t *rapid.T, kinds []string, tasks, mutexes int) op {
	o := op{kind: opKind(rapid.SampledFrom(kinds).Draw(t, "op"))}
	switch o.kind {
	case lock, try, unlock:
		o.a = rapid.IntRange(0, mutexes-1).Draw(t, "mutex")
	case lockFor, lockCtx:
		o.a = rapid.IntRange(0, mutexes-1).Draw(t, "mutex")
		o.n = rapid.IntRange(0, maxTicks).Draw(t, "ticks")
	case take, delay, work:
		o.n = rapid.IntRange(0, maxTicks).Draw(t, "ticks")
	case suspend, resume, remove, abort, spawn:
		o.a = rapid.IntRange(0, tasks-1).Draw(t, "task")
	case setPrio:
		o.a = rapid.IntRange(0, tasks-1).Draw(t, "task")
		o.n = rapid.IntRange(1, topPrio).Draw(t, "priority")
	case give, hold, letGo, nothing:
	}
	return o
}

// drawBlock draws one call, or several that make what is rare by chance.
func drawBlock(t *rapid.T, tasks, mutexes int) []op {
	draw := func(kinds ...string) op { return drawOp(t, kinds, tasks, mutexes) }
	switch rapid.SampledFrom([]string{"one", "one", "one", "nest", "nest", "retake", "meddle"}).Draw(t, "block") {
	case "nest": // chains and rings
		x, y := draw("lock"), draw("lock", "lockFor", "lockFor")
		return []op{draw("delay", "nothing"), x, draw("work", "delay"), y, draw("work", "nothing"),
			{kind: unlock, a: y.a}, {kind: unlock, a: x.a}}
	case "retake": // before those that wait
		x := draw("lock")
		return []op{x, draw("work", "delay"), {kind: hold}, {kind: unlock, a: x.a}, draw("nothing", "unlock", "setPrio"),
			x, {kind: letGo}, draw("work", "unlock")}
	case "meddle": // with those that wait
		return []op{draw("lock"), draw("work", "delay"), draw("suspend", "delete", "abort", "setPrio"),
			draw("suspend", "delete", "abort", "setPrio"), draw("work", "nothing"), draw("resume", "unlock")}
	}
	return []op{draw(often...)}
}

func drawProgram(t *rapid.T, interrupts bool) program {
	p := program{
		slicing: rapid.Bool().Draw(t, "slicing"),
		gentle:  rapid.IntRange(0, 9).Draw(t, "gentle") == 9,
		wide:    rapid.IntRange(0, 9).Draw(t, "wide") == 9,
		robust:  rapid.Bool().Draw(t, "robust"),
		compat:  rtos.Compat(rapid.SampledFrom([]int{0, int(rtos.CompatFreeRTOS)}).Draw(t, "compat")),
		defers:  rapid.Bool().Draw(t, "defers"),
		kinds:   rapid.StringOfN(rapid.RuneFrom([]rune("mr")), 1, maxMutex, -1).Draw(t, "mutexes"),
	}
	tasks := rapid.IntRange(2, maxTasks).Draw(t, "tasks")
	for i := range tasks {
		s := script{prio: rapid.IntRange(1, topPrio).Draw(t, "priority")}
		s.late = i > 1 && rapid.IntRange(0, 4).Draw(t, "late") == 4
		for range rapid.IntRange(1, maxBlocks).Draw(t, "blocks") {
			s.ops = append(s.ops, drawBlock(t, tasks, len(p.kinds))...)
		}
		p.tasks = append(p.tasks, s)
	}
	if interrupts {
		for range rapid.IntRange(0, 4).Draw(t, "interrupts") {
			at := rapid.Uint64Range(1, 20).Draw(t, "at")
			p.lines = append(p.lines, line{at, drawOp(t, inInterrupts, tasks, len(p.kinds))})
		}
	}
	return p
}

func (o op) String() string {
	switch o.kind {
	case lock, try, unlock:
		return fmt.Sprintf("%s %s", o.kind, mutexName(o.a))
	case lockFor, lockCtx:
		return fmt.Sprintf("%s %s %d", o.kind, mutexName(o.a), o.n)
	case take, delay, work:
		return fmt.Sprintf("%s %d", o.kind, o.n)
	case suspend, resume, remove, abort, spawn:
		return fmt.Sprintf("%s %s", o.kind, taskName(o.a))
	case setPrio:
		return fmt.Sprintf("%s %s %d", o.kind, taskName(o.a), o.n)
	case give, hold, letGo, nothing:
	}
	return string(o.kind)
}

func (p program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "slicing %t, gentle %t, wide %t, robust %t, compat %#x, defers %t, mutexes %s\n",
		p.slicing, p.gentle, p.wide, p.robust, p.compat, p.defers, p.kinds)
	for i, s := range p.tasks {
		late := ""
		if s.late {
			late = ", late"
		}
		fmt.Fprintf(&b, "%s(%d)%s: %v\n", taskName(i), s.prio, late, s.ops)
	}
	for _, l := range p.lines {
		fmt.Fprintf(&b, "interrupt at %d: %v\n", l.at, l.op)
	}
	return b.String()
}

func taskName(i int) string  { return fmt.Sprintf("T%d", i) }
func mutexName(i int) string { return string(rune('A' + i)) }
