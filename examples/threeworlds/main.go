// Threeworlds runs the same bodies in each world that the package has: as goroutines by the
// wall clock, and in a simulation in virtual time. Three workers share twelve jobs, each of
// which has to wait for a machine; a collector counts what is done, and gives up when
// nothing comes any more. Who does which job is open, what comes out is not.
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
	"github.com/tickwake/rtos/sim"
)

// A world is where tasks run. A further port is a further line.
type world struct {
	name  string
	port  func() rtos.Port
	exact bool // time is virtual: the same in every run
}

var worlds = []world{
	{"goroutines", rtos.NewGoroutinePort, false},
	{"simulation", func() rtos.Port { return sim.New(sim.Options{}) }, true},
}

const (
	jobs     = 12
	workers  = 3
	machine  = 2 * time.Millisecond // that a job takes
	patience = 5 * time.Millisecond // of the collector, once it has all
)

// outcome is what a world may not change.
type outcome struct {
	done, squares int
	last          error // that ended the collector's wait
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	var first outcome
	for i, world := range worlds {
		got, took, err := visit(world)
		if err != nil {
			return fmt.Errorf("%s: %w", world.name, err)
		}
		fmt.Fprintf(w, "%s: %d jobs done, the sum of their squares is %d, then: %v\n", world.name, got.done, got.squares, got.last)
		if world.exact {
			fmt.Fprintf(w, "%s: took %v\n", world.name, took)
		} else {
			least := jobs/workers*machine + patience
			fmt.Fprintf(w, "%s: took %v at least: %v\n", world.name, least, took >= least)
		}
		if i == 0 {
			first = got
		}
		if got != first {
			return errors.New(world.name + " is another world than " + worlds[0].name)
		}
	}
	fmt.Fprintf(w, "%d worlds, one outcome\n", len(worlds))
	return nil
}

// visit runs the tasks in a world and tells what came out, and after what time.
func visit(in world) (got outcome, took time.Duration, err error) {
	k, err := rtos.New(rtos.Config{Port: in.port()})
	if err != nil {
		return got, 0, err
	}
	var (
		todo  = rtos.NewCounting("todo", jobs, jobs)
		m     rtos.Mutex
		next  int // guarded by m, as is got.squares
		start = k.Now()
	)
	collector, err := k.Spawn("collector", workers+1, func(t *rtos.Task) {
		for got.last == nil {
			limit := time.Minute
			if got.done == jobs {
				limit = patience
			}
			var n uint32
			n, got.last = t.NotifyTake(true, limit)
			got.done += int(n)
		}
		took = k.Now() - start
	})
	if err != nil {
		return got, 0, err
	}
	for i := range workers {
		_, err := k.Spawn(fmt.Sprint("worker ", i), 1+i, func(t *rtos.Task) {
			for todo.TryTake(t) {
				t.Delay(machine)
				m.Lock(t)
				next++
				got.squares += next * next
				m.Unlock(t)
				collector.NotifyGive()
			}
		})
		if err != nil {
			return got, 0, err
		}
	}
	err = k.Run(context.Background())
	return got, took, err
}
