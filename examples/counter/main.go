// Counter counts to 20,000 with two tasks in two ways: under a mutex, where a task counts
// on for as long as nobody is faster, and by notifications, where the tasks must take
// turns. The benchmarks of package rtos measure the same two.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/tickwake/rtos"
)

const increments = 10_000 // by each of the two tasks

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	n, err := withMutex()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "with a mutex:", n)

	n, err = withNotifications()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "with notifications:", n)
	return nil
}

func withMutex() (counter int, err error) {
	k, err := rtos.New(rtos.Config{})
	if err != nil {
		return 0, err
	}
	var m rtos.Mutex
	count := func(t *rtos.Task) {
		for range increments {
			m.Lock(t)
			counter++
			m.Unlock(t)
		}
	}
	for _, name := range []string{"a", "b"} {
		if _, err := k.Spawn(name, 1, count); err != nil {
			return 0, err
		}
	}
	err = k.Run(context.Background())
	return counter, err
}

func withNotifications() (counter int, err error) {
	k, err := rtos.New(rtos.Config{})
	if err != nil {
		return 0, err
	}
	count := func(peer **rtos.Task) func(*rtos.Task) {
		return func(t *rtos.Task) {
			for range increments {
				t.NotifyTake(true, rtos.Forever) // my turn
				counter++
				(*peer).NotifyGive() // yours; the last one may find that you have ended
			}
		}
	}
	var a, b *rtos.Task // set before Run, so before a body looks at them
	if a, err = k.Spawn("a", 1, count(&b)); err != nil {
		return 0, err
	}
	if b, err = k.Spawn("b", 1, count(&a)); err != nil {
		return 0, err
	}
	if err := a.NotifyGive(); err != nil { // the first turn is a's
		return 0, err
	}
	err = k.Run(context.Background())
	return counter, err
}
