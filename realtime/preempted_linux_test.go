//go:build !race

package realtime_test

import (
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// Go's scheduler looks every 10 ms who is in ordinary code, and preempts who was there 10 ms
// ago. A task that its timer calls in every period is not to be found there. On a busy
// machine it is, now and then.
func TestCalledTaskIsSeldomPreempted(t *testing.T) {
	needsTwoCores(t)
	const periods, most, tries = 5000, 10, 10
	preempted := make(chan os.Signal, 4096)
	signal.Notify(preempted, unix.SIGURG)
	defer signal.Stop(preempted)
	o := usual()
	o.Spin, o.Collector = time.Millisecond, realtime.CollectorOff
	inTask(t, o, func(task *rtos.Task, p *realtime.Port) {
		if !p.Mode().Bare || len(p.Mode().Spinning) == 0 {
			return
		}
		var counts []int
		for range tries {
			before := len(preempted)
			tm := start(t, p, realtime.TimerOptions{Period: 100 * time.Microsecond, Margin: 40 * time.Microsecond, Count: periods, Task: task})
			for _, err := tm.Next(task, time.Second); err == nil; _, err = tm.Next(task, time.Second) {
			}
			if counts = append(counts, len(preempted)-before); counts[len(counts)-1] <= most {
				return
			}
		}
		assert.Fail(t, "preempted too often", "%v times in %d ms", counts, periods/10)
	})
}
