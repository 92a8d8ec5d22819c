package thread_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tickwake/rtos/internal/thread"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

func TestPin(t *testing.T) {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		done <- thread.Pin(0)
	}()
	switch err := <-done; {
	case thread.CanPin && err != nil:
		t.Error(err)
	case !thread.CanPin && !errors.Is(err, errors.ErrUnsupported):
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	for _, core := range []int{-1, 1 << 20} {
		if thread.Pin(core) == nil {
			t.Errorf("Pin(%d) succeeded", core)
		}
	}
}

// The time of a thread is its own: it grows while the thread computes.
func TestCPUTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := thread.ID()
	before, ok := thread.CPUTime(id)
	if !ok {
		if thread.CanPin {
			t.Fatal("it cannot be told")
		}
		t.Skip("not on this platform")
	}
	for start := time.Now(); time.Since(start) < 10*time.Millisecond; {
	}
	after, _ := thread.CPUTime(id)
	if used := after - before; used <= 0 || used > time.Second {
		t.Errorf("used %v in 10 ms of computing", used)
	}
	if _, ok := thread.CPUTime(-1 << 20); ok {
		t.Error("told the time of no thread")
	}
}
