package jitter

// shard is what the loop records between two hand-overs: plain words, no pointer.
type shard struct {
	hist      Histogram
	worst     worst
	missed    uint64
	coalesced uint64
	lost      uint64
	last      int64 // when the last activation was recorded, on the loop's clock
}

// clear empties the shard. It writes to every page, so that the loop meets none that is
// not there.
func (s *shard) clear() { *s = shard{} }

func (s *shard) empty() bool {
	return s.hist.count == 0 && s.missed == 0 && s.coalesced == 0 && s.lost == 0
}
