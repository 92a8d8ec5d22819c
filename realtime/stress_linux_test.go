package realtime_test

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

var garbage [8]atomic.Pointer[[]byte]

// The worst that tasks can do: of all priorities on one core they allocate, and so help
// the collector, which never rests. Threads wait for each other inside Go's runtime then,
// and without the guard some do so for ever.
func TestAllocatingTasksDoNotHang(t *testing.T) {
	span := 3 * time.Second
	if testing.Short() {
		span = 500 * time.Millisecond
	}
	k, p := newKernel(t, usual())
	var stop atomic.Bool
	var rounds [len(garbage)]atomic.Int64
	for i := range rounds {
		spawn(t, k, strconv.Itoa(i), 1+i, func(task *rtos.Task) {
			for !stop.Load() {
				_ = task.Delay(time.Duration(200+137*i) * time.Microsecond)
				b := make([]byte, 2000+i)
				garbage[i].Store(&b)
				rounds[i].Add(1)
			}
		})
	}
	collected := make(chan int)
	go func() {
		n := 0
		for end := time.Now().Add(span); time.Now().Before(end); n++ {
			runtime.GC()
		}
		stop.Store(true)
		collected <- n
	}()
	run(t, k)
	assert.Greater(t, <-collected, 1)
	for i := range rounds {
		assert.NotZero(t, rounds[i].Load(), "task %d of %v", i, p.Mode())
	}
}
