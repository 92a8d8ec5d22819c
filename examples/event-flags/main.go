// Event-flags uses a notification's value as 32 flags: senders set bits, one task waits
// for the bits that it needs. It runs in a simulation, so the times are exact and the
// flags that come at one instant come together.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

const (
	sensorReady = 1 << iota
	linkUp
	tooHot
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	k, err := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	if err != nil {
		return err
	}
	control, err := k.Spawn("control", 1, func(t *rtos.Task) {
		const needed = sensorReady | linkUp
		for seen := uint32(0); seen&needed != needed; {
			flags, err := t.NotifyWait(rtos.NotifyWait{ClearOnExit: ^uint32(0)}, rtos.Forever)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "%v: %s\n", k.Now(), names(flags))
			seen |= flags
		}
		fmt.Fprintf(w, "%v: all that is needed is there\n", k.Now())
	})
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		at   time.Duration
		flag uint32
	}{
		{"thermometer", 5 * time.Millisecond, tooHot},
		{"sensor", 5 * time.Millisecond, sensorReady},
		{"radio", 12 * time.Millisecond, linkUp},
	} {
		_, err := k.Spawn(s.name, 2, func(t *rtos.Task) {
			t.Delay(s.at)
			control.Notify(s.flag, rtos.SetBits)
		})
		if err != nil {
			return err
		}
	}
	return k.Run(context.Background())
}

func names(flags uint32) string {
	var list []string
	for i, name := range []string{"sensor ready", "link up", "too hot"} {
		if flags&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}
