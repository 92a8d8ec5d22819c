package sim

import "math/bits"

// levels is the ready tasks: a ring for each priority, and a bit for each ring that is
// not empty.
type levels struct {
	rings []ring
	used  []uint64
}

func (l *levels) init(priorities int) {
	l.rings = make([]ring, priorities)
	for i := range l.rings {
		l.rings[i].init()
	}
	l.used = make([]uint64, (priorities+63)/64)
}

// insert puts st in as the last of its level.
func (l *levels) insert(st *simTask) {
	l.rings[st.prio].insert(st)
	l.used[st.prio>>6] |= 1 << (st.prio & 63)
}

// remove takes st out, if it is in.
func (l *levels) remove(st *simTask) {
	r := st.ring
	if r == nil {
		return
	}
	if r.remove(st); r.length == 0 {
		l.used[st.prio>>6] &^= 1 << (st.prio & 63)
	}
}

// top is the highest level with a task. There is one: idle is always ready.
func (l *levels) top() *ring {
	for w := len(l.used) - 1; ; w-- {
		if set := l.used[w]; set != 0 {
			return &l.rings[w<<6+bits.Len64(set)-1]
		}
	}
}
