package jitter

import "math/bits"

// logarithmic counts in buckets whose width grows with the value, for each sign: one
// for each nanosecond up to 127, then 64 for each doubling. So a bucket is never wider
// than 1/64 of its values.
type logarithmic struct {
	counts [2][numBuckets]uint64 // values below zero, and the others
}

const (
	subBits    = 6
	numBuckets = (64 - subBits + 1) << subBits
)

//go:nosplit
func (l *logarithmic) add(ns int64) {
	if ns < 0 {
		l.counts[0][bucketOf(uint64(-ns))]++
	} else {
		l.counts[1][bucketOf(uint64(ns))]++
	}
}

// bucketOf is the bucket of magnitude m.
//
//go:nosplit
func bucketOf(m uint64) uint64 {
	if m < 2<<subBits {
		return m
	}
	e := uint64(bits.Len64(m)) - subBits - 1
	return e<<subBits + m>>e
}

// bucketEnds is the least and the greatest magnitude in bucket i.
func bucketEnds(i int) (least, greatest uint64) {
	if i < 2<<subBits {
		return uint64(i), uint64(i)
	}
	e := i>>subBits - 1
	least = uint64(1<<subBits+i&(1<<subBits-1)) << e
	return least, least + 1<<e - 1
}

// bucketUpTo is the count of the bucket whose greatest value this is; false if there is
// none.
func (l *logarithmic) bucketUpTo(greatest int64) (count *uint64, ok bool) {
	if greatest < 0 {
		i := bucketOf(uint64(-greatest))
		least, _ := bucketEnds(int(i))
		return &l.counts[0][i], -int64(least) == greatest
	}
	i := bucketOf(uint64(greatest))
	_, most := bucketEnds(int(i))
	return &l.counts[1][i], int64(most) == greatest
}

func (l *logarithmic) merge(o *logarithmic) {
	for s := range &o.counts {
		for i, n := range &o.counts[s] {
			l.counts[s][i] += n
		}
	}
}

// each calls f with the greatest value of each bucket that is not empty, in rising
// order, until f answers false.
func (l *logarithmic) each(f func(greatest int64, n uint64) bool) {
	for i := numBuckets - 1; i >= 0; i-- {
		if n := l.counts[0][i]; n > 0 {
			least, _ := bucketEnds(i)
			if !f(-int64(least), n) {
				return
			}
		}
	}
	for i, n := range &l.counts[1] {
		if n > 0 {
			_, greatest := bucketEnds(i)
			if !f(int64(greatest), n) {
				return
			}
		}
	}
}
