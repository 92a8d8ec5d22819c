package rtos

import (
	"math/bits"

	"github.com/tickwake/rtos/internal/atomic"
)

// The items of a queue lie in slots, and whoever has the number of a slot owns it: a cell
// of the ring, a task that keeps it as a spare, or the pool. To send is to fill one's own
// slot and exchange it for that of an empty cell; to receive is to exchange an own empty
// slot for a full one. So nobody ever waits for another to have written or read, and a
// task that is stopped for good costs a slot, never room in the queue.

// A table holds one E for each slot: those of its base, then chunks that are made when
// their slots are first used, each twice as long as the one before.
type table[E any] struct {
	base []E
	more atomic.Pointer[chunks[E]]
}

type chunks[E any] [chunkCount]atomic.Pointer[[]E]

const (
	firstChunk = 16
	chunkCount = 18 // as many as slotMask can number
)

func newTable[E any](n int) table[E] { return table[E]{base: make([]E, n)} }

func (b *table[E]) at(slot uint64) *E {
	if slot < uint64(len(b.base)) {
		return &b.base[slot]
	}
	return b.far(slot - uint64(len(b.base)))
}

// far finds the i-th slot beyond the base. Who makes a chunk too late uses the other one.
func (b *table[E]) far(i uint64) *E {
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

// slotUse is what a ring keeps beside the value of a slot.
type slotUse struct {
	users atomic.Uint32 // who reads the slot without owning it, and retired
	next  atomic.Uint32 // in the pool: the slot below, plus one
}

// retired marks a slot that its owner has let go while others read it: the last of them
// returns it to the pool.
const retired = 1 << 31

// slotPool is a stack of slots that nobody uses. Its top is a count of changes above the
// number of the first slot plus one, 0 if there is none.
type slotPool struct {
	top   atomic.Uint64
	fresh atomic.Uint64 // slots from here on have never been used
}

const poolTag = 1 << 32

// newSlot takes a slot out of the pool, or one that was never used. Lock-free.
func (r *ring) newSlot() uint64 {
	for {
		top := r.pool.top.Load()
		slot := top & (poolTag - 1)
		if slot == 0 {
			break
		}
		below := uint64(r.states.at(slot - 1).next.Load())
		if r.pool.top.CompareAndSwap(top, top-slot+poolTag+below) {
			return slot - 1
		}
	}
	slot := r.pool.fresh.Add(1) - 1
	if slot > slotMask {
		misuse("Queue", nil, r.name(), "more tasks use it than there are numbers")
	}
	return slot
}

func (r *ring) freeSlot(slot uint64) {
	next := &r.states.at(slot).next
	for {
		top := r.pool.top.Load()
		next.Store(uint32(top & (poolTag - 1)))
		if r.pool.top.CompareAndSwap(top, top&^(poolTag-1)+poolTag+slot+1) {
			return
		}
	}
}

// unused tells whether the caller, who owns the slot, is alone with it. If not, the slot
// is no longer the caller's.
//
// A peeker counts itself, then looks whether the cell still has the slot; the owner has
// taken the slot out of the cell, then looks at the count. One of the two sees the other.
func (r *ring) unused(slot uint64) bool {
	users := &r.states.at(slot).users
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

// unpin ends the use of a slot by a peeker. If it was retired and this was the last, it is
// now the caller's, who has to clear and free it. Who comes late and finds the slot used
// for something else counts as a user for a moment, too: that may retire it without need,
// and ends here.
func (r *ring) unpin(slot uint64) (mine bool) {
	users := &r.states.at(slot).users
	return users.Add(^uint32(0)) == retired && users.CompareAndSwap(retired, 0)
}

// A spare is a slot that a task keeps for its next call on a queue.
type spare struct {
	ring *ring // nil: none
	slot uint64
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
		free.ring.freeSlot(free.slot)
	}
	free.ring = nil // should newSlot panic
	*free = spare{r, r.newSlot()}
	return free
}

// returnSpares is for a task that ends.
func (t *Task) returnSpares() {
	for i := range t.spares {
		if s := &t.spares[i]; s.ring != nil {
			s.ring.freeSlot(s.slot)
			*s = spare{}
		}
	}
}
