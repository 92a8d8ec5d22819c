package tables

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// Tasks is the World of a port that has no timers of its own: the most urgent task is the
// timer. It serves where there are no real-time threads, and in a simulation, where every
// figure is exact.
type Tasks struct {
	NewPort      func() rtos.Port // a port for each kernel, nil for goroutines
	Degradations []string
}

// ringLength is how many activations may wait for the task.
const ringLength = 4096

// Measure implements World.
func (w Tasks) Measure(ctx context.Context, r Row, load RunningLoad) (*jitter.Result, error) {
	k, err := rtos.New(rtos.Config{Port: w.NewPort(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	o := r.options(load)
	o.Setup.Degradations = w.Degradations
	rec, err := jitter.NewRecorder(o)
	if err != nil {
		return nil, err
	}
	within, loaded := load.(*tasksWithin)
	if loaded {
		if err := within.Start(k, 1); err != nil {
			return nil, err
		}
	}
	var failed error
	end := func(err error) {
		failed = errors.Join(failed, err)
		if loaded {
			within.Stop()
		}
	}
	top := k.Priorities() - 1
	switch r.Stamp {
	case ClockRead:
		_, err = k.Spawn(r.Name, top, func(t *rtos.Task) { end(readClock(t, rec, r)) })
	case Interrupt:
		loop := jitter.Loop{Recorder: rec, Wait: r.wait(), Policy: jitter.Skip}
		_, err = k.Spawn(r.Name, top, func(t *rtos.Task) { end(loop.Run(ctx, t)) })
	default:
		err = spawnPair(ctx, k, r, rec, end)
	}
	if err != nil {
		return nil, err
	}
	err = k.Run(ctx)
	return rec.Result(), errors.Join(err, failed)
}

func (r Row) wait() jitter.Wait {
	if r.Spin {
		return &jitter.SleepThenSpin{}
	}
	return jitter.SleepUntil{}
}

// spawnPair spawns the timer and the task that it wakes.
func spawnPair(ctx context.Context, k *rtos.Kernel, r Row, rec *jitter.Recorder, end func(error)) error {
	ring := jitter.NewRing(ringLength)
	top := k.Priorities() - 1
	var over atomic.Bool // everything is posted
	task, err := k.Spawn(r.Name, top-1, func(t *rtos.Task) {
		rec.Describe(r.wait().Name(), "", jitter.Skip.String())
		rec.Begin(t)
		defer func() { end(rec.End()) }() // also when it is unwound
		for last := false; !last; {
			if _, err := t.NotifyTake(true, rtos.Forever); err != nil {
				end(err)
				return
			}
			last = over.Load()
			ring.Drain(k.Now(), rec, nil)
		}
	})
	if err != nil {
		return err
	}
	// The timer's own recorder only says when it has had enough.
	own, err := jitter.NewRecorder(jitter.Options{Period: r.Period, Samples: r.Samples + warmup})
	if err != nil {
		return err
	}
	wait := &noting{Wait: r.wait()}
	loop := jitter.Loop{Recorder: own, Wait: wait, Policy: jitter.Skip, Work: func(*rtos.Task) {
		ring.Post(wait.planned, wait.began)
		over.Store(own.Full())
		_ = task.NotifyGive()
	}}
	_, err = k.Spawn("timer", top, func(t *rtos.Task) {
		if err := loop.Run(ctx, t); err != nil {
			task.Delete()
		}
	})
	return err
}

// noting is a Wait that notes what it was asked for and what came of it.
type noting struct {
	jitter.Wait
	planned, began time.Duration
}

// Until implements jitter.Wait.
func (n *noting) Until(t *rtos.Task, deadline time.Duration) (time.Duration, error) {
	now, err := n.Wait.Until(t, deadline)
	n.planned, n.began = deadline, now
	return now, err
}

// Calibrate implements jitter.Calibrator.
func (n *noting) Calibrate(ctx context.Context, t *rtos.Task, period time.Duration) error {
	if c, ok := n.Wait.(jitter.Calibrator); ok {
		return c.Calibrate(ctx, t, period)
	}
	return nil
}

// Detail implements jitter.Calibrator.
func (n *noting) Detail() string {
	if c, ok := n.Wait.(jitter.Calibrator); ok {
		return c.Detail()
	}
	return ""
}
