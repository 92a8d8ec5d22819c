package rtos

// QueueInfo is a snapshot of a queue.
type QueueInfo struct {
	Name      string
	Len, Cap  int
	Senders   []*Task // those that wait for room
	Receivers []*Task // those that wait for an item, to receive or to peek
}

// Info is a snapshot; exact only in a simulation. Lock-free.
func (q *Queue[T]) Info() QueueInfo {
	r := q.refuseZero("Queue.Info", nil)
	return QueueInfo{r.name(), r.len(), len(r.cells), r.senders.waiters(), r.receivers.waiters()}
}

// Items copies the items, the first one first; exact only in a simulation. Elsewhere what
// is received while it looks may be missing, and what is sent then may be there.
// Lock-free.
func (q *Queue[T]) Items() []T {
	r := q.refuseZero("Queue.Items", nil)
	var items []T
	p := r.head.Load() &^ lockBit
	for range r.len() {
		c := &r.cells[p&boxMask]
		w := c.Load()
		if w&fullBit != 0 && (r.single() || rel(w, p) == cellFull) && q.hold(c, w) {
			items = append(items, q.look(w&boxMask))
		}
		p = r.next(p)
	}
	return items
}
