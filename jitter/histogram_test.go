package jitter_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/published"
	"github.com/tickwake/rtos/jitter"
)

func histogramOf(values ...int64) *jitter.Histogram {
	h := new(jitter.Histogram)
	for _, v := range values {
		h.Add(time.Duration(v))
	}
	return h
}

func binsOf(h *jitter.Histogram) (bins []jitter.Bin) {
	return slices.AppendSeq(bins, h.Bins())
}

// The centres are exactly those that published distributions print, so the two can stand
// in one table. Their first and last rows are edges.
func TestBinsHaveThePublishedCentres(t *testing.T) {
	x, err := published.LoadXenomai()
	require.NoError(t, err)
	for _, d := range []published.Distribution{x.KernelTask, x.UserTask} {
		require.InDelta(t, d.BinUS*1000, float64(jitter.BinWidth), 0)
		inner := d.Bins[1 : len(d.Bins)-1]
		h := new(jitter.Histogram)
		var want []jitter.Bin
		for i, b := range inner {
			middle := int64(math.Round(b.Centre * 1000))
			for range i + 1 {
				h.Add(time.Duration(middle - 250)) // the first of the bin
				h.Add(time.Duration(middle + 249)) // the last
			}
			want = append(want, jitter.Bin{Centre: b.Centre, Count: uint64(2 * (i + 1))})
		}
		assert.Equal(t, want, binsOf(h))
	}
}

func TestBinEdges(t *testing.T) {
	const below, above = math.MinInt64, math.MaxInt64 // stand for no bin
	for _, c := range []struct {
		ns   int64
		want float64
	}{
		{0, 0.25}, {1, 0.25}, {499, 0.25}, {500, 0.75}, {999, 0.75}, {1000, 1.25},
		{-1, -0.25}, {-500, -0.25}, {-501, -0.75}, {-1000, -0.75}, {-1001, -1.25},
		{-50_000, -49.75}, {-50_001, below}, {449_999, 449.75}, {450_000, above},
		{math.MinInt64, below}, {math.MaxInt64, above}, {math.MaxInt64 - 49_999, above},
	} {
		h := histogramOf(c.ns)
		switch c.want {
		case below:
			assert.Equal(t, uint64(1), h.Below(), "%d", c.ns)
			assert.Empty(t, binsOf(h))
		case above:
			assert.Equal(t, uint64(1), h.Above(), "%d", c.ns)
			assert.Empty(t, binsOf(h))
		default:
			assert.Equal(t, []jitter.Bin{{Centre: c.want, Count: 1}}, binsOf(h), "%d", c.ns)
			assert.Zero(t, h.Below()+h.Above())
		}
	}
}

func TestFirstBinIsTheFirstHalfMicrosecond(t *testing.T) {
	h := histogramOf(-1, 0, 250, 499, 500, 10_000, 1e9, -1e9)
	assert.InDelta(t, 3.0/8, h.FirstBin(), 0)
}

// The quantile of k thousandths is the value of rank k*n/1000, rounded up: never less,
// more by a 64th at most, and exact up to 127 ns.
func TestQuantilesAreRanksWithinABucket(t *testing.T) {
	seed := uint64(1)
	random := func() uint64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return seed
	}
	for n := 1; n <= 500; n += 1 + n/5 {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(random()) >> (random() % 64) // all magnitudes, both signs
		}
		h := histogramOf(values...)
		slices.Sort(values)
		require.EqualValues(t, values[0], h.Min())
		require.EqualValues(t, values[n-1], h.Max())
		for k := 1; k < 1000; k++ {
			truth := values[(k*n+999)/1000-1]
			got := int64(h.Quantile(float64(k) / 1000))
			off := uint64(got - truth)
			require.GreaterOrEqual(t, got, truth, "n %d, k %d", n, k)
			require.LessOrEqual(t, off, magnitude(truth)/64, "n %d, k %d: %d for %d", n, k, got, truth)
			if magnitude(truth) <= 127 {
				require.Equal(t, truth, got)
			}
		}
	}
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// The one in a million is found.
func TestQuantileOfAMillionth(t *testing.T) {
	h := new(jitter.Histogram)
	one := histogramOf(100)
	for h.Count() < 1<<20 {
		if h.Count() == 0 {
			h.Merge(one)
		}
		twice := *h
		h.Merge(&twice)
	}
	h.Add(5 * time.Millisecond)
	assert.EqualValues(t, 100, h.Quantile(0.999999))
	h.Add(5 * time.Millisecond)
	h.Add(5 * time.Millisecond)
	assert.Equal(t, 5*time.Millisecond, h.Quantile(0.999999))
}

