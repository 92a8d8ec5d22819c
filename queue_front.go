package rtos

import "github.com/tickwake/rtos/internal/spin"

func (r *ring) pushTo(front bool, box *uint64) bool {
	if front {
		return r.pushFront(box)
	}
	return r.push(box)
}

// pushFront sends the item in *box to the front, as push does to the end.
//
// That takes two steps: the cell before the head becomes full, the head moves back. In
// between a receiver would take the item behind, so the head is locked; a receiver that has
// read the head before is kept from its swap by a new turn of the cell that it has read.
// This is why receiving is not lock-free while an item is being sent to the front. Who sends
// to the end is not held up.
func (r *ring) pushFront(box *uint64) bool {
	if r.single() {
		return r.put(box)
	}
	p := r.lockHead()
	for {
		c := &r.cells[p&boxMask]
		w := c.Load()
		switch rel(w, p) {
		case cellFull:
			if !c.CompareAndSwap(w, w+newTurn) {
				continue
			}
			front := r.prev(p)
			c = &r.cells[front&boxMask]
			w = c.Load()
			if w&fullBit != 0 { // the last item
				r.head.Store(p)
				return false
			}
			if c.CompareAndSwap(w, w&^boxMask+newTurn-oneTurn|fullBit|*box) {
				*box = w & boxMask
				r.head.Store(front)
				return true
			}
		case cellEmpty: // the front is the end; the tail stands here, or is still one behind
			t := r.tail.Load()
			if samePlace(r.next(t), p) {
				r.tail.CompareAndSwap(t, r.next(t))
			} else if c.CompareAndSwap(w, w&^boxMask|fullBit|*box) {
				r.tail.CompareAndSwap(t, r.next(t))
				*box = w & boxMask
				r.head.Store(p)
				return true
			}
		default: // somebody has swapped before the head was locked
			p = r.next(p)
		}
	}
}

func (r *ring) lockHead() uint64 {
	for n := 0; ; n = awaitFront(n) {
		p := r.head.Load()
		if p&lockBit == 0 && r.head.CompareAndSwap(p, p|lockBit) {
			return p
		}
	}
}

// awaitFront passes the n-th little pause while an item is being sent to the front, which
// takes some ten steps, and counts it.
func awaitFront(n int) int {
	if n < 16 {
		spin.Pause(2)
	} else {
		spin.Yield()
	}
	return n + 1
}
