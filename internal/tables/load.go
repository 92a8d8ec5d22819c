package tables

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/jitter/stress"
)

// A Load is what runs beside a measurement.
type Load uint8

// The loads of the published tables.
const (
	NoLoad      Load = iota
	SemLoad          // two equal tasks take and give one semaphore
	MqLoad           // two equal tasks send each other one byte through two queues
	DelayLoad        // a task delays until the next millisecond, again and again
	StressLoad       // processes: ten compute, four use memory
	GarbageLoad      // goroutines allocate
)

var loadNames = [...]string{"NoLoad", "SemLoad", "MqLoad", "DelayLoad", "Load", "GarbageLoad"}

func (l Load) String() string { return loadNames[l] }

// delayPeriod is that of the task of DelayLoad.
const delayPeriod = time.Millisecond

// A RunningLoad has begun; stop ends it and waits for that.
type RunningLoad interface {
	loads() []jitter.Load
	stop() error
}

// tasks is the load's tasks, nil if it has none.
func (l Load) tasks() *jitter.TaskLoad {
	switch l {
	case SemLoad:
		return jitter.SemLoad()
	case MqLoad:
		return jitter.MqLoad()
	case DelayLoad:
		return jitter.DelayLoad(delayPeriod)
	}
	return nil
}

// A loadsApart is a [World] that wants the tasks of some loads to be goroutines of a kernel
// of their own, beside the one that is measured.
type loadsApart interface{ apart(l Load) bool }

// start begins the load and waits until it does something.
func (l Load) start(ctx context.Context, w World) (RunningLoad, error) {
	switch tasks := l.tasks(); {
	case l == StressLoad:
		return startStress(ctx)
	case l == GarbageLoad:
		return startGarbage(), nil
	case tasks == nil:
		return noLoad{}, nil
	default:
		if a, ok := w.(loadsApart); ok && a.apart(l) {
			return startTasks(ctx, tasks)
		}
		return &tasksWithin{tasks}, nil
	}
}

// awaitLoad waits until the load has done something.
func awaitLoad(ctx context.Context, l jitter.Load) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for l.Ops() == 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did nothing: %w", l.Name(), context.Cause(ctx))
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// noLoad is none.
type noLoad struct{}

func (noLoad) loads() []jitter.Load { return nil }
func (noLoad) stop() error          { return nil }

// tasksWithin are tasks of the kernel that is measured, which starts them.
type tasksWithin struct{ *jitter.TaskLoad }

func (l *tasksWithin) loads() []jitter.Load { return []jitter.Load{l.TaskLoad} }
func (l *tasksWithin) stop() error          { return nil }

// tasksApart are tasks of a kernel of their own.
type tasksApart struct {
	tasks *jitter.TaskLoad
	done  chan error
}

func startTasks(ctx context.Context, tasks *jitter.TaskLoad) (RunningLoad, error) {
	k, err := rtos.New(rtos.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := tasks.Start(k, 1); err != nil {
		return nil, err
	}
	l := &tasksApart{tasks, make(chan error, 1)}
	go func() { l.done <- k.Run(ctx) }()
	if err := awaitLoad(ctx, tasks); err != nil {
		return nil, errors.Join(err, l.stop())
	}
	return l, nil
}

func (l *tasksApart) loads() []jitter.Load { return []jitter.Load{l.tasks} }

func (l *tasksApart) stop() error {
	l.tasks.Stop()
	return <-l.done
}

// processes are those of package stress.
type processes struct{ *stress.Load }

func startStress(ctx context.Context) (RunningLoad, error) {
	l, err := stress.Start(stress.Options{CPU: 10, Memory: 4})
	if err != nil {
		return nil, err
	}
	if err := awaitLoad(ctx, l); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return processes{l}, nil
}

func (l processes) loads() []jitter.Load { return []jitter.Load{l.Load} }
func (l processes) stop() error          { return l.Stop() }
