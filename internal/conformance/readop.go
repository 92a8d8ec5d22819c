package conformance

import (
	"math"
	"strings"
)

// ops reads the operations of a script, a callback or an interrupt.
func (d *decoder) ops(n *node, isr bool) []Op {
	var ops []Op
	for _, e := range d.list(n, maxScript) {
		if d.err != nil {
			return nil
		}
		ops = append(ops, d.op(e, isr))
	}
	return ops
}

func (d *decoder) op(n *node, isr bool) Op {
	f := d.object(n)
	o := Op{Name: f.string("op"), Obj: -1, To: Self}
	spec, known := opSpecs[o.Name]
	if !known {
		d.fail(n, "unknown op %q", shorten(o.Name))
		return o
	}
	args, kinds := spec.args, spec.kinds
	if isr {
		args, kinds = spec.isr, spec.interruptKinds(o.Name)
		if args == "-" {
			d.fail(n, "%s cannot be called in an interrupt", o.Name)
		}
	}
	for arg := range strings.FieldsSeq(args) {
		key, optional := strings.CutSuffix(arg, "?")
		if !optional || f.has(key) {
			d.arg(&o, f, key, kinds)
		}
	}
	if o.Guard && d.err == nil && !listed(mutexes, d.kinds[o.Obj]) {
		d.fail(n, "guard on a %s, which nobody holds", d.kinds[o.Obj])
	}
	f.end()
	return o
}

// arg reads one argument of an operation.
func (d *decoder) arg(o *Op, f *fields, key, kinds string) {
	switch key {
	case "obj":
		o.Obj = d.objectRef(f.need(key), o.Name, kinds)
	case "to":
		o.To = d.taskRef(f.need(key))
	case "ticks":
		o.Wait = f.limit(key)
	case "n":
		o.N = d.number(f, o.Name)
	case "index":
		o.Index = f.int(key, 0, slots-1)
	case "action":
		o.Action = f.string(key)
		if !listed(notifyActions, o.Action) {
			d.fail(f.n, "unknown action %q", shorten(o.Action))
		}
	case "value":
		o.Value = f.uint32(key)
	case "bits":
		o.Bits = f.uint32(key)
	case "set":
		o.Set = f.uint32(key)
	case "entry":
		o.Entry = f.uint32(key)
	case "exit":
		o.Exit = f.uint32(key)
	case "max":
		o.Max = uint32(f.uint(key, maxLen))
	case "mask":
		o.Mask = f.uint32(key)
	case "clear":
		o.Clear = f.bool(key)
	case "all":
		o.All = f.bool(key)
	case "auto":
		o.Auto = f.bool(key)
	case "guard":
		o.Guard = f.bool(key)
	case "data":
		o.Data = f.string(key)
	}
}

// number reads n, whose range depends on the operation.
func (d *decoder) number(f *fields, op string) uint32 {
	low, high := uint64(0), uint64(math.MaxUint32)
	switch op {
	case "prioset":
		low, high = 1, topPriority
	case "delayuntil", "tperiod":
		low = 1
	case "catchup":
		high = maxCatchUp
	}
	v := f.uint("n", high)
	if v < low {
		d.fail(f.n, "n is less than %d", low)
	}
	return uint32(v)
}

func (d *decoder) objectRef(n *node, op, kinds string) int {
	if n == nil {
		return 0
	}
	i, known := d.objects[d.string(n)]
	if !known {
		d.fail(n, "unknown object %q", shorten(n.text))
		return 0
	}
	if !listed(kinds, d.kinds[i]) {
		d.fail(n, "%s of a %s", op, d.kinds[i])
	}
	return i
}

func (d *decoder) taskRef(n *node) int {
	if n == nil {
		return Self
	}
	i, known := d.tasks[d.string(n)]
	if !known {
		d.fail(n, "unknown task %q", shorten(n.text))
		return Self
	}
	return i
}
