package realtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/realtime"
)

// A timer on the first core wakes a task on another one every millisecond, and the task
// records how late it was. Where real time is not permitted it runs all the same, and the
// report says what was missing.
func ExamplePort_Timer() {
	p, err := realtime.New(realtime.Options{Spin: 100 * time.Microsecond})
	if errors.Is(err, os.ErrPermission) {
		log.Print(err) // says what it takes
		p, err = realtime.New(realtime.Options{Spin: 100 * time.Microsecond, BestEffort: true})
	}
	if err != nil {
		log.Fatal(err)
	}
	k, err := rtos.New(rtos.Config{Port: p})
	if err != nil {
		log.Fatal(err)
	}
	_, err = k.Spawn("control", 20, func(t *rtos.Task) {
		if err := control(t, p); err != nil {
			log.Print(err)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := k.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func control(t *rtos.Task, p *realtime.Port) (err error) {
	const period = time.Millisecond
	mode := p.Mode() // during the run: what has been reached
	rec, err := jitter.NewRecorder(jitter.Options{
		Name: "control", Period: period, Samples: 3000, Warmup: 100, OwnThread: true, File: "control.json",
		Setup: jitter.Setup{Port: "realtime", Policy: mode.Policy.String(), Degradations: mode.Why},
	})
	if err != nil {
		return err
	}
	margin, err := p.CalibrateMargin(0, period)
	if err != nil {
		return err
	}
	timer, err := p.Timer(realtime.TimerOptions{Period: period, Margin: margin, Core: 0, Task: t})
	if err != nil {
		return err
	}
	defer timer.Stop()
	rec.Begin(t)
	defer func() { // also when the task is deleted
		err = errors.Join(err, rec.End())
		fmt.Print(rec.Result())
	}()
	for next := uint64(0); !rec.Full(); {
		a, err := timer.Next(t, rtos.Forever)
		if err != nil {
			return err
		}
		if a.N > next {
			rec.Skipped(a.N - next) // the timer itself was late by whole periods
		}
		next = a.N + 1
		rec.Record(a.Deadline, p.Now())
	}
	return nil
}
