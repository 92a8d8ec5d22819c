// Mutex-timeout shows the ways in which waiting for a mutex ends: it is free, it is not
// free and the task does not wait, the limit is over, the context is done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/tickwake/rtos"
)

var errOperator = errors.New("the operator pressed stop")

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
	ctx, stop := context.WithCancelCause(context.Background())
	m := rtos.NewMutex("valve")
	var holder, client *rtos.Task

	holder, err = k.Spawn("holder", 1, func(t *rtos.Task) {
		m.Lock(t)
		client.NotifyGive()
		t.NotifyTake(true, rtos.Forever) // until the client is about to wait with ctx
		t.Delay(5 * time.Millisecond)
		stop(errOperator)
		t.NotifyTake(true, rtos.Forever) // until the client has had enough
		m.Unlock(t)
	})
	if err != nil {
		return err
	}
	client, err = k.Spawn("client", 2, func(t *rtos.Task) {
		t.NotifyTake(true, rtos.Forever) // until the mutex is taken
		fmt.Fprintln(w, "TryLock:", m.TryLock(t))

		err := m.LockFor(t, 5*time.Millisecond)
		fmt.Fprintf(w, "LockFor: %v, is a timeout: %v\n", err, errors.Is(err, rtos.ErrTimeout))

		holder.NotifyGive()
		fmt.Fprintln(w, "LockCtx:", m.LockCtx(ctx, t))

		holder.NotifyGive()
		fmt.Fprintln(w, "Lock:", m.Lock(t))
		m.Unlock(t)

		fmt.Fprintln(w, "LockCtx of the free mutex:", m.LockCtx(ctx, t)) // ctx is done
	})
	if err != nil {
		return err
	}
	return k.Run(context.Background())
}
