package rtos

import "github.com/tickwake/rtos/internal/atomic"

// A ring is a queue without its values: a ring of cells, each with the number of a box.
// Positions count through the cells again and again, each time round is a lap; the items
// are those of the positions from head to tail. A word, of a cell or of a position, is
//
//	bits  0-21  number of a box, or of a cell
//	bit  22     cell: full; head: locked
//	bits 23-63  turn: its last two bits are the lap, modulo 4
//
// For the position of lap u, its cell says
//
//	(empty, u)    nothing has been sent there
//	(full, u)     the item of that position
//	(empty, u+1)  it has been received, the cell is ready for the next lap
//
// To send or receive is one swap of the cell. The caller then moves tail or head on, or
// whoever comes next does. They are behind by one position at most, because a cell is
// swapped only while they stand on it. A ring of one cell needs neither, see
// queue_single.go.
//
// No word ever returns to an old value: turns only grow, by one from lap to lap, by four,
// or three with a lap less, wherever something else changes. So a swap that succeeds proves
// that nothing has happened since the word was read, and who is stopped before a swap, for
// however long, does no harm. (They wrap after 2^41: a day, at 20 million turns a second of
// one cell, and the stopped task would have to go on at exactly that one.) What the lap
// means is known only while the position is known to stand there: that is why head or tail
// is read before the cell and after it.
//
// What is written by different sides is on cache lines of its own, on 64-bit machines.
type ring struct {
	cells  []atomic.Uint64
	states table[boxState]

	_         [8]byte
	receivers object
	senders   object

	_    [32]byte
	tail atomic.Uint64

	_    [56]byte
	head atomic.Uint64

	_      [56]byte
	offers [offers]atomic.Uint64
	pool   boxPool
}

const (
	boxBits = 22
	boxMask = 1<<boxBits - 1
	fullBit = 1 << boxBits
	lockBit = fullBit
	oneTurn = fullBit << 1
	lapMask = 3 * oneTurn
	newTurn = 4 * oneTurn // another turn of the same lap

	// What a cell says compared with a position of the lap, as rel tells it.
	cellEmpty = 0
	cellFull  = fullBit
)

// spareBoxes is how many boxes a queue has at first beyond its length.
const spareBoxes = 8

// newRing makes an empty ring that begins with the given turn.
func newRing(name string, length int, turn uint64) *ring {
	r := &ring{cells: make([]atomic.Uint64, length), states: newTable[boxState](length + spareBoxes)}
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

// rel compares a cell with a position: cellEmpty and cellFull are of the position's lap.
func rel(cell, pos uint64) uint64 { return (cell ^ pos) & (fullBit | lapMask) }

// fullBefore tells whether the cell of a position still has the item of the lap before.
func fullBefore(cell, pos uint64) bool {
	return cell&fullBit != 0 && (cell&lapMask-pos&lapMask)&lapMask == lapMask
}

// samePlace tells whether two positions, of head and tail, are the same one.
func samePlace(p, q uint64) bool { return (p^q)&(boxMask|lapMask) == 0 }

// next is the position after p, prev the one before it as a word that never was.
func (r *ring) next(p uint64) uint64 {
	if p&boxMask != uint64(len(r.cells)-1) {
		return p + 1
	}
	return p&^boxMask + oneTurn
}

func (r *ring) prev(p uint64) uint64 {
	if p&boxMask != 0 {
		return p - 1 + newTurn
	}
	return p + uint64(len(r.cells)-1) + newTurn - oneTurn
}

// push sends the item in *box; *box is then an empty one that was got for it. Lock-free:
// it starts over only when another call has moved the tail.
func (r *ring) push(box *uint64) bool {
	if r.single() {
		return r.put(box)
	}
	for {
		p := r.tail.Load()
		c := &r.cells[p&boxMask]
		w := c.Load()
		switch {
		case rel(w, p) == cellEmpty:
			if r.tail.Load() == p && c.CompareAndSwap(w, w&^boxMask|fullBit|*box) {
				r.tail.CompareAndSwap(p, r.next(p))
				*box = w & boxMask
				return true
			}
		case fullBefore(w, p):
			if r.tail.Load() == p {
				return false
			}
		default:
			r.tail.CompareAndSwap(p, r.next(p))
		}
	}
}

// pop receives an item: *box, an empty box before, is then that of the item. Lock-free,
// unless an item is being sent to the front.
func (r *ring) pop(box *uint64) bool {
	if r.single() {
		return r.get(box)
	}
	for n := 0; ; {
		p := r.head.Load()
		c := &r.cells[p&boxMask]
		w := c.Load()
		switch {
		case p&lockBit != 0:
			n = awaitFront(n)
		case rel(w, p) == cellFull:
			if r.head.Load() == p && c.CompareAndSwap(w, w&^(boxMask|fullBit)+oneTurn|*box) {
				r.head.CompareAndSwap(p, r.next(p))
				*box = w & boxMask
				return true
			}
		case rel(w, p) == cellEmpty:
			if r.head.Load() == p {
				return r.accept(c, w, box)
			}
		default:
			r.head.CompareAndSwap(p, r.next(p))
		}
	}
}

// first finds the first item without receiving it: its cell, and what that said. Lock-free
// as pop.
func (r *ring) first() (c *atomic.Uint64, w uint64, found bool) {
	if r.single() {
		c = &r.cells[0]
		w = c.Load()
		return c, w, w&fullBit != 0
	}
	for n := 0; ; {
		p := r.head.Load()
		c = &r.cells[p&boxMask]
		w = c.Load()
		switch {
		case p&lockBit != 0:
			n = awaitFront(n)
		case rel(w, p) == cellFull, rel(w, p) == cellEmpty:
			if r.head.Load() == p {
				return c, w, w&fullBit != 0
			}
		default:
			r.head.CompareAndSwap(p, r.next(p))
		}
	}
}

func (r *ring) isEmpty() bool {
	_, _, found := r.first()
	return !found
}

func (r *ring) isFull() bool {
	if r.single() {
		return r.cells[0].Load()&fullBit != 0
	}
	for {
		p := r.tail.Load()
		w := r.cells[p&boxMask].Load()
		switch {
		case rel(w, p) == cellEmpty, fullBefore(w, p):
			if r.tail.Load() == p {
				return w&fullBit != 0
			}
		default:
			r.tail.CompareAndSwap(p, r.next(p))
		}
	}
}

// len is the number of items, exact while nothing moves. Lock-free.
func (r *ring) len() int {
	if r.single() {
		return int(r.cells[0].Load() & fullBit / fullBit)
	}
	for {
		h := r.head.Load()
		t := r.tail.Load()
		if r.head.Load() != h {
			continue
		}
		laps := (t&lapMask - h&lapMask) & lapMask / oneTurn
		n := int(laps)*len(r.cells) + int(t&boxMask) - int(h&boxMask)
		if n > 2*len(r.cells) {
			return 0 // the tail is behind the head
		}
		return min(max(n, 0), len(r.cells))
	}
}
