package jitter

import (
	"iter"
	"math"
	"math/bits"
	"time"

	"github.com/tickwake/rtos"
)

// A Histogram counts durations, negative ones included, in a fixed memory of some
// 69,000 bytes without pointers. Counts have 64 bits and the sum 128, so that none ever
// overflows. The zero value is empty and ready to use.
//
// It counts twice: in equal bins of half a microsecond ([Histogram.Bins]), and in
// buckets that grow with the value, for [Histogram.Quantile].
//
// A Histogram is not synchronized: one goroutine adds, and whoever reads must come
// after it. A [Recorder] can be read while it records.
type Histogram struct {
	count           uint64
	sumHigh, sumLow uint64 // two's complement
	min, max        int64
	linear          linear
	log             logarithmic
}

// Add counts d. It makes plain stores to the histogram alone: no allocation, no pointer
// is written, no ordinary function called, so it may also be called where the stack must
// not grow. Wait-free.
//
//go:nosplit
func (h *Histogram) Add(d time.Duration) {
	ns := int64(d)
	if h.count == 0 || ns < h.min {
		h.min = ns
	}
	if h.count == 0 || ns > h.max {
		h.max = ns
	}
	h.count++
	var carry uint64
	h.sumLow, carry = bits.Add64(h.sumLow, uint64(ns), 0)
	h.sumHigh += uint64(ns>>63) + carry
	h.linear.add(ns)
	h.log.add(ns)
}

// Merge adds all that o has counted. The result is what one histogram would hold that
// had been given all values.
func (h *Histogram) Merge(o *Histogram) {
	if o.count == 0 {
		return
	}
	if h.count == 0 || o.min < h.min {
		h.min = o.min
	}
	if h.count == 0 || o.max > h.max {
		h.max = o.max
	}
	h.count += o.count
	var carry uint64
	h.sumLow, carry = bits.Add64(h.sumLow, o.sumLow, 0)
	h.sumHigh += o.sumHigh + carry
	h.linear.merge(&o.linear)
	h.log.merge(&o.log)
}

// Count is the number of durations counted.
func (h *Histogram) Count() uint64 { return h.count }

// Min is the least duration, exact; 0 if there is none.
func (h *Histogram) Min() time.Duration { return time.Duration(h.min) }

// Max is the greatest duration, exact; 0 if there is none.
func (h *Histogram) Max() time.Duration { return time.Duration(h.max) }

// Mean is the average in nanoseconds, NaN if there is none. The sum that it is taken
// from is exact.
func (h *Histogram) Mean() float64 {
	high, low, sign := h.sumHigh, h.sumLow, 1.0
	if int64(high) < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
		sign = -1
	}
	return sign * (float64(high)*(1<<64) + float64(low)) / float64(h.count)
}

// Quantile is a duration that the share q of all those counted does not exceed: of n it
// is the one of rank q times n, rounded up. 0.5 is the median, 0.999999 p99.9999. A q of
// 0 or less is the least, of 1 or more the greatest; of an empty histogram it is 0. NaN
// is misuse.
//
// The answer is the upper end of a bucket, but never more than Max: it is never less
// than the true quantile, and more by at most 1/64 (1.6 %) of its magnitude. Up to 127
// nanoseconds it is exact.
func (h *Histogram) Quantile(q float64) time.Duration {
	if math.IsNaN(q) {
		panic(&rtos.MisuseError{Op: "Histogram.Quantile", Reason: "the share is NaN"})
	}
	switch {
	case h.count == 0:
		return 0
	case q <= 0:
		return h.Min()
	case q >= 1:
		return h.Max()
	}
	// A product that is whole but for rounding is that whole number: 0.07 of 100 is 7.
	rank := uint64(math.Ceil(q * float64(h.count) * (1 - 0x1p-50)))
	answer, seen := h.max, uint64(0)
	h.log.each(func(greatest int64, n uint64) bool {
		seen += n
		if seen < rank {
			return true
		}
		answer = min(greatest, h.max)
		return false
	})
	return time.Duration(answer)
}

// Bins goes through the bins of half a microsecond that are not empty, in rising order.
// What lies outside of them is in [Histogram.Below] and [Histogram.Above].
func (h *Histogram) Bins() iter.Seq[Bin] {
	return func(yield func(Bin) bool) {
		for i, n := range &h.linear.bins {
			if n > 0 && !yield(Bin{centre(i), n}) {
				return
			}
		}
	}
}

// Below is the number of durations less than [BinsFrom].
func (h *Histogram) Below() uint64 { return h.linear.below }

// Above is the number of durations of [BinsTo] or more.
func (h *Histogram) Above() uint64 { return h.linear.above }

// FirstBin is the share of durations from 0 up to, not including, half a microsecond:
// the bin with the centre 0.25. NaN if there is none.
func (h *Histogram) FirstBin() float64 {
	return float64(h.linear.bins[-BinsFrom/BinWidth]) / float64(h.count)
}
