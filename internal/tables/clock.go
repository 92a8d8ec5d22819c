package tables

import (
	"errors"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// readings is how often the clock is read before that is recorded. They stay in the first cache.
const readings = 512

// readClock reads the kernel's clock again and again, and records each reading as late by
// the time since the one before.
func readClock(t *rtos.Task, rec *jitter.Recorder, r Row) (err error) {
	k := t.Kernel()
	read := make([]time.Duration, readings+1)
	rec.Describe("none", "", "back to back")
	rec.Begin(t)
	defer func() { err = errors.Join(err, rec.End()) }()
	for !rec.Full() {
		if err := t.Checkpoint(); err != nil {
			return err
		}
		for i := range read {
			read[i] = k.Now()
		}
		for i, now := range read[1:] {
			rec.Record(read[i], now)
		}
	}
	return nil
}
