package tables

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/jitter"
)

// What a timer has lost is not what it has left out.
func TestGapIsMissedOrLost(t *testing.T) {
	rec, err := jitter.NewRecorder(jitter.Options{})
	require.NoError(t, err)
	rec.BeginOn(func() time.Duration { return 0 })
	var r reading
	for _, a := range []struct{ n, lost uint64 }{{0, 0}, {1, 0}, {4, 0}, {10, 3}, {11, 3}, {13, 4}} {
		r.gap(rec, a.n, a.lost)
		rec.Record(0, 0)
	}
	require.NoError(t, rec.End())
	res := rec.Result()
	assert.EqualValues(t, 6, res.Lateness.Count())
	assert.EqualValues(t, 2+2, res.Missed)
	assert.EqualValues(t, 4, res.Lost)
}
