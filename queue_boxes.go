package rtos

import (
	"math/bits"

	"github.com/tickwake/rtos/internal/atomic"
)

// The items of a queue lie in boxes, and whoever has the number of a box owns it: a cell
// of the ring, a task that keeps it as a spare, or the pool. To send is to fill one's own
// box and exchange it for that of an empty cell; to receive is to exchange an own empty
// box for a full one. So nobody ever waits for another to have written or read, and a
// task that is stopped for good costs a box, never room in the queue.

// A table holds one E for each box: those of its base, then chunks that are made when
// their boxes are first used, each twice as long as the one before.
type table[E any] struct {
	base []E
	more atomic.Pointer[chunks[E]]
}

type chunks[E any] [chunkCount]atomic.Pointer[[]E]

const (
	firstChunk = 16
	chunkCount = 19 // as many as boxMask can number
)

func newTable[E any](n int) table[E] { return table[E]{base: make([]E, n)} }

func (b *table[E]) at(box uint64) *E {
	if box < uint64(len(b.base)) {
		return &b.base[box]
	}
	return b.far(box)
}

// far finds a box beyond the base. Who makes a chunk too late uses the other one.
func (b *table[E]) far(box uint64) *E {
	i := box - uint64(len(b.base))
	k := bits.Len64(i/firstChunk+1) - 1
	first := uint64(firstChunk) * (1<<k - 1)
	dir := b.more.Load()
	if dir == nil {
		b.more.CompareAndSwap(nil, new(chunks[E]))
		dir = b.more.Load()
	}
	chunk := dir[k].Load()
	if chunk == nil {
		made := make([]E, firstChunk<<k)
		dir[k].CompareAndSwap(nil, &made)
		chunk = dir[k].Load()
	}
	return &(*chunk)[i-first]
}

// boxState is what a ring keeps beside the value of a box.
type boxState struct {
	users atomic.Uint32 // who reads the box without owning it, and retired
	next  atomic.Uint32 // in the pool: the box below, plus one
}

// retired marks a box that its owner has let go while others read it: the last of them
// returns it to the pool.
const retired = 1 << 31

// boxPool is a stack of boxes that nobody uses. Its top is the number of the first box plus
// one, 0 if there is none, below a count of returns: who takes the first box knows the next
// one, unless boxes have come back meanwhile.
type boxPool struct {
	top   atomic.Uint64
	fresh atomic.Uint64 // boxes from here on have never been used
}

const oneReturn = 1 << 32

// newBox takes a box out of the pool, or one that was never used. Lock-free.
func (r *ring) newBox() uint64 {
	for {
		top := r.pool.top.Load()
		box := top & (oneReturn - 1)
		if box == 0 {
			break
		}
		below := uint64(r.states.at(box - 1).next.Load())
		if r.pool.top.CompareAndSwap(top, top-box+below) {
			return box - 1
		}
	}
	box := r.pool.fresh.Add(1) - 1
	if box > boxMask {
		misuse(opSend, nil, r.name(), "more boxes in use than there are")
	}
	return box
}

func (r *ring) freeBox(box uint64) {
	next := &r.states.at(box).next
	for {
		top := r.pool.top.Load()
		next.Store(uint32(top & (oneReturn - 1)))
		if r.pool.top.CompareAndSwap(top, top&^(oneReturn-1)+oneReturn+box+1) {
			return
		}
	}
}

// unused tells whether the caller, who owns the box, is alone with it. If not, the box
// is no longer the caller's.
//
// A peeker counts itself, then looks whether the cell still has the box; the owner has
// taken the box out of the cell, then looks at the count. One of the two sees the other.
func (r *ring) unused(box uint64) bool {
	users := &r.states.at(box).users
	return users.Load() == 0 || !retire(users)
}

func retire(users *atomic.Uint32) bool {
	for {
		n := users.Load()
		if n == 0 {
			return false
		}
		if users.CompareAndSwap(n, n|retired) {
			return true
		}
	}
}

// unpin ends the use of a box by a peeker. If it was retired and this was the last, it is
// now the caller's, who has to clear and free it. Who comes late and finds the box used
// for something else counts as a user for a moment, too: that may retire it without need,
// and ends here.
func (r *ring) unpin(box uint64) (mine bool) {
	users := &r.states.at(box).users
	return users.Add(^uint32(0)) == retired && users.CompareAndSwap(retired, 0)
}

// A spare is a box that a task keeps for its next call on a queue.
type spare struct {
	ring *ring // nil: none
	box  uint64
}

// spares is how many queues a task can use in turn without going to the pool.
const spares = 4

// spareFor is the spare of t for r. It is valid until t uses another queue.
func (t *Task) spareFor(r *ring) *spare {
	if s := &t.spares[0]; s.ring == r {
		return s
	}
	return t.findSpare(r)
}

func (t *Task) findSpare(r *ring) *spare {
	var free *spare
	for i := range t.spares {
		switch s := &t.spares[i]; s.ring {
		case r:
			return s
		case nil:
			if free == nil {
				free = s
			}
		}
	}
	if free == nil {
		free = &t.spares[t.nextSpare%spares]
		t.nextSpare++
		free.ring.freeBox(free.box)
	}
	free.ring = nil // should newBox panic
	*free = spare{r, r.newBox()}
	return free
}

// returnSpares is for a task that ends.
func (t *Task) returnSpares() {
	for i := range t.spares {
		if s := &t.spares[i]; s.ring != nil {
			s.ring.freeBox(s.box)
			*s = spare{}
		}
	}
}
