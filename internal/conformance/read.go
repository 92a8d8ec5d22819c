package conformance

import (
	"math"
	"strings"
)

const (
	topPriority = 7 // of the tasks of a scenario
	slots       = 3 // notification slots of a task
)

// Read decodes a scenario. The file name is used in messages only. Every error
// is a *ReadError.
func Read(file string, data []byte) (*Scenario, error) {
	p := &parser{file: file, data: data}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	d := &decoder{p: p, sc: &Scenario{File: file}}
	d.scenario(root)
	if d.err != nil {
		return nil, d.err
	}
	return d.sc, nil
}

func (d *decoder) scenario(root *node) {
	s, f := d.sc, d.object(root)
	s.Name = f.name("name")
	if f.has("doc") {
		s.Doc = f.string("doc")
	}
	for _, n := range d.list(f.find("tags"), maxScript) {
		s.Tags = append(s.Tags, d.string(n))
	}
	if n := f.need("config"); n != nil {
		s.Config = d.config(n)
	}
	s.End = f.uint("ticks", maxEnd)
	objects := d.list(f.find("objects"), maxObjects)
	tasks := d.list(f.need("tasks"), maxTasks)
	isrs := d.list(f.find("isrs"), maxISRs)
	trace := f.find("trace")
	f.end()
	d.ids(objects, tasks)
	for _, n := range objects {
		if d.err != nil {
			return
		}
		s.Objects = append(s.Objects, d.objectDef(n))
	}
	for _, n := range tasks {
		if d.err != nil {
			return
		}
		s.Tasks = append(s.Tasks, d.task(n))
	}
	for _, n := range isrs {
		if d.err != nil {
			return
		}
		s.Interrupts = append(s.Interrupts, d.interrupt(n))
	}
	if trace != nil && d.err == nil {
		s.HasTrace = true
		s.Trace = d.trace(trace)
	}
}

func (d *decoder) config(n *node) Config {
	f := d.object(n)
	c := Config{
		Preemption:  f.flag("preemption"),
		TimeSlicing: f.flag("timeslicing"),
		Timers:      f.flag("timers"),
		StartTick:   f.uint32("tick0"),
		Cores:       1,
	}
	if f.has("cores") {
		c.Cores = f.int("cores", 1, 2)
	}
	f.end()
	return c
}

// ids collects the names of objects and tasks, which operations refer to.
func (d *decoder) ids(objects, tasks []*node) {
	d.objects, d.tasks, d.member = map[string]int{}, map[string]int{}, map[int]bool{}
	for i, n := range objects {
		f := d.object(n)
		id, kind := f.name("id"), f.string("kind")
		if _, known := kindArgs[kind]; !known {
			d.fail(n, "unknown kind %q", shorten(kind))
		}
		if _, twice := d.objects[id]; twice {
			d.fail(n, "a second object %q", shorten(id))
		}
		d.objects[id] = i
		d.kinds = append(d.kinds, kind)
		if d.err != nil {
			return
		}
	}
	for i, n := range tasks {
		id := d.object(n).name("id")
		if _, twice := d.tasks[id]; twice {
			d.fail(n, "a second task %q", shorten(id))
		}
		if id == idleName || id == timerName {
			d.fail(n, "the name %q is taken by the kernel", id)
		}
		d.tasks[id] = i
		if d.err != nil {
			return
		}
	}
}

func (d *decoder) objectDef(n *node) Object {
	f := d.object(n)
	o := Object{ID: f.name("id"), Kind: f.string("kind")}
	for arg := range strings.FieldsSeq(kindArgs[o.Kind]) {
		switch arg {
		case "max":
			o.Max = uint32(f.int(arg, 1, math.MaxInt32))
		case "initial":
			most := uint64(1)
			if o.Kind == "counting" {
				most = uint64(o.Max)
			}
			o.Initial = uint32(f.uint(arg, most))
		case "len":
			o.Len = uint32(f.int(arg, 1, maxLen))
		case "size":
			o.Size = uint32(f.int(arg, 1, maxLen))
		case "trigger":
			o.Trigger = uint32(f.uint(arg, uint64(o.Size)))
		case "period":
			o.Period = uint32(f.int(arg, 1, math.MaxInt32))
		case "auto":
			o.AutoReload = f.bool(arg)
		case "members":
			o.Members = d.members(f.need(arg))
		case "do":
			o.Callback = d.ops(f.need(arg), false)
		}
	}
	f.end()
	return o
}

// members reads the names of what belongs to a queue set.
func (d *decoder) members(n *node) []int {
	var members []int
	for _, e := range d.list(n, maxObjects) {
		i, known := d.objects[d.string(e)]
		if !known || !listed("queue binary counting", d.kinds[i]) {
			d.fail(e, "%q cannot be a member", shorten(e.text))
			return nil
		}
		if d.member[i] {
			d.fail(e, "%q is a member already", shorten(e.text))
			return nil
		}
		d.member[i] = true
		members = append(members, i)
	}
	return members
}

func (d *decoder) task(n *node) Task {
	f := d.object(n)
	t := Task{ID: f.name("id"), Priority: f.int("prio", 1, topPriority), Start: f.bool("start"), Core: -1}
	if f.has("core") {
		t.Core = f.int("core", -1, d.sc.Config.Cores-1)
	}
	t.Script = d.ops(f.need("script"), false)
	f.end()
	return t
}

func (d *decoder) interrupt(n *node) Interrupt {
	f := d.object(n)
	i := Interrupt{At: f.uint("at", math.MaxUint32), Ops: d.ops(f.need("ops"), true)}
	if f.has("yield") {
		i.NoYield = !f.bool("yield")
	}
	f.end()
	return i
}