func TestQuantileEnds(t *testing.T) {
	var empty jitter.Histogram
	assert.Zero(t, empty.Quantile(0.5))
	assert.Zero(t, empty.Min())
	assert.Zero(t, empty.Max())
	assert.True(t, math.IsNaN(empty.Mean()))
	assert.True(t, math.IsNaN(empty.FirstBin()))
	h := histogramOf(-1_000_001, 3, 1_000_001)
	for q, want := range map[float64]time.Duration{
		-1: -1_000_001, 0: -1_000_001, 0.5: 3, 1: 1_000_001, 2: 1_000_001, math.Inf(1): 1_000_001,
	} {
		assert.Equal(t, want, h.Quantile(q), "%v", q)
	}
	var misuse *rtos.MisuseError
	require.ErrorAs(t, panicOf(func() { h.Quantile(math.NaN()) }), &misuse)
}

func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// The mean is that of an exact sum, whatever was added.
func TestSumIsExact(t *testing.T) {
	for _, values := range [][]int64{
		{1, 2, 4},
		{-1, -2, -4},
		{1, -1},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, -5},
		{math.MinInt64, math.MinInt64, math.MinInt64, 5},
		{math.MaxInt64, math.MinInt64},
	} {
		h, sum := new(jitter.Histogram), new(big.Int)
		for range 3 {
			for _, v := range values {
				h.Add(time.Duration(v))
				sum.Add(sum, big.NewInt(v))
			}
		}
		exact, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(h.Count()))).Float64()
		assert.InEpsilon(t, exact+1e-300, h.Mean()+1e-300, 1e-15, "%v", values)
	}
}

func TestMergeIsAsIfAllWereAddedToOne(t *testing.T) {
	parts := [][]int64{
		{}, {5, -7, 400, 1 << 40}, {}, {-1 << 50, 12_345, 12_345}, {math.MaxInt64, math.MinInt64}, {-3},
	}
	all, merged := new(jitter.Histogram), new(jitter.Histogram)
	for _, p := range parts {
		merged.Merge(histogramOf(p...))
		for _, v := range p {
			all.Add(time.Duration(v))
		}
	}
	assert.True(t, *all == *merged)
	before := *merged
	merged.Merge(new(jitter.Histogram))
	assert.True(t, before == *merged, "an empty one changes nothing")
}

// Two hours at 100 us are 72 million samples, and 2^40 is more than anybody waits for:
// counts do not wrap, and the memory is that of the first sample.
func TestManySamplesNeitherGrowNorOverflow(t *testing.T) {
	h := histogramOf(300, -20_000_000, 20_000_000, 300)
	for range 40 {
		same := *h
		h.Merge(&same)
	}
	assert.Equal(t, uint64(4)<<40, h.Count())
	assert.Equal(t, []jitter.Bin{{Centre: 0.25, Count: 2 << 40}}, binsOf(h))
	assert.Equal(t, uint64(1)<<40, h.Below())
	assert.Equal(t, uint64(1)<<40, h.Above())
	assert.InDelta(t, 150, h.Mean(), 0)
	assert.InDelta(t, 0.5, h.FirstBin(), 0)
	assert.InDelta(t, 300, h.Quantile(0.75), 300/64)
	assert.Equal(t, 20*time.Millisecond, h.Quantile(0.7500001))
	assert.Less(t, unsafe.Sizeof(*h), uintptr(72_000))
}
