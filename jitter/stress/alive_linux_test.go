package stress_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos/jitter/stress"
)

// alive tells whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// A program that keeps its own threads on one processor has workers on all that it could
// use when it began.
func TestWorkersUseTheProcessorsOfTheProgram(t *testing.T) {
	var all, one unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(os.Getpid(), &all))
	if all.Count() < 2 {
		t.Skip("needs two processors")
	}
	for i := 0; one.Count() == 0; i++ {
		if all.IsSet(i) {
			one.Set(i)
		}
	}
	keepThreadsOn(t, &one)
	defer keepThreadsOn(t, &all)
	l := start(t, stress.Options{CPU: 1})
	eventually(t, "it works", func() bool { return l.Ops() > 0 })
	var of unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(l.Processes()[0], &of))
	assert.Equal(t, all, of)
}

func keepThreadsOn(t *testing.T, set *unix.CPUSet) {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		require.NoError(t, err)
		require.NoError(t, unix.SchedSetaffinity(id, set))
	}
}
