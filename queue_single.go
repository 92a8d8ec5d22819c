package rtos

// A ring of one cell needs neither head nor tail: the cell says all. So a mailbox is sent
// to and received from by one swap each, its front is its end, and its item can be
// replaced.

func (r *ring) single() bool { return len(r.cells) == 1 }

// put is push.
func (r *ring) put(box *uint64) bool {
	c := &r.cells[0]
	for {
		w := c.Load()
		if w&fullBit != 0 {
			return false
		}
		if c.CompareAndSwap(w, w&^boxMask|fullBit|*box) {
			*box = w & boxMask
			return true
		}
	}
}

// get is pop.
func (r *ring) get(box *uint64) bool {
	c := &r.cells[0]
	for {
		w := c.Load()
		if w&fullBit == 0 {
			return r.accept(c, w, box)
		}
		if c.CompareAndSwap(w, w&^(boxMask|fullBit)+oneTurn|*box) {
			*box = w & boxMask
			return true
		}
	}
}

// replace puts the item in *box in the place of the one that is there, if there is one,
// and gets the box of that. Lock-free.
func (r *ring) replace(box *uint64) bool {
	c := &r.cells[0]
	for {
		w := c.Load()
		if w&fullBit == 0 {
			return false
		}
		if c.CompareAndSwap(w, w&^boxMask+newTurn|*box) {
			*box = w & boxMask
			return true
		}
	}
}
