// Counter counts to 20,000 with two tasks, in two ways: with a mutex, where a task may
// count on for as long as nobody else is faster, and with notifications, where the two
// must take turns. The benchmarks of package rtos measure the same two.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/tickwake/rtos"
)

const increments = 10_000 // by each task

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	for _, way := range []struct {
		name  string
		count func() (int, error)
	}{
		{"mutex", withMutex},
		{"notifications", withNotifications},
	} {
		n, err := way.count()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: counted to %d\n", way.name, n)
	}
	return nil
}

func withMutex() (counter int, err error) {
	var m rtos.Mutex
	body := func(t *rtos.Task) {
		for range increments {
			if m.Lock(t) != nil {
				return
			}
			counter++
			m.Unlock(t)
		}
	}
	err = runTwo(body, body)
	return counter, err
}

func withNotifications() (counter int, err error) {
	var other [2]*rtos.Task
	body := func(me int) func(*rtos.Task) {
		return func(t *rtos.Task) {
			other[1-me] = t
			for range increments {
				if _, err := t.NotifyTake(true, rtos.Forever); err != nil {
					return
				}
				counter++
				// The very last turn goes to a task that has ended: ErrDeleted,
				// which does no harm.
				other[me].NotifyGive()
			}
		}
	}
	_ = body
	return
}
