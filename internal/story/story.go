// Package story reads and runs scenarios that are written by hand, for tests whose expected
// transcript is kept beside them. A story says what there is and who does what:
//
//	# anything
//	policy chained          a line of options: policy, compat freertos, no preemption,
//	tick0 4294967280        no timeslicing, tick0
//	mutex A                 objects: a kind of conformance scenario, a name, key=value
//	task L 1                tasks: name and priority, and what they do
//	  take A forever
//	  repeat 3
//	    work 20
//	  give A
//	at 10 every 5 until 30  interrupts; "no yield" may follow
//	  notifygive L 0
//	end 80
//
// Operations and their arguments are those of package conformance, in the order of its
// table; a flag is the word itself or "-".
package story

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/conformance"
)

// A Story is a scenario with the words in which it was written.
type Story struct {
	scenario *conformance.Scenario
	change   []func(*rtos.Config)
	lines    map[string][]string // of each task or interrupt, by operation
}

// Read decodes a story; errors name the file and, where one is at fault, the line.
func Read(file, text string) (*Story, error) {
	r := &reader{
		story: &Story{lines: map[string][]string{}},
		out: scenario{
			Name:   strings.Map(nameRune, file),
			Config: map[string]any{"preemption": 1, "timeslicing": 1, "tick0": 0, "timers": 0},
			Tasks:  []any{}, Objects: []any{}, ISRs: []any{},
		},
	}
	if err := r.read(strings.Split(text, "\n")); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, r.at, err)
	}
	data, err := json.Marshal(r.out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if r.story.scenario, err = conformance.Read(file, data); err != nil {
		return nil, err
	}
	return r.story, nil
}

func nameRune(r rune) rune {
	if r == '/' || r == '\\' {
		return '-'
	}
	return r
}

// scenario is the file that package conformance reads.
type scenario struct {
	Name    string         `json:"name"`
	Config  map[string]any `json:"config"`
	Ticks   uint64         `json:"ticks"`
	Objects []any          `json:"objects"`
	Tasks   []any          `json:"tasks"`
	ISRs    []any          `json:"isrs"`
}

type reader struct {
	story *Story
	out   scenario
	lines []line
	at    int // line number, for errors
}

// line is one that is not empty.
type line struct {
	number, indent int
	words          []string
}

func (r *reader) read(text []string) error {
	for i, s := range text {
		s, _, _ = strings.Cut(s, "#")
		if words := strings.Fields(s); len(words) > 0 {
			r.lines = append(r.lines, line{i + 1, len(s) - len(strings.TrimLeft(s, " \t")), words})
		}
	}
	for len(r.lines) > 0 {
		l := r.lines[0]
		r.lines, r.at = r.lines[1:], l.number
		if err := r.top(l); err != nil {
			return err
		}
	}
	return nil
}

// top reads a line that is not indented, and what belongs to it.
func (r *reader) top(l line) error {
	w := l.words
	switch {
	case l.indent > 0:
		return fmt.Errorf("%q belongs to nothing", strings.Join(w, " "))
	case w[0] == "task" && len(w) == 3:
		ops, err := r.ops(l, w[1], false)
		prio, bad := strconv.Atoi(w[2])
		r.out.Tasks = append(r.out.Tasks, map[string]any{"id": w[1], "prio": prio, "start": true, "script": ops})
		return first(err, bad)
	case w[0] == "at":
		return r.interrupt(l)
	case w[0] == "end" && len(w) == 2:
		return r.number(w[1], &r.out.Ticks)
	case conformance.IsKind(w[0]) && len(w) > 1:
		object := map[string]any{"kind": w[0], "id": w[1]}
		for _, arg := range w[2:] {
			key, value, _ := strings.Cut(arg, "=")
			object[key] = json.Number(value)
			if _, err := strconv.ParseUint(value, 10, 32); err != nil {
				return fmt.Errorf("%q: want key=number", arg)
			}
		}
		r.out.Objects = append(r.out.Objects, object)
		return nil
	}
	return r.option(w)
}

