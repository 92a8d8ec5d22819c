package rtos

import (
	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/internal/spin"
)

// A ring is a queue without its values: a ring of cells, each with the number of a slot.
// Positions count through the cells again and again, each time round is a lap; the items
// are those of the positions from head to tail. A word, of a cell or a position, is
//
//	bits  0-21  slot, or index of the cell
//	bit  22     cell: full; head: locked
//	bits 23-63  turn: its last two bits are the lap, modulo 4
//
// For the position of lap u with cell c:
//
//	(empty, u)    nothing has been sent there
//	(full, u)     the item of that position
//	(empty, u+1)  it has been received, and the cell is ready for the next lap
//
// A call swaps the cell; that is the step that sends or receives. It then moves the head
// or tail, or whoever comes next does: both are behind by one at most, because a cell is
// only swapped at a position that head or tail has just been seen to stand on.
//
// No word ever returns to an old value: turns only grow, by less than four from lap to
// lap and by four or so wherever something else changes. So a swap that succeeds proves
// that nothing has happened since the word was read, and who is stopped before a swap,
// for however long, can do no harm. (Turns wrap after 2^41 of them, at ten million a
// second in two days; a stopped task would have to go on at exactly that step.) The lap
// alone could not tell: it must be read while the position is known to stand there, which
// is why head or tail is read before the cell and after it.
type ring struct {
	cells     []atomic.Uint64
	states    table[slotUse]
	receivers object
	senders   object
	_         [64]byte
	tail      atomic.Uint64
	_         [64]byte
	head      atomic.Uint64
	_         [64]byte
	pool      slotPool
}

const (
	slotBits = 22
	slotMask = 1<<slotBits - 1
	fullBit  = 1 << slotBits
	lockBit  = fullBit
	oneTurn  = fullBit << 1
	lapMask  = 3 * oneTurn
	newTurn  = 4 * oneTurn // another turn of the same lap
)

// freeSlots is how many slots a queue has at first beyond its length.
const freeSlots = 8

func newRing(name string, length int, turn uint64) *ring {
	r := &ring{cells: make([]atomic.Uint64, length), states: newTable[slotUse](length + freeSlots)}
	for i := range r.cells {
		r.cells[i].Store(turn*oneTurn | uint64(i))
	}
	r.head.Store(turn * oneTurn)
	r.tail.Store(turn * oneTurn)
	r.pool.fresh.Store(uint64(length))
	r.receivers.body.Store(newBody(kindRecv, name, (*recvSide)(r)))
	r.senders.body.Store(newBody(kindSend, name, (*sendSide)(r)))
	return r
}

func (r *ring) name() string { return r.senders.name() }

// next is the position after p, prev the one before it, as a word that was never used.
func (r *ring) next(p uint64) uint64 {
	if p&slotMask != uint64(len(r.cells)-1) {
		return p + 1
	}
	return p&^slotMask + oneTurn
}

func (r *ring) prev(p uint64) uint64 {
	if p&slotMask != 0 {
		return p - 1 + newTurn
	}
	return p + uint64(len(r.cells)-1) + newTurn - oneTurn
}

// push sends the item in *slot and gets an empty slot for it. Lock-free: it starts over
// only when another call has moved the tail.
func (r *ring) push(slot *uint64) bool {
	for {
		p := r.tail.Load()
		c := &r.cells[p&slotMask]
		w := c.Load()
		switch (w ^ p) & (fullBit | lapMask) {
		case 0: // empty
			if r.tail.Load() == p && c.CompareAndSwap(w, w&^slotMask|fullBit|*slot) {
				r.tail.CompareAndSwap(p, r.next(p))
				*slot = w & slotMask
				return true
			}
		case fullBit | lapMask, fullBit | oneTurn: // full, of another lap: the one before
			if r.tail.Load() == p {
				return false
			}
		default:
			r.tail.CompareAndSwap(p, r.next(p))
		}
	}
}

// pop receives an item: *slot is then its slot, in exchange for the empty one given.
// Lock-free, unless a message is being sent to the front.
func (r *ring) pop(slot *uint64) bool {
	for n := 0; ; n++ {
		p := r.head.Load()
		if p&lockBit != 0 {
			awaitFront(n)
			continue
		}
		c := &r.cells[p&slotMask]
		w := c.Load()
		switch (w ^ p) & (fullBit | lapMask) {
		case fullBit: // full
			if r.head.Load() == p && c.CompareAndSwap(w, w&^(slotMask|fullBit)+oneTurn|*slot) {
				r.head.CompareAndSwap(p, r.next(p))
				*slot = w & slotMask
				return true
			}
		case 0: // empty
			if r.head.Load() == p {
				return false
			}
		default:
			r.head.CompareAndSwap(p, r.next(p))
		}
	}
}

