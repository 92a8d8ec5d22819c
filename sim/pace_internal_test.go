package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// A driver that wakes late does not let time pass an event.
func TestLateClock(t *testing.T) {
	s := New(Options{Pace: 1})
	_, err := rtos.New(rtos.Config{Port: s})
	require.NoError(t, err)
	s.pace.anchor(0)
	s.pace.wall = s.pace.wall.Add(-time.Hour)
	s.catchClock(7)
	assert.EqualValues(t, 7, s.time)
	s.catchClock(5)
	assert.EqualValues(t, 7, s.time, "and never back")
	assert.NoError(t, s.Close())
}
