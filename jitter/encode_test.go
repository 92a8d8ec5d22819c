package jitter_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/jitter"
)

func TestHistogramIsReadAsItWasWritten(t *testing.T) {
	for _, values := range [][]int64{
		{},
		{0},
		{250, -250, 1_000_000, -1_000_000, 77, 77, 77},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64},
		{math.MinInt64, math.MinInt64, math.MinInt64, -1},
	} {
		h := histogramOf(values...)
		data, err := json.Marshal(h)
		require.NoError(t, err)
		back := histogramOf(1, 2, 3)
		require.NoError(t, json.Unmarshal(data, back), "%s", data)
		assert.True(t, *h == *back, "%v: %s", values, data)
	}
}

// Bins are written as published distributions have them.
func TestHistogramText(t *testing.T) {
	data, err := json.Marshal(histogramOf(100, 200, -300, 1_000_000))
	require.NoError(t, err)
	assert.JSONEq(t, `{"count": 4, "sum_ns": 1000000, "min_ns": -300, "max_ns": 1000000, "below": 0, "above": 1,
		"bins_us": [[-0.25, 1], [0.25, 2]],
		"buckets_ns": [[-300, 1], [100, 1], [201, 1], [1007615, 1]]}`, string(data))
}

func TestBrokenHistogramIsRefused(t *testing.T) {
	const good = `{"count":1,"sum_ns":100,"min_ns":100,"max_ns":100,"bins_us":[[0.25,1]],"buckets_ns":[[100,1]]}`
	require.NoError(t, new(jitter.Histogram).UnmarshalJSON([]byte(good)))
	for _, c := range []struct{ text, want string }{
		{`{`, "JSON"},
		{`{"count":1,"min_ns":1,"max_ns":1,"bins_us":[[0.25,1]],"buckets_ns":[[100,1]]}`, "sum_ns"},
		{`{"count":1,"sum_ns":340282366920938463463374607431768211456,"bins_us":[[0.25,1]],"buckets_ns":[[100,1]]}`, "sum_ns"},
		{`{"count":2,"sum_ns":1,"bins_us":[[0.25,1]],"buckets_ns":[[100,2]]}`, "bins hold 1"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.25,1]]}`, "buckets 0"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.3,1]],"buckets_ns":[[100,1]]}`, "0.3"},
		{`{"count":1,"sum_ns":1,"bins_us":[[450.25,1]],"buckets_ns":[[100,1]]}`, "450.25"},
		{`{"count":1,"sum_ns":1,"bins_us":[[1e300,1]],"buckets_ns":[[100,1]]}`, "1e+300"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.25]],"buckets_ns":[[100,1]]}`, "centre"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.25,1,1]],"buckets_ns":[[100,1]]}`, "centre"},
		{`{"count":1,"sum_ns":1,"bins_us":[["a",1]],"buckets_ns":[[100,1]]}`, "string"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.25,1]],"buckets_ns":[[-301,1]]}`, "-301 ends no bucket"},
		{`{"count":1,"sum_ns":1,"bins_us":[[0.25,1]],"buckets_ns":[[200,1]]}`, "200 ends no bucket"},
		{`{"count":1,"sum_ns":1,"min_ns":2,"max_ns":1,"bins_us":[[0.25,1]],"buckets_ns":[[100,1]]}`, "min_ns"},
	} {
		h := histogramOf(5)
		err := h.UnmarshalJSON([]byte(c.text))
		require.Error(t, err, c.text)
		assert.Contains(t, err.Error(), c.want)
		assert.True(t, *histogramOf(5) == *h, "unchanged")
	}
}

func FuzzHistogramText(f *testing.F) {
	for _, values := range [][]int64{{}, {250, -250, 1_000_000}, {math.MaxInt64, math.MinInt64}} {
		data, err := json.Marshal(histogramOf(values...))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var h, again jitter.Histogram
		if h.UnmarshalJSON(data) != nil {
			return
		}
		text, err := json.Marshal(&h)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &again))
		require.True(t, h == again)
		_, _ = h.Mean(), h.Quantile(0.999)
	})
}
