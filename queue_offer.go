package rtos

import (
	"github.com/tickwake/rtos/internal/atomic"
	"github.com/tickwake/rtos/internal/spin"
)

// A sender that finds the ring full looks again a few times, then yields a few times, before
// it parks. While it yields it offers its item: a receiver that finds the ring empty accepts
// it by exchanging the boxes, and the item has gone through the queue without having been in
// it. So where both sides share a processor, a yield of each moves the offered items too, not
// only as many as there is room for, and short queues are no slower than a channel, whose
// receiver fills the room that it makes from a waiting sender. It offers only then: a receiver
// on another processor has its items anyway, and offers would move one more cache line to and
// fro, three times for each item of a queue of length 1.
//
// That is as if the item had been sent and received while the ring was empty and the offer
// made: the receiver reads the offer, sees that the cell which said so still says empty,
// and swaps the offer. A word that is as it was has been so all the time, see ring.
//
// An offer is
//
//	bits  0-21  number of a box: the sender's, then the one it gets
//	bit  22     to be had
//	bit  23     accepted
//	bits 24-63  how often it has been made
const (
	offers    = 6 // with the pool they fill a cache line
	openBit   = 1 << boxBits
	doneBit   = openBit << 1
	oneOffer  = doneBit << 1
	offerBits = openBit | doneBit
)

// accept takes an offer in place of an item, if there is one. The cell c has said w: empty.
func (r *ring) accept(c *atomic.Uint64, w uint64, box *uint64) bool {
	for i := range r.offers {
		o := &r.offers[i]
		x := o.Load()
		if x&openBit != 0 && c.Load() == w && o.CompareAndSwap(x, x&^(boxMask|openBit)|doneBit|*box) {
			*box = x & boxMask
			return true
		}
	}
	return false
}

// offer makes one of the item in the box; nil if all places are taken.
func (r *ring) offer(box uint64) *atomic.Uint64 {
	for i := range r.offers {
		o := &r.offers[i]
		x := o.Load()
		if x&offerBits == 0 && o.CompareAndSwap(x, x&^boxMask+oneOffer|openBit|box) {
			return o
		}
	}
	return nil
}

// withdraw ends an offer and tells whether it was accepted; *box is then the one got.
func withdraw(o *atomic.Uint64, box *uint64) (accepted bool) {
	x := o.Load()
	if x&openBit != 0 && o.CompareAndSwap(x, x&^openBit) {
		return false
	}
	x = o.Load()
	*box = x & boxMask
	o.Store(x &^ doneBit)
	return true
}

// pushSoon tries to push for as long as parking would cost.
func (r *ring) pushSoon(t *Task, front bool, box *uint64) bool {
	if !t.maySpin() {
		return false
	}
	push := func() bool { return r.pushTo(front, box) }
	if t.poll(r.sendSlack(), push) {
		return true
	}
	if t.k.native {
		for range spin.Yields {
			o := r.offer(*box)
			spin.Yield()
			if o != nil && withdraw(o, box) || push() {
				return true
			}
		}
	}
	return false
}
