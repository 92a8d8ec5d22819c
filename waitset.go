package rtos

import "github.com/tickwake/rtos/internal/atomic"

// wideSet is a waiter set for kernels of more than 64 slots: leaves with a bit a
// slot, under a summary with a bit a leaf.
//
// A bit is set in the leaf, then in the summary. The summary is never cleared: to
// clear it and look at the leaf again would hide, for a moment, a waiter that has
// joined in between and has made its second try, from a giver that scans just then.
// So a scan reads every leaf in which somebody has ever waited on this object.
type wideSet struct {
	summary []atomic.Uint64
	leaves  []atomic.Uint64
}

func newWideSet(slots int) *wideSet {
	leaves := (slots + 63) / 64
	return &wideSet{
		summary: make([]atomic.Uint64, (leaves+63)/64),
		leaves:  make([]atomic.Uint64, leaves),
	}
}

func (s *wideSet) set(slot int) {
	leaf := slot >> 6
	s.leaves[leaf].Or(1 << (slot & 63))
	s.summary[leaf>>6].Or(1 << (leaf & 63))
}

func (s *wideSet) clear(slot int) {
	s.leaves[slot>>6].And(^(uint64(1) << (slot & 63)))
}
