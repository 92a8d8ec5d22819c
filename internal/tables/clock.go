package tables

import (
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
)

// readClock reads the kernel's clock again and again, and records each reading as late by
// the time since the one before.
func readClock(t *rtos.Task, rec *jitter.Recorder, r Row) error {
	k := t.Kernel()
	read := make([]time.Duration, warmup+r.Samples+1)
	rec.Describe("none", "", "back to back")
	rec.Begin(t)
	for i := range read {
		read[i] = k.Now()
	}
	for i, now := range read[1:] {
		rec.Record(read[i], now)
	}
	return rec.End()
}
