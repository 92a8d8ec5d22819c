package jitter

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// jsonHistogram is a [Histogram] as it is written: what is empty is left out.
type jsonHistogram struct {
	Count   uint64     `json:"count"`
	Sum     *big.Int   `json:"sum_ns"`
	Min     int64      `json:"min_ns"`
	Max     int64      `json:"max_ns"`
	Below   uint64     `json:"below"`      // of the bins
	Above   uint64     `json:"above"`      // of the bins
	Bins    []jsonBin  `json:"bins_us"`    // [centre, count]
	Buckets [][2]int64 `json:"buckets_ns"` // [greatest value, count]
}

// jsonBin is a bin as published distributions have it: [centre, count].
type jsonBin Bin

func (b jsonBin) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%v,%d]", b.Centre, b.Count), nil
}

func (b *jsonBin) UnmarshalJSON(data []byte) error {
	pair := []any{&b.Centre, &b.Count}
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a bin of %d numbers, want centre and count", len(pair))
	}
	return nil
}

// MarshalJSON writes what was counted, exactly, without what is empty.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	sum := new(big.Int).SetInt64(int64(h.sumHigh))
	sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(h.sumLow))
	j := jsonHistogram{
		Count: h.count, Sum: sum, Min: h.min, Max: h.max,
		Below: h.linear.below, Above: h.linear.above,
		Bins: []jsonBin{}, Buckets: [][2]int64{},
	}
	for b := range h.Bins() {
		j.Bins = append(j.Bins, jsonBin(b))
	}
	h.log.each(func(greatest int64, n uint64) bool {
		j.Buckets = append(j.Buckets, [2]int64{greatest, int64(n)})
		return true
	})
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON has written. What does not fit together is an
// error, and h is as before.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var j jsonHistogram
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("jitter: histogram: %w", err)
	}
	n, err := j.decode()
	if err != nil {
		return fmt.Errorf("jitter: histogram: %w", err)
	}
	*h = *n
	return nil
}

func (j *jsonHistogram) decode() (*Histogram, error) {
	if j.Sum == nil || j.Sum.BitLen() > 127 {
		return nil, errors.New("no sum_ns, or one out of range")
	}
	if j.Min > j.Max {
		return nil, errors.New("min_ns is more than max_ns")
	}
	low := new(big.Int).And(j.Sum, new(big.Int).SetUint64(1<<64-1)).Uint64()
	high := new(big.Int).Rsh(j.Sum, 64).Int64() // rounds down
	h := &Histogram{count: j.Count, sumHigh: uint64(high), sumLow: low, min: j.Min, max: j.Max}

	h.linear.below, h.linear.above = j.Below, j.Above
	linear := j.Below + j.Above
	for _, b := range j.Bins {
		i, ok := binOf(b.Centre)
		if !ok {
			return nil, fmt.Errorf("%v is the centre of no bin", b.Centre)
		}
		h.linear.bins[i] += b.Count
		linear += b.Count
	}
	var log uint64
	for _, b := range j.Buckets {
		counts, ok := h.log.bucketUpTo(b[0])
		if !ok {
			return nil, fmt.Errorf("%d ends no bucket", b[0])
		}
		*counts += uint64(b[1])
		log += uint64(b[1])
	}
	if linear != j.Count || log != j.Count {
		return nil, fmt.Errorf("count is %d, but the bins hold %d and the buckets %d", j.Count, linear, log)
	}
	return h, nil
}
