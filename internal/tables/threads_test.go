package tables_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/tables"
)

// quick are rows of real time that are over soon: of each table and of each load one.
func quick() (rows []tables.Row) {
	seen := map[string]bool{}
	for _, row := range tables.Rows() {
		table, _, _ := strings.Cut(row.Name, "/")
		if load := row.Load.String(); !seen[table] || !seen[load] {
			seen[table], seen[load] = true, true
			row.Period, row.Samples = 200*time.Microsecond, 400
			rows = append(rows, row)
		}
	}
	return rows
}

// Whatever the system permits, every row can be measured, and says where.
func TestRowsAreMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of real time")
	}
	for _, row := range quick() {
		t.Run(row.Name, func(t *testing.T) {
			res, err := row.Measure(t.Context(), tables.New())
			require.NoError(t, err)
			for _, d := range res.Setup.Degradations {
				t.Log("degraded:", d)
			}
			assert.Equal(t, row.Name, res.Name)
			assert.NotZero(t, res.Lateness.Count())
			assert.LessOrEqual(t, res.Lateness.Count(), row.Samples)
			assert.GreaterOrEqual(t, res.Lateness.Count()+res.Missed, row.Samples, "what is not recorded was missed")
			assert.GreaterOrEqual(t, res.Lateness.Min(), time.Duration(0))
			assert.NotEmpty(t, res.Setup.Port)
			assert.NotEmpty(t, res.Setup.Policy)
			assert.Empty(t, res.Interrupted)
			if strings.HasPrefix(res.Setup.Port, "realtime") {
				assert.NotEqual(t, "process", res.CPU.Of, "what the loads use is not the row's")
			}
			assert.Len(t, res.Loads, map[bool]int{true: 0, false: 1}[row.Load == tables.NoLoad])
		})
	}
}

func TestThreadsEndWithTheContext(t *testing.T) {
	for _, row := range quick() {
		if row.Load != tables.NoLoad || !row.Spin && row.Stamp != tables.ClockRead {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			row.Samples = 1 << 40
			for limit := 500 * time.Millisecond; ; limit *= 4 { // what comes before the first sample may take long
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				res, err := row.Measure(ctx, tables.New())
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NotNil(t, res)
				if res.Lateness.Count() > 0 {
					assert.NotEmpty(t, res.Interrupted)
					return
				}
				require.Less(t, limit, time.Minute, "nothing was measured")
			}
		})
	}
}

// Whatever has been begun by then ends, and what is told is true.
func TestContextThatIsDoneBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range quick() {
		res, err := row.Measure(ctx, tables.New())
		assert.ErrorIs(t, err, context.Canceled, row.Name)
		if res == nil {
			continue
		}
		assert.Zero(t, res.Lateness.Count(), row.Name)
		if strings.HasPrefix(res.Setup.Port, "realtime") {
			assert.Contains(t, res.Setup.Policy, "on core", row.Name)
		}
	}
}
