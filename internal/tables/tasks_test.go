package tables_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/tables"
	"github.com/tickwake/rtos/sim"
)

// simulated is a world in which everything is exact.
var simulated = tables.Tasks{NewPort: func() rtos.Port { return sim.New(sim.Options{}) }}

// short are the rows with a period that a simulation has, and fewer samples.
func short(t *testing.T) []tables.Row {
	t.Helper()
	rows := tables.Rows()
	for i := range rows {
		rows[i].Period, rows[i].Samples = 5*time.Millisecond, 300
	}
	return rows
}

// In a simulation less urgent loads delay nothing, and waking takes no time.
func TestRowsInSimulationAreExact(t *testing.T) {
	for _, row := range short(t) {
		if row.Load == tables.StressLoad || row.Load == tables.GarbageLoad {
			continue // they are of the real world
		}
		t.Run(row.Name, func(t *testing.T) {
			res, err := row.Measure(t.Context(), simulated)
			require.NoError(t, err)
			assert.Equal(t, row.Name, res.Name)
			assert.EqualValues(t, row.Samples, res.Lateness.Count())
			assert.Zero(t, res.Lateness.Min())
			assert.Zero(t, res.Lateness.Max())
			assert.Zero(t, res.Missed+res.Coalesced+res.Lost)
			assert.Empty(t, res.Interrupted)
			assert.Equal(t, "simulation", res.Setup.Port)
			assert.Equal(t, row.Load != tables.NoLoad, len(res.Loads) == 1)
		})
	}
}

func TestWhatWasMeasuredSurvivesAnInterruption(t *testing.T) {
	for _, row := range short(t) {
		if row.Stamp == tables.ClockRead || row.Load != tables.NoLoad {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			stopped := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			world := tables.Tasks{NewPort: func() rtos.Port {
				s := sim.New(sim.Options{})
				s.At(1200*5, func(*rtos.ISR) { cancel(stopped) })
				return s
			}}
			row.Samples = 1 << 40
			res, err := row.Measure(ctx, world)
			require.ErrorIs(t, err, stopped)
			require.ErrorContains(t, err, row.Name)
			require.NotNil(t, res)
			assert.GreaterOrEqual(t, res.Lateness.Count(), uint64(100))
			assert.NotEmpty(t, res.Interrupted)
		})
	}
}
