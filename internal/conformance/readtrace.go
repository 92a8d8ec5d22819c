package conformance

import (
	"math"
	"strconv"
	"strings"
)

const (
	maxEvents = 1 << 16 // events of one trace

	whyTicks  = "ticks"
	whyAssert = "assert"

	// The keys of an object at the end, in the order in which they are written.
	endKeys = "holder count items bits bytes spaces next active period auto expiry"
)

// trace reads the events the reference recorded.
func (d *decoder) trace(n *node) []Event {
	var events []Event
	for _, e := range d.list(n, maxEvents) {
		if d.err != nil {
			return nil
		}
		events = append(events, d.event(e))
	}
	return events
}

func (d *decoder) event(n *node) Event {
	f := d.object(n)
	e := Event{T: f.uint("t", math.MaxUint32)}
	if ev := f.find("ev"); ev != nil {
		for i, name := range eventNames {
			if i > 0 && ev.kind == stringNode && ev.text == name {
				e.Kind = EventKind(i)
			}
		}
		if e.Kind == OpEvent {
			d.fail(ev, "unknown event %q", shorten(ev.text))
		}
	}
	switch {
	case f.has("task"):
		e.Actor, e.ID = TaskActor, f.string("task")
	case f.has("timer"):
		e.Actor, e.ID = TimerActor, f.string("timer")
	case f.has("isr"):
		e.Actor, e.ISR = InterruptActor, f.int("isr", 0, maxISRs)
	}
	e.Core = d.value(f.find("core"))
	switch e.Kind {
	case OpEvent, AssertEvent:
		e.PC, e.Op = f.int("pc", 0, maxScript), f.string("op")
	case SwitchEvent:
		e.To = f.string("to")
	case TimerEvent:
		e.Obj = f.string("obj")
	case EndEvent:
		d.endEvent(&e, f)
	case DoneEvent:
	}
	if e.Kind == OpEvent {
		e.Skip = f.has("skip") && f.bool("skip")
		e.Ret, e.Val, e.Woken = d.value(f.find("ret")), d.value(f.find("val")), d.value(f.find("woken"))
	}
	if e.Kind == OpEvent || e.Kind == DoneEvent || e.Kind == TimerEvent {
		for _, p := range d.list(f.need("prio"), maxTasks) {
			prio := int8(NoTask)
			if p.kind != nullNode {
				prio = int8(d.uint(p, topPriority))
			}
			e.Prio = append(e.Prio, prio)
		}
	}
	f.end()
	return e
}

func (d *decoder) endEvent(e *Event, f *fields) {
	e.Why = f.string("why")
	if e.Why != whyTicks {
		return
	}
	for _, n := range d.list(f.need("tasks"), maxTasks) {
		e.Tasks = append(e.Tasks, d.taskEnd(n))
	}
	for _, n := range d.list(f.need("objects"), maxObjects) {
		o := d.object(n)
		end := ObjectEnd{ID: o.string("id")}
		for key := range strings.FieldsSeq(endKeys) {
			if v := o.find(key); v != nil {
				end.Fields = append(end.Fields, Field{key, d.value(v)})
			}
		}
		o.end()
		e.Objects = append(e.Objects, end)
	}
}

func (d *decoder) taskEnd(n *node) TaskEnd {
	f := d.object(n)
	t := TaskEnd{ID: f.string("id"), State: f.string("state"), Exists: f.has("prio")}
	if t.Exists {
		t.Prio = f.int("prio", 0, topPriority)
		t.Base = f.int("base", 0, topPriority)
		t.PC = f.int("pc", 0, maxScript)
		t.Done = f.bool("done")
		t.Mutexes = f.int("mutexes", 0, math.MaxInt32)
		t.Values = d.numbers(f.need("nval"))
		t.States = d.numbers(f.need("nstate"))
	}
	f.end()
	return t
}

func (d *decoder) numbers(n *node) []uint32 {
	var list []uint32
	for _, e := range d.list(n, maxLen) {
		list = append(list, uint32(d.uint(e, math.MaxUint32)))
	}
	return list
}

// value reads a value of any of the kinds an event may have.
func (d *decoder) value(n *node) Value {
	if n == nil {
		return Value{}
	}
	switch n.kind {
	case nullNode:
		return Value{Kind: Null}
	case boolNode:
		return boolean(n.text == "true")
	case stringNode:
		return text(n.text)
	case listNode:
		return Value{Kind: Numbers, List: d.numbers(n)}
	case numberNode:
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return number(v)
		}
	case objectNode:
	}
	d.fail(n, "not a value of an event")
	return Value{}
}
