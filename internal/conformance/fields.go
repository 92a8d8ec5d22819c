package conformance

import (
	"fmt"
	"math"
	"strconv"
)

// fields takes the members of a JSON object one by one. The first thing found
// wrong is kept in p and everything after it yields zero values, so that a
// decoder checks once, at its end.
type fields struct {
	d    *decoder
	n    *node
	used []bool
}

// decoder carries what the parts of a scenario need to know of one another.
type decoder struct {
	p       *parser
	err     error
	tasks   map[string]int
	objects map[string]int
	kinds   []string     // of the objects
	member  map[int]bool // objects that belong to a queue set
	sc      *Scenario
}

// fail notes the first error.
func (d *decoder) fail(n *node, format string, args ...any) {
	if d.err == nil {
		d.err = d.p.errorAt(n.offset, n, fmt.Sprintf(format, args...))
	}
}

// object begins an object; the caller takes the keys it knows and calls end.
func (d *decoder) object(n *node) *fields {
	if n.kind != objectNode {
		d.fail(n, "%v where an object is needed", n.kind)
		n = &node{kind: objectNode, parent: n.parent, index: n.index, offset: n.offset}
	}
	return &fields{d: d, n: n, used: make([]bool, len(n.keys))}
}

// list returns the elements of a list of at most limit.
func (d *decoder) list(n *node, limit int) []*node {
	if n == nil {
		return nil
	}
	if n.kind != listNode {
		d.fail(n, "%v where a list is needed", n.kind)
		return nil
	}
	if len(n.elems) > limit {
		d.fail(n, "%d elements, more than %d", len(n.elems), limit)
		return nil
	}
	return n.elems
}

// end reports keys nobody asked for.
func (f *fields) end() {
	for i, used := range f.used {
		if !used {
			f.d.fail(f.n.elems[i], "unknown key")
			return
		}
	}
}

// find returns the value of key or nil.
func (f *fields) find(key string) *node {
	for i, k := range f.n.keys {
		if k == key {
			f.used[i] = true
			return f.n.elems[i]
		}
	}
	return nil
}

// need is find for a key that must be there.
func (f *fields) need(key string) *node {
	n := f.find(key)
	if n == nil {
		f.d.fail(f.n, "no key %q", key)
	}
	return n
}

func (f *fields) has(key string) bool {
	for _, k := range f.n.keys {
		if k == key {
			return true
		}
	}
	return false
}

// uint returns an integer from 0 to limit; 0 if the key is missing.
func (f *fields) uint(key string, limit uint64) uint64 {
	n := f.need(key)
	if n == nil {
		return 0
	}
	return f.d.uint(n, limit)
}

func (f *fields) uint32(key string) uint32 {
	return uint32(f.uint(key, math.MaxUint32))
}

func (d *decoder) uint(n *node, limit uint64) uint64 {
	if n.kind != numberNode {
		d.fail(n, "%v where a number is needed", n.kind)
		return 0
	}
	v, err := strconv.ParseUint(n.text, 10, 64)
	if err != nil {
		d.fail(n, "%s is not an integer from 0 to %d", shorten(n.text), limit)
		return 0
	}
	if v > limit {
		d.fail(n, "%s is more than %d", shorten(n.text), limit)
		return 0
	}
	return v
}

// int returns an integer from low to high.
func (f *fields) int(key string, low, high int) int {
	n := f.need(key)
	if n == nil {
		return low
	}
	if n.kind != numberNode {
		f.d.fail(n, "%v where a number is needed", n.kind)
		return low
	}
	v, err := strconv.Atoi(n.text)
	if err != nil || v < low || v > high {
		f.d.fail(n, "%s is not an integer from %d to %d", shorten(n.text), low, high)
		return low
	}
	return v
}

func (f *fields) bool(key string) bool {
	n := f.need(key)
	if n == nil {
		return false
	}
	if n.kind != boolNode {
		f.d.fail(n, "%v where a boolean is needed", n.kind)
	}
	return n.kind == boolNode && n.text == "true"
}

// flag is bool for a key that is 0 or 1.
func (f *fields) flag(key string) bool { return f.uint(key, 1) == 1 }

func (f *fields) string(key string) string {
	n := f.need(key)
	if n == nil {
		return ""
	}
	return f.d.string(n)
}

func (d *decoder) string(n *node) string {
	if n.kind != stringNode {
		d.fail(n, "%v where a string is needed", n.kind)
		return ""
	}
	return n.text
}

// name returns a string that can serve as a name.
func (f *fields) name(key string) string {
	s := f.string(key)
	if n := f.find(key); n != nil && n.kind == stringNode && (s == "" || len(s) > maxName) {
		f.d.fail(n, "a name has 1 to %d bytes", maxName)
	}
	return s
}

// limit returns a wait limit: a number of ticks or "max".
func (f *fields) limit(key string) Limit {
	n := f.need(key)
	if n == nil {
		return Limit{}
	}
	if n.kind == stringNode {
		if n.text != "max" {
			f.d.fail(n, "%q is neither a number nor \"max\"", shorten(n.text))
		}
		return Limit{Forever: true}
	}
	ticks := f.d.uint(n, math.MaxUint32)
	// The largest tick count is how the reference spells no limit.
	return Limit{Ticks: uint32(ticks), Forever: ticks == math.MaxUint32}
}
