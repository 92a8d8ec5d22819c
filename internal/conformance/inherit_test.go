package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/internal/loans"
)

// TestRecordedUnderInheritChained runs what is recorded under the other policy of mutexes,
// and looks at every event whether the priorities are what that policy demands.
func TestRecordedUnderInheritChained(t *testing.T) {
	ran, looks, loaned := 0, 0, 0
	for _, f := range recorded() {
		s, err := Read(f.Name, f.Data)
		require.NoError(t, err)
		if s.Unsupported() != "" {
			continue
		}
		ran++
		var wrong error
		how := asReference
		how.config = func(c *rtos.Config) { c.Inheritance = rtos.InheritChained }
		how.watch = func(r *runner, _ *Event) {
			looks++
			if err := loans.Look(r.kernel, r.mutexes()).Chained(); err != nil && wrong == nil {
				wrong = err
			}
			for task := range r.kernel.Tasks() {
				if task.Priority() != task.BasePriority() {
					loaned++
				}
			}
		}
		_, err = run(s, how)
		require.NoError(t, err, f.Name)
		require.NoError(t, wrong, f.Name)
	}
	require.Equal(t, supported, ran)
	t.Logf("%d events, at which %d tasks had inherited", looks, loaned)
	require.Greater(t, loaned, 1000)
}

func (r *runner) mutexes() (list []rtos.MutexInfo) {
	for _, o := range r.objects {
		switch o := o.(type) {
		case mutexObject:
			list = append(list, o.m.Info())
		case recursiveObject:
			list = append(list, o.m.Info())
		}
	}
	return list
}
