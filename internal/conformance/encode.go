package conformance

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// String returns the event as a trace file has it.
func (e *Event) String() string { return string(e.Append(nil)) }

// Append appends the event as a trace file has it. Two events are equal if and
// only if their texts are.
func (e *Event) Append(b []byte) []byte {
	w := writer{b: append(b, '{')}
	w.key("t").uint(e.T)
	if e.Kind != OpEvent {
		w.key("ev").string(eventNames[e.Kind])
	}
	switch e.Actor {
	case TaskActor:
		w.key("task").string(e.ID)
	case InterruptActor:
		w.key("isr").int(e.ISR)
	case TimerActor:
		w.key("timer").string(e.ID)
	case NoActor:
	}
	w.optional("core", e.Core)
	switch e.Kind {
	case OpEvent, AssertEvent:
		w.key("pc").int(e.PC)
		w.key("op").string(e.Op)
	case SwitchEvent:
		w.key("to").string(e.To)
	case TimerEvent:
		w.key("obj").string(e.Obj)
	case EndEvent:
		w.key("why").string(e.Why)
		if e.Why == whyTicks {
			w.ends(e)
		}
	case DoneEvent:
	}
	if e.Skip {
		w.key("skip").raw("true")
	}
	w.optional("ret", e.Ret)
	w.optional("val", e.Val)
	w.optional("woken", e.Woken)
	if e.Kind == OpEvent || e.Kind == DoneEvent || e.Kind == TimerEvent {
		w.key("prio").list(len(e.Prio), func(i int) {
			if e.Prio[i] == NoTask {
				w.raw("null")
				return
			}
			w.int(int(e.Prio[i]))
		})
	}
	return append(w.b, '}')
}

// writer builds the text of an event.
type writer struct{ b []byte }

func (w *writer) key(k string) *writer {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.string(k)
	w.b = append(w.b, ':')
	return w
}

func (w *writer) raw(s string)  { w.b = append(w.b, s...) }
func (w *writer) uint(v uint64) { w.b = strconv.AppendUint(w.b, v, 10) }
func (w *writer) int(v int)     { w.b = strconv.AppendInt(w.b, int64(v), 10) }

func (w *writer) string(s string) {
	if plain(s) {
		w.b = append(w.b, '"')
		w.b = append(w.b, s...)
		w.b = append(w.b, '"')
		return
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has a text
	w.b = append(w.b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// plain reports whether s needs no escaping, like nearly all.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (w *writer) list(n int, each func(i int)) {
	w.b = append(w.b, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		each(i)
	}
	w.b = append(w.b, ']')
}

func (w *writer) numbers(l []uint32) {
	w.list(len(l), func(i int) { w.uint(uint64(l[i])) })
}

func (w *writer) optional(k string, v Value) {
	if v.Kind != Absent {
		w.key(k).value(v)
	}
}

func (w *writer) value(v Value) {
	switch v.Kind {
	case Absent, Null:
		w.raw("null")
	case Number:
		w.b = strconv.AppendInt(w.b, v.Num, 10)
	case Text:
		w.string(v.Text)
	case Boolean:
		w.raw(strconv.FormatBool(v.Num != 0))
	case Numbers:
		w.numbers(v.List)
	}
}

// ends writes the states at the end.
func (w *writer) ends(e *Event) {
	w.key("tasks").list(len(e.Tasks), func(i int) {
		t := &e.Tasks[i]
		w.raw("{")
		w.key("id").string(t.ID)
		w.key("state").string(t.State)
		if t.Exists {
			w.key("prio").int(t.Prio)
			w.key("base").int(t.Base)
			w.key("pc").int(t.PC)
			w.key("done").raw(strconv.FormatBool(t.Done))
			w.key("mutexes").int(t.Mutexes)
			w.key("nval").numbers(t.Values)
			w.key("nstate").numbers(t.States)
		}
		w.raw("}")
	})
	w.key("objects").list(len(e.Objects), func(i int) {
		o := &e.Objects[i]
		w.raw("{")
		w.key("id").string(o.ID)
		for _, f := range o.Fields {
			w.key(f.Key).value(f.Value)
		}
		w.raw("}")
	})
}
