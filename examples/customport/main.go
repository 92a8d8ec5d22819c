// Customport runs tasks on a port of its own: Lockstep, in lockstep.go, is all that a port
// has to be, and port_test.go lets package porttest check it. A sensor measures every two
// milliseconds and a logger needs three to write; since this port is cooperative the sensor
// has to wait for it although it is more urgent.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/tickwake/rtos"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	k, err := rtos.New(rtos.Config{Port: NewLockstep()})
	if err != nil {
		return err
	}
	say := func(t *rtos.Task, format string, args ...any) {
		fmt.Fprintf(w, "%4v %-7s %s\n", k.Now(), t, fmt.Sprintf(format, args...))
	}
	logger, err := k.Spawn("logger", 1, func(t *rtos.Task) {
		for {
			n, err := t.NotifyTake(true, 20*time.Millisecond)
			if err != nil {
				say(t, "ends: %v", err)
				return
			}
			t.Work(3 * time.Millisecond)
			say(t, "has written %d", n)
		}
	})
	if err != nil {
		return err
	}
	_, err = k.Spawn("sensor", 2, func(t *rtos.Task) {
		due := k.Now()
		for range 5 {
			t.DelayUntil(&due, 2*time.Millisecond)
			say(t, "measures what was due at %v", due)
			logger.NotifyGive()
		}
	})
	if err != nil {
		return err
	}
	return k.Run(context.Background())
}
