package published_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/published"
)

func TestLoadVxWorks(t *testing.T) {
	v, err := published.LoadVxWorks()
	require.NoError(t, err)
	assert.Equal(t, 20_000, v.Samples)
	assert.NotEmpty(t, v.Source)
	assert.NotEmpty(t, v.Hardware)
	assert.NotEmpty(t, v.SecondRemark)
	assert.Len(t, v.Remarks, 1)
	assert.Len(t, v.Rows, 9)
	assert.Equal(t, published.Row{Avg: 0.249, Min: 0.162, Max: 0.487}, v.Rows["bmTimestampRead"])
	assert.Equal(t, published.Row{Avg: 4.066, Min: 0, Max: 15.778}, v.Rows["bmTaskJitterMqLoad"])
	assert.Len(t, v.SecondTable, 4)
	assert.Equal(t, published.Row{Avg: 1.637, Min: -0.249, Max: 13.199}, v.SecondTable["bmTaskJitterNoLoad"])
	for _, table := range []map[string]published.Row{v.Rows, v.SecondTable} {
		for name, row := range table {
			assert.True(t, row.Min < row.Avg && row.Avg < row.Max, "%s: %v", name, row)
		}
	}
}

func TestLoadXenomai(t *testing.T) {
	x, err := published.LoadXenomai()
	require.NoError(t, err)
	assert.Equal(t, 100, x.PeriodUS)
	assert.Equal(t, "stress -c 10 -m 4", x.Load)
	assert.NotEmpty(t, x.Source)
	assert.NotEmpty(t, x.Hardware)
	assert.Len(t, x.Remarks, 3)
	assert.InDelta(t, 0.163, x.TimestampRead.Avg, 0)
	assert.Equal(t, map[string]published.Row{
		"NoLoad": {Avg: 0.516, Min: 0.287, Max: 6.198},
		"Load":   {Avg: 0.768, Min: 0.325, Max: 6.859},
	}, x.Interrupt)
	assert.Equal(t, published.Row{Avg: 0.643, Min: -0.282, Max: 10.519}, x.KernelTask.Row)
	assert.Equal(t, published.Row{Avg: 3.605, Min: 0.422, Max: 13.328}, x.UserTask.Row)
	for _, d := range []published.Distribution{x.KernelTask, x.UserTask} {
		sum, n := 0.0, uint64(0)
		for _, b := range d.Bins {
			sum += b.Centre * float64(b.Count)
			n += b.Count
		}
		assert.InDelta(t, 0.5, d.BinUS, 0)
		assert.Equal(t, d.Samples, n)
		assert.InDelta(t, d.Mean, sum/float64(n), 0.0005)
	}
}
