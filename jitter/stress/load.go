package stress

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/tickwake/rtos/internal/atomic"
)

// Options says how many workers there are to be.
type Options struct {
	_ struct{}

	// CPU is the number of processes that compute (stress -c). Default none.
	CPU int
	// Memory is the number of processes that map, touch and unmap memory (stress -m).
	// Default none.
	Memory int
	// MemoryBytes is how much memory each of those takes. Default 256 MiB.
	MemoryBytes int
}

// A Load is running workers.
type Load struct {
	opts    Options
	ops     atomic.Uint64
	stop    chan struct{} // closed to end the workers
	once    sync.Once
	done    chan struct{} // closed when all workers have ended
	err     error         // set before done is closed
	workers []*worker
}

// Start starts the workers. The error says what could not be started; then nothing runs.
// Blocking, until the processes have been made.
func Start(o Options) (*Load, error) {
	switch {
	case o.CPU < 0 || o.Memory < 0 || o.MemoryBytes < 0:
		return nil, fmt.Errorf("stress: Options %+v: a negative number", o)
	case o.CPU+o.Memory == 0:
		return nil, errors.New("stress: no workers asked for")
	case os.Getenv(variable) != "":
		return nil, errors.New("stress: a worker starts no workers")
	case runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		return nil, fmt.Errorf("stress: processes on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 256 << 20
	}
	l := &Load{opts: o, stop: make(chan struct{}), done: make(chan struct{})}
	started := make(chan error)
	go l.keep(started)
	if err := <-started; err != nil {
		<-l.done
		return nil, err
	}
	return l, nil
}

// keep starts the workers, and ends them. It keeps its thread: on Linux a worker dies with
// the thread that has started it.
func (l *Load) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(l.done)
	err := l.startAll()
	started <- err
	if err == nil {
		<-l.stop
	}
	l.err = l.endAll()
}

func (l *Load) startAll() error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("stress: which program to start: %w", err)
	}
	jobs := make([]job, 0, l.opts.CPU+l.opts.Memory)
	for range l.opts.CPU {
		jobs = append(jobs, job{kind: jobCPU})
	}
	for range l.opts.Memory {
		jobs = append(jobs, job{kind: jobMemory, bytes: l.opts.MemoryBytes})
	}
	for _, j := range jobs {
		w, err := startWorker(program, j, &l.ops)
		if err != nil {
			return fmt.Errorf("stress: worker %d of %d: %w", len(l.workers)+1, len(jobs), err)
		}
		l.workers = append(l.workers, w)
	}
	return nil
}

// endAll ends all workers at the same time, then waits for each.
func (l *Load) endAll() error {
	for _, w := range l.workers {
		w.kill()
	}
	var errs []error
	for _, w := range l.workers {
		errs = append(errs, w.wait())
	}
	return errors.Join(errs...)
}

// Stop ends all workers and waits until they are gone. An error says that one had ended by
// itself, so that the load was less than asked for. From anywhere; once more does no harm.
// Blocking.
func (l *Load) Stop() error {
	l.once.Do(func() { close(l.stop) })
	<-l.done
	return l.err
}

// Err tells while the load runs what [Load.Stop] would say: whether a worker has ended by
// itself. From anywhere.
func (l *Load) Err() error {
	var errs []error
	for _, w := range l.workers {
		select {
		case <-w.ended:
			errs = append(errs, w.err)
		default:
		}
	}
	return errors.Join(errs...)
}

// Name is the command that does the same.
func (l *Load) Name() string {
	name := "stress"
	if l.opts.CPU > 0 {
		name += fmt.Sprintf(" -c %d", l.opts.CPU)
	}
	if l.opts.Memory > 0 {
		name += fmt.Sprintf(" -m %d", l.opts.Memory)
	}
	return name
}

// Ops is the number of operations that the workers have reported, which they do every
// tenth of a second or a little later. Wait-free.
func (l *Load) Ops() uint64 { return l.ops.Load() }

// Least is the number of operations a second below which it is no load.
func (l *Load) Least() float64 { return 1000 }

// Processes is the numbers of the workers' processes.
func (l *Load) Processes() []int {
	list := make([]int, len(l.workers))
	for i, w := range l.workers {
		list[i] = w.cmd.Process.Pid
	}
	return list
}
