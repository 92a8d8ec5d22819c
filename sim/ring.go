package sim

// A ring is the ready tasks of one priority level: a doubly linked ring with an end
// marker and a cursor. A task is put in just before the cursor, as the last to have
// its turn; advancing skips the marker; removing the element under the cursor moves
// the cursor to the one before it (FORMAT.md section 4 rule 1, in
// internal/conformance).
type ring struct {
	marker node
	cursor *node
	length int
}

type node struct {
	next, prev *node
	ring       *ring    // nil: in none
	task       *simTask // nil: the marker
}

func (r *ring) init() {
	r.marker.next, r.marker.prev = &r.marker, &r.marker
	r.cursor = &r.marker
}

func (r *ring) insert(n *node) {
	at := r.cursor
	n.next, n.prev, n.ring = at, at.prev, r
	at.prev.next = n
	at.prev = n
	r.length++
}

func (n *node) remove() {
	r := n.ring
	n.prev.next, n.next.prev = n.next, n.prev
	if r.cursor == n {
		r.cursor = n.prev
	}
	n.next, n.prev, n.ring = nil, nil, nil
	r.length--
}

func (r *ring) advance() *simTask {
	if r.cursor = r.cursor.next; r.cursor == &r.marker {
		r.cursor = r.cursor.next
	}
	return r.cursor.task
}

// last is the task that is inserted last, as long as the cursor has not moved.
func (r *ring) last() *simTask { return r.marker.prev.task }
