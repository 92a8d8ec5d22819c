package sim

// A ring is the ready tasks of one priority level: a doubly linked ring with an end
// marker and a cursor. A task is put in just before the cursor, as the last to have
// its turn; advancing skips the marker; removing the element under the cursor moves
// the cursor to the one before it (FORMAT.md section 4 rule 1, in
// internal/conformance).
type ring struct {
	marker simTask
	cursor *simTask
	length int
}

func (r *ring) init() {
	r.marker.next, r.marker.prev = &r.marker, &r.marker
	r.cursor = &r.marker
}

func (r *ring) insert(st *simTask) {
	at := r.cursor
	st.next, st.prev, st.ring = at, at.prev, r
	at.prev.next = st
	at.prev = st
	r.length++
}

func (r *ring) remove(st *simTask) {
	st.prev.next, st.next.prev = st.next, st.prev
	if r.cursor == st {
		r.cursor = st.prev
	}
	st.next, st.prev, st.ring = nil, nil, nil
	r.length--
}

func (r *ring) advance() *simTask {
	if r.cursor = r.cursor.next; r.cursor == &r.marker {
		r.cursor = r.cursor.next
	}
	return r.cursor
}

// first and last are those who would have their turn then, as long as the cursor has not
// moved.
func (r *ring) first() *simTask { return r.marker.next }
func (r *ring) last() *simTask  { return r.marker.prev }
