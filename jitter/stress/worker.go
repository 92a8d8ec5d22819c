package stress

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tickwake/rtos/internal/atomic"
)

// worker is a process that works.
type worker struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	told   atomic.Bool // to end
	ended  chan struct{}
	err    error // set before ended is closed: it has ended by itself
}

func startWorker(program string, j job, ops *atomic.Uint64) (*worker, error) {
	w := &worker{cmd: exec.Command(program), ended: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), variable+"="+j.String())
	w.cmd.Stdout = &adder{sum: ops}
	w.cmd.Stderr = &w.stderr
	w.cmd.WaitDelay = 5 * time.Second
	dieWithParent(w.cmd)
	// Nothing is ever written: the worker ends when the pipe is closed, as it is when this
	// program ends.
	if _, err := w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	go w.watch()
	return w, nil
}

// watch waits for the end of the process, expected or not.
func (w *worker) watch() {
	defer close(w.ended)
	if err := w.cmd.Wait(); !w.told.Load() {
		w.err = fmt.Errorf("stress: worker %d ended by itself: %v: %s", w.cmd.Process.Pid, err, w.stderr.String())
	}
}

func (w *worker) kill() {
	w.told.Store(true)
	_ = w.cmd.Process.Kill() // or it has ended by itself
}

func (w *worker) wait() error {
	<-w.ended
	return w.err
}
