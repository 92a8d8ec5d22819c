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
	r := q.entered("Queue.Info")
	return QueueInfo{r.name(), r.len(), len(r.cells), r.senders.waiters(), r.receivers.waiters()}
}

// Items copies the items, the first one first; exact only in a simulation. Elsewhere what
// is received while it looks may be missing, and what is sent then may be there.
// Lock-free.
func (q *Queue[T]) Items() []T {
	r := q.entered("Queue.Items")
	var items []T
	p := r.head.Load() &^ lockBit
	for range r.len() {
		c := &r.cells[p&slotMask]
		w := c.Load()
		if (w^p)&(fullBit|lapMask) == fullBit {
			slot := w & slotMask
			r.states.at(slot).users.Add(1)
			if c.Load() == w {
				items = append(items, q.look(slot))
			} else if r.unpin(slot) {
				q.release(slot)
			}
		}
		p = r.next(p)
	}
	return items
}
