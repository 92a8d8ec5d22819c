package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// copyOf is a scenario that may be changed.
func copyOf(t *testing.T, s *Scenario) *Scenario {
	t.Helper()
	for _, f := range recorded() {
		if f.Name == s.File {
			c, err := Read(f.Name, f.Data)
			require.NoError(t, err)
			return c
		}
	}
	t.Fatalf("%s is not recorded", s.File)
	return nil
}

// shuffle makes another scenario of a recorded one: operations, limits, priorities and options
// change places. What it asks for may be nonsense, such as the deletion of a holder.
func shuffle(s *Scenario, rng *rand.Rand) {
	var all []*Op
	for i := range s.Tasks {
		for pc := range s.Tasks[i].Script {
			all = append(all, &s.Tasks[i].Script[pc])
		}
	}
	for range min(len(all), 1+rng.IntN(12)) {
		a, b := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
		*a, *b = *b, *a
		switch rng.IntN(6) {
		case 0:
			a.Wait = Limit{Forever: true}
		case 1:
			a.Wait = Limit{Ticks: rng.Uint32N(8)}
		case 2:
			a.N = 1 + rng.Uint32N(topPriority)
		case 3:
			if a.To != Self {
				a.To = rng.IntN(len(s.Tasks))
			}
		case 4:
			a.Guard = false
		}
	}
	for i := range s.Tasks {
		if rng.IntN(4) == 0 {
			s.Tasks[i].Priority = 1 + rng.IntN(topPriority)
		}
	}
	for i := range s.Interrupts {
		if rng.IntN(4) == 0 {
			s.Interrupts[i].At = rng.Uint64N(s.End + 2)
			s.Interrupts[i].NoYield = rng.IntN(2) == 0
		}
	}
	s.Config.Preemption = rng.IntN(8) != 0
	s.Config.TimeSlicing = rng.IntN(4) != 0
}

// runShuffled runs what has no recorded trace: it must have a trace with an end, and the same
// one in other forms of the calls and a larger kernel.
func runShuffled(t *testing.T, index, seed uint64) {
	files := recorded()
	f := files[index%uint64(len(files))]
	s, err := Read(f.Name, f.Data)
	require.NoError(t, err)
	if s.Unsupported() != "" {
		return
	}
	rng := rand.New(rand.NewPCG(index, seed))
	shuffle(s, rng)
	how := asReference
	if rng.IntN(4) == 0 {
		how.compat = rtos.Compat(rng.Uint32()) & (rtos.CompatFreeRTOS | rtos.CompatPollClears)
	}
	first, err := run(s, how)
	if errors.Is(err, errEvents) {
		return
	}
	require.NoError(t, err, "%s seed %d", f.Name, seed)
	require.Equal(t, EndEvent, first.Trace[len(first.Trace)-1].Kind, "%s seed %d", f.Name, seed)
	how.forms = forms(rng.IntN(3))
	how.tasks = rng.IntN(2) * 500
	second, err := run(s, how)
	require.NoError(t, err, "%s seed %d", f.Name, seed)
	require.Nil(t, Compare(first.Trace, second.Trace), "%s seed %d", f.Name, seed)
	how.forms = deadlineForms
	third, err := run(s, how)
	require.NoError(t, err, "%s seed %d", f.Name, seed)
	fourth, err := run(s, how)
	require.NoError(t, err, "%s seed %d", f.Name, seed)
	require.Nil(t, Compare(third.Trace, fourth.Trace), "%s seed %d", f.Name, seed)
}

func TestRunShuffled(t *testing.T) {
	for i := range recorded() {
		runShuffled(t, uint64(i), 1)
	}
}
