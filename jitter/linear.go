package jitter

import "time"

// The bins of a [Histogram] that are equally wide. Zero is the edge of a bin, so the
// first half microsecond is one bin, and it has the centre that published
// distributions print for it, 0.25.
const (
	// BinWidth is the width of a bin.
	BinWidth = 500 * time.Nanosecond
	// BinsFrom is where the first bin begins; what is less is counted by [Histogram.Below].
	BinsFrom = -50 * time.Microsecond
	// BinsTo is where the last bin ends; what is not less is counted by [Histogram.Above].
	BinsTo = BinsFrom + numBins*BinWidth

	numBins = 1000
)

// linear counts in equal bins.
type linear struct {
	bins         [numBins]uint64
	below, above uint64
}

//go:nosplit
func (l *linear) add(ns int64) {
	if ns < int64(BinsFrom) {
		l.below++
		return
	}
	// Unsigned, so that the largest values do not overflow; and as nothing is negative
	// any more, the division rounds down.
	i := (uint64(ns) + uint64(-BinsFrom)) / uint64(BinWidth)
	if i >= numBins {
		l.above++
		return
	}
	l.bins[i]++
}

func (l *linear) merge(o *linear) {
	for i, n := range &o.bins {
		l.bins[i] += n
	}
	l.below += o.below
	l.above += o.above
}

// centre is the middle of bin i in microseconds; exact.
func centre(i int) float64 {
	return float64(int64(BinsFrom)+int64(i)*int64(BinWidth)+int64(BinWidth)/2) / 1000
}

// binOf is the bin with this centre; false if there is none.
func binOf(c float64) (i int, ok bool) {
	i = int((c*1000 - float64(BinsFrom)) / float64(BinWidth))
	return i, i >= 0 && i < numBins && centre(i) == c
}

// A Bin is one of the equally wide bins of a [Histogram].
type Bin struct {
	Centre float64 // its middle, in microseconds: ..., -0.25, 0.25, 0.75, ...
	Count  uint64
}
