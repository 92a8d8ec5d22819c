package published_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/published"
)

func TestLoadCounter(t *testing.T) {
	c, err := published.LoadCounter()
	require.NoError(t, err)
	require.Equal(t, 2, c.Tasks)
	for _, w := range []published.Way{c.Mutex, c.Notification} {
		require.Len(t, w.CPUPercent, c.Cores)
		require.InDelta(t, w.TotalMS*1000/float64(c.Iterations), w.PerOpUS, 0.01)
	}
}
