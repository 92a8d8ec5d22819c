// Producer-consumer passes items through a ring of four places with nothing but
// notifications: the count in the consumer's slot is the items that are there, the count
// in the producer's is the places that are free. Neither can overrun the other.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/tickwake/rtos"
)

const (
	places = 4
	items  = 10
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
	var ring [places]int
	var producer, consumer *rtos.Task

	producer, err = k.Spawn("producer", 1, func(t *rtos.Task) {
		for i := range items {
			t.NotifyTake(false, rtos.Forever) // one free place less
			ring[i%places] = i * i
			consumer.NotifyGive() // one item more
		}
	})
	if err != nil {
		return err
	}
	consumer, err = k.Spawn("consumer", 1, func(t *rtos.Task) {
		for i := range items {
			t.NotifyTake(false, rtos.Forever)
			fmt.Fprintf(w, "item %d: %d\n", i, ring[i%places])
			producer.NotifyGive() // the producer may have ended: it needs no more places
		}
	})
	if err != nil {
		return err
	}
	if err := producer.Notify(places, rtos.Overwrite); err != nil { // all places are free
		return err
	}
	return k.Run(context.Background())
}
