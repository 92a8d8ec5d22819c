package story

import (
	"fmt"
	"strings"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/conformance"
)

// Run carries the story out and tells what happened: a line for every operation that
// completed, every switch (an arrow), every change of an effective priority, and how the
// tasks stood at the end.
func (s *Story) Run() (string, error) {
	t := transcript{story: s}
	for _, task := range s.scenario.Tasks {
		t.prio = append(t.prio, int8(task.Priority))
	}
	result, err := conformance.RunWith(s.scenario, conformance.Options{
		Config: func(c *rtos.Config) {
			c.Compat = 0
			for _, f := range s.change {
				f(c)
			}
		},
		Watch: func(e *conformance.Event, prio []int8) {
			t.event(e)
			t.changes(e, prio)
		},
	})
	if err != nil {
		return "", err
	}
	t.event(&result.Trace[len(result.Trace)-1])
	if result.Assertion != nil {
		fmt.Fprintf(&t.b, "%6s  %v\n", "", result.Assertion)
	}
	return t.b.String(), nil
}

type transcript struct {
	story *Story
	b     strings.Builder
	prio  []int8
}

func (t *transcript) event(e *conformance.Event) {
	switch e.Kind {
	case conformance.SwitchEvent:
		t.line(e, "-> %s", e.To)
	case conformance.OpEvent:
		t.line(e, "%s: %s%s", t.actor(e), t.op(e), outcome(e))
	case conformance.DoneEvent:
		t.line(e, "%s: done", e.ID)
	case conformance.AssertEvent:
		t.line(e, "%s: %s: misuse", t.actor(e), t.op(e))
	case conformance.EndEvent:
		t.end(e)
	case conformance.TimerEvent:
		t.line(e, "%s expires", e.Obj)
	}
}

// changes tells whose priority is not what it was.
func (t *transcript) changes(e *conformance.Event, prio []int8) {
	for i, p := range prio {
		if p != t.prio[i] && p != conformance.NoTask {
			t.line(e, "   %s has priority %d", t.story.scenario.Tasks[i].ID, p)
			t.prio[i] = p
		}
	}
}

func (t *transcript) line(e *conformance.Event, format string, a ...any) {
	fmt.Fprintf(&t.b, "%6d  %s\n", e.T, fmt.Sprintf(format, a...))
}

func (t *transcript) actor(e *conformance.Event) string {
	if e.Actor == conformance.InterruptActor {
		return "interrupt"
	}
	return e.ID
}

func (t *transcript) op(e *conformance.Event) string {
	actor := e.ID
	if e.Actor == conformance.InterruptActor {
		actor = interruptName(e.ISR)
	}
	if lines := t.story.lines[actor]; e.PC < len(lines) {
		return lines[e.PC]
	}
	return e.Op
}

func outcome(e *conformance.Event) string {
	var b strings.Builder
	for _, v := range []conformance.Value{e.Ret, e.Val} {
		switch v.Kind {
		case conformance.Number, conformance.Boolean:
			fmt.Fprintf(&b, " = %d", v.Num)
		case conformance.Text:
			fmt.Fprintf(&b, " = %s", v.Text)
		case conformance.Null:
			b.WriteString(" = nobody")
		case conformance.Absent, conformance.Numbers:
		}
	}
	if e.Skip {
		b.WriteString(" (skipped)")
	}
	return b.String()
}

func (t *transcript) end(e *conformance.Event) {
	for i := range e.Tasks {
		task := &e.Tasks[i]
		if !task.Exists {
			t.line(e, "%s %s", task.ID, task.State)
			continue
		}
		how := "at " + fmt.Sprint(task.PC)
		if lines := t.story.lines[task.ID]; task.PC < len(lines) {
			how = "in " + lines[task.PC]
		}
		if task.Done {
			how = "done"
		}
		t.line(e, "%s %s, %s, e%d/b%d", task.ID, task.State, how, task.Prio, task.Base)
	}
}
