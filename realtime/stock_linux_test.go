package realtime_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/realtime"
)

// threadsHeld are threads that goroutines have taken out of Go's stock.
type threadsHeld struct {
	all  sync.WaitGroup
	free chan struct{}
}

func newThreadsHeld() *threadsHeld { return &threadsHeld{free: make(chan struct{})} }

func (h *threadsHeld) add(n int) {
	var there sync.WaitGroup
	there.Add(n)
	for range n {
		h.all.Go(func() {
			runtime.LockOSThread()
			there.Done()
			<-h.free
			runtime.UnlockOSThread()
		})
	}
	there.Wait()
}

func (h *threadsHeld) release() {
	close(h.free)
	h.all.Wait()
}

// A thread that Go has to make takes its time, and a task may be waiting for it.
func TestThreadsAreInStock(t *testing.T) {
	newPort(t, usual()) // or skip
	before, during := newThreadsHeld(), newThreadsHeld()
	defer before.release()
	for made := 0; made < 3; { // until the stock is empty
		n := len(settings(t))
		before.add(1)
		made += max(len(settings(t))-n, 0)
	}
	inTask(t, usual(), func(*rtos.Task, *realtime.Port) {
		defer during.release()
		n := len(settings(t))
		during.add(3)
		assert.Equal(t, n, len(settings(t)))
	})
}
