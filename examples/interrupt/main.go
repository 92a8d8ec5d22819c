// Interrupt hands bytes from a simulated UART to a task: the interrupt only stores the
// byte and wakes the task, which does the work. The task of higher priority runs as soon
// as the interrupt is over, before the one that was interrupted.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	s := sim.New(sim.Options{})
	k, err := rtos.New(rtos.Config{Port: s})
	if err != nil {
		return err
	}
	const message = "ok\n"
	var register byte // of the UART

	reader, err := k.Spawn("reader", 2, func(t *rtos.Task) {
		for line := ""; line != message; {
			if n, err := t.NotifyTake(true, 20*time.Millisecond); err != nil || n > 1 {
				fmt.Fprintf(w, "%v: %d bytes, %v\n", k.Now(), n, err)
				return
			}
			line += string(register)
			fmt.Fprintf(w, "%v: line is %q\n", k.Now(), line)
		}
	})
	if err != nil {
		return err
	}
	_, err = k.Spawn("background", 1, func(t *rtos.Task) {
		fmt.Fprintf(w, "%v: background begins\n", k.Now())
		t.Work(15 * time.Millisecond)
		fmt.Fprintf(w, "%v: background ends\n", k.Now())
	})
	if err != nil {
		return err
	}
	for i := range len(message) {
		s.At(uint64(4*(i+1)), func(isr *rtos.ISR) {
			register = message[i]
			reader.NotifyGiveFromISR(isr)
			fmt.Fprintf(w, "%v: interrupt, woke the reader: %v\n", k.Now(), isr.Woken())
		})
	}
	return k.Run(context.Background())
}
