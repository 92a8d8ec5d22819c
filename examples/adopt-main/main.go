// Adopt-main makes the main goroutine a task for a while, so that it can use the kernel's
// objects: it sends questions to a task and waits for the answers.
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
	k, err := rtos.New(rtos.Config{})
	if err != nil {
		return err
	}
	me, err := k.Adopt("main", 1)
	if err != nil {
		return err
	}
	square, err := k.Spawn("square", 1, func(t *rtos.Task) {
		for {
			n, err := t.NotifyWait(rtos.NotifyWait{}, rtos.Forever)
			if err != nil || n == 0 {
				return
			}
			me.Notify(n*n, rtos.Overwrite)
		}
	})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- k.Run(context.Background()) }()

	for n := range uint32(3) {
		square.Notify(n+1, rtos.Overwrite)
		answer, err := me.NotifyWait(rtos.NotifyWait{}, time.Minute)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d squared is %d\n", n+1, answer)
	}

	// Release before the last spawned task ends: with it ends the kernel, and an adopted
	// task gets ErrDeleted from then on.
	if err := me.Release(); err != nil {
		return err
	}
	square.Notify(0, rtos.Overwrite)
	return <-ended
}
