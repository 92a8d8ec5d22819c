package rtos_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// exactly runs f on each port with time under control: goroutines in a bubble, where a
// task that is seen to wait is parked, and no limit ends while others compute.
func exactly(t *testing.T, c rtos.Config, f func(t *testing.T, k *rtos.Kernel)) {
	t.Run("goroutines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, newKernel(t, c)) })
	})
	t.Run("simulation", func(t *testing.T) {
		leakless(t)
		c := c
		c.Port = sim.New(sim.Options{})
		f(t, newKernel(t, c))
	})
}

// await lets the other tasks come to rest, and time pass until cond holds.
func await(tb testing.TB, me *rtos.Task, what string, cond func() bool) {
	tb.Helper()
	for range 1000 {
		if me.Kernel().Current() == nil {
			synctest.Wait()
		}
		if cond() {
			return
		}
		require.NoError(tb, me.Delay(me.Kernel().Ticks(1)))
	}
	require.FailNow(tb, "never: "+what)
}

// labels are tasks that can be compared and printed; a *Task leads to its whole kernel.
func labels(ts []*rtos.Task) []string {
	list := []string{}
	for _, t := range ts {
		list = append(list, label(t))
	}
	return list
}

func label(t *rtos.Task) string {
	if t == nil {
		return "nobody"
	}
	return fmt.Sprintf("%s#%d", t.Name(), t.Slot())
}

// mutexText is a MutexInfo that can be compared and printed.
func mutexText(i rtos.MutexInfo) string {
	return fmt.Sprintf("%q locked=%t owner=%s depth=%d waiters=%v", i.Name, i.Locked, label(i.Owner), i.Depth, labels(i.Waiters))
}