func (r *reader) option(w []string) error {
	switch s := strings.Join(w, " "); {
	case s == "no preemption", s == "no timeslicing":
		r.out.Config[w[1]] = 0
	case s == "policy freertos":
		r.change(func(c *rtos.Config) { c.Inheritance = rtos.InheritFreeRTOS })
	case s == "policy chained":
		r.change(func(c *rtos.Config) { c.Inheritance = rtos.InheritChained })
	case w[0] == "tick0" && len(w) == 2:
		r.out.Config["tick0"] = json.Number(w[1])
		var n uint64
		return r.number(w[1], &n)
	case s == "compat freertos":
		r.change(func(c *rtos.Config) { c.Compat = rtos.CompatFreeRTOS })
	default:
		return fmt.Errorf("%q is neither an option, an object, a task, an interrupt nor the end", s)
	}
	return nil
}

func (r *reader) change(f func(*rtos.Config)) { r.story.change = append(r.story.change, f) }

// interrupt reads one that happens once, or every so often.
func (r *reader) interrupt(l line) error {
	w := l.words
	yield := true
	if n := len(w); n > 2 && w[n-2] == "no" && w[n-1] == "yield" {
		w, yield = w[:n-2], false
	}
	var from, every, until uint64
	switch {
	case len(w) == 2:
		if err := r.number(w[1], &from); err != nil {
			return err
		}
		every, until = 1, from
	case len(w) == 6 && w[2] == "every" && w[4] == "until":
		if err := first(r.number(w[1], &from), r.number(w[3], &every), r.number(w[5], &until)); err != nil {
			return err
		}
	default:
		return fmt.Errorf("want: at TICK [every N until TICK] [no yield]")
	}
	if every == 0 || (until-from)/every > 10_000 {
		return fmt.Errorf("too many interrupts")
	}
	rest := r.lines
	for at := from; at <= until; at += every {
		r.lines = rest
		ops, err := r.ops(l, interruptName(len(r.out.ISRs)), true)
		if err != nil {
			return err
		}
		r.out.ISRs = append(r.out.ISRs, map[string]any{"at": at, "yield": yield, "ops": ops})
	}
	return nil
}

func interruptName(index int) string { return fmt.Sprintf("isr %d", index) }

// ops reads the lines that are indented more than l, repeated ones as often as they are
// carried out.
func (r *reader) ops(l line, actor string, isr bool) ([]any, error) {
	ops := []any{}
	for len(r.lines) > 0 && r.lines[0].indent > l.indent {
		op := r.lines[0]
		r.lines, r.at = r.lines[1:], op.number
		if op.words[0] == "repeat" && len(op.words) == 2 {
			var n uint64
			if err := r.number(op.words[1], &n); err != nil || n > 1000 {
				return nil, fmt.Errorf("repeat %s: want a number up to 1000", op.words[1])
			}
			rest := r.lines
			for range n {
				r.lines = rest
				more, err := r.ops(op, actor, isr)
				if err != nil {
					return nil, err
				}
				ops = append(ops, more...)
			}
			continue
		}
		decoded, err := r.op(op.words, isr)
		if err != nil {
			return nil, err
		}
		ops = append(ops, decoded)
		r.story.lines[actor] = append(r.story.lines[actor], strings.Join(op.words, " "))
	}
	return ops, nil
}

// op gives the words of an operation the names of its arguments. What may be left out and is
// missing is left out from the front.
func (r *reader) op(w []string, isr bool) (map[string]any, error) {
	args, known := conformance.Args(w[0], isr)
	if !known {
		return nil, fmt.Errorf("unknown operation %q", w[0])
	}
	op := map[string]any{"op": w[0]}
	words := w[1:]
	missing := len(args) - len(words)
	for _, arg := range args {
		key, optional := strings.CutSuffix(arg, "?")
		if optional && missing > 0 {
			missing--
			continue
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%s: %s is missing", w[0], key)
		}
		op[key] = value(key, words[0])
		words = words[1:]
	}
	if len(words) > 0 {
		return nil, fmt.Errorf("%s: %q is too much", w[0], words[0])
	}
	return op, nil
}

func value(key, word string) any {
	_, err := strconv.ParseUint(word, 10, 32)
	switch {
	case err == nil:
		return json.Number(word)
	case key == "ticks" && word == "forever":
		return "max"
	case word == key:
		return true
	case word == "-":
		return false
	}
	return word
}

func (r *reader) number(word string, n *uint64) (err error) {
	if *n, err = strconv.ParseUint(word, 10, 32); err != nil {
		return fmt.Errorf("%q is no number", word)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