// pin finds the first item and keeps its slot from being used for anything else, until
// unpin. It may fail although there is an item: then it returns a slot that unpin has left
// to the caller.
func (r *ring) pin() (slot uint64, result pinned) {
	for n := 0; ; n++ {
		p := r.head.Load()
		if p&lockBit != 0 {
			awaitFront(n)
			continue
		}
		c := &r.cells[p&slotMask]
		w := c.Load()
		switch (w ^ p) & (fullBit | lapMask) {
		case fullBit:
			if r.head.Load() != p {
				continue
			}
			slot := w & slotMask
			r.states.at(slot).users.Add(1)
			if c.Load() == w {
				return slot, isPinned
			}
			if r.unpin(slot) {
				return slot, isLeft
			}
		case 0:
			if r.head.Load() == p {
				return 0, isEmpty
			}
		default:
			r.head.CompareAndSwap(p, r.next(p))
		}
	}
}

// pinned is what pin has found.
type pinned int

const (
	isEmpty pinned = iota
	isPinned
	isLeft
)

// pushFront sends the item in *slot to the front, as push does at the tail.
//
// That takes two steps: the cell before the head becomes full, the head moves back. In
// between a receiver would take the wrong item, so the head is locked; a receiver that has
// read the head before is kept from its swap by a new turn of the cell there. This is why
// receiving is not lock-free while a message is being sent to the front. Senders and
// whoever has swapped already are not held up.
func (r *ring) pushFront(slot *uint64) bool {
	p := r.lockHead()
	for {
		c := &r.cells[p&slotMask]
		w := c.Load()
		switch (w ^ p) & (fullBit | lapMask) {
		case fullBit:
			if !c.CompareAndSwap(w, w+newTurn) {
				continue
			}
			before := r.prev(p)
			c := &r.cells[before&slotMask]
			w := c.Load()
			if w&fullBit != 0 { // the last item: the queue is full
				r.head.Store(p)
				return false
			}
			if c.CompareAndSwap(w, w&^slotMask+newTurn-oneTurn|fullBit|*slot) {
				*slot = w & slotMask
				r.head.Store(before)
				return true
			}
		case 0: // empty: the front is the tail
			t := r.tail.Load()
			if (t^p)&(slotMask|lapMask) != 0 {
				r.helpTail(t)
				continue
			}
			if c.CompareAndSwap(w, w&^slotMask|fullBit|*slot) {
				r.tail.CompareAndSwap(t, r.next(t))
				*slot = w & slotMask
				r.head.Store(p)
				return true
			}
		default: // somebody has swapped before the head was locked
			p = r.next(p)
			r.head.Store(p | lockBit)
		}
	}
}

func (r *ring) lockHead() uint64 {
	for n := 0; ; n++ {
		p := r.head.Load()
		if p&lockBit == 0 && r.head.CompareAndSwap(p, p|lockBit) {
			return p
		}
		awaitFront(n)
	}
}

// helpTail moves the tail on if the cell at p has been used.
func (r *ring) helpTail(p uint64) {
	switch w := r.cells[p&slotMask].Load(); (w ^ p) & (fullBit | lapMask) {
	case 0, fullBit | lapMask, fullBit | oneTurn:
	default:
		r.tail.CompareAndSwap(p, r.next(p))
	}
}

// awaitFront passes the time for the n-th time while a message is being sent to the front.
func awaitFront(n int) {
	if n < 16 {
		spin.Pause(4)
	} else {
		spin.Yield()
	}
}

// replace puts the item in *slot in the place of the first, if there is one, and gets
// the slot of that.
func (r *ring) replace(slot *uint64) bool {
	for {
		w := r.cells[0].Load()
		if w&fullBit == 0 {
			return false
		}
		if r.cells[0].CompareAndSwap(w, w&^slotMask+newTurn|*slot) {
			*slot = w & slotMask
			return true
		}
	}
}

// isEmpty and isFull look without changing anything. While a message is being sent to the
// front the ring is not empty, or about not to be.
func (r *ring) isEmpty() bool {
	for {
		p := r.head.Load()
		w := r.cells[p&slotMask].Load()
		if p&lockBit != 0 {
			return false
		}
		switch (w ^ p) & (fullBit | lapMask) {
		case fullBit, 0:
			if r.head.Load() == p {
				return w&fullBit == 0
			}
		default:
			r.head.CompareAndSwap(p, r.next(p))
		}
	}
}

func (r *ring) isFull() bool {
	for {
		p := r.tail.Load()
		w := r.cells[p&slotMask].Load()
		switch (w ^ p) & (fullBit | lapMask) {
		case 0, fullBit | lapMask, fullBit | oneTurn:
			if r.tail.Load() == p {
				return w&fullBit != 0
			}
		default:
			r.tail.CompareAndSwap(p, r.next(p))
		}
	}
}

// len is the number of items, exact while nothing moves.
func (r *ring) len() int {
	h, t := r.head.Load(), r.tail.Load()
	laps := int(t/oneTurn-h/oneTurn) & 3
	n := laps*len(r.cells) + int(t&slotMask) - int(h&slotMask)
	return min(max(n, 0), len(r.cells))
}
