package rtos_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// A producer and a consumer: the queue has room for two, so the producer waits when it is
// ahead, and the consumer when there is nothing.
func ExampleQueue() {
	k, _ := rtos.New(rtos.Config{})
	q := rtos.NewQueue[string]("parts", 2)
	k.Spawn("producer", 1, func(t *rtos.Task) {
		for _, part := range []string{"bolt", "nut", "gear", "shaft"} {
			q.Send(t, part)
		}
		q.Send(t, "") // there is no more
	})
	k.Spawn("consumer", 1, func(t *rtos.Task) {
		for {
			part, err := q.Recv(t)
			if err != nil || part == "" {
				return
			}
			fmt.Println("got a", part)
		}
	})
	if err := k.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// got a bolt
	// got a nut
	// got a gear
	// got a shaft
}

// A queue of length 1 is a mailbox for the latest value: the sensor overwrites it and never
// waits, the display looks at it when it likes.
func ExampleQueue_Overwrite() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	latest := rtos.NewQueue[int]("temperature", 1)
	k.Spawn("sensor", 2, func(t *rtos.Task) {
		for i := range 10 {
			t.Delay(10 * time.Millisecond)
			latest.Overwrite(20 + i)
		}
	})
	k.Spawn("display", 1, func(t *rtos.Task) {
		for range 3 {
			v, _ := latest.Peek(t)
			fmt.Println(k.Now(), v)
			t.Delay(35 * time.Millisecond)
		}
	})
	k.Run(context.Background())
	// Output:
	// 10ms 20
	// 45ms 23
	// 80ms 27
}

// What is urgent goes to the front.
func ExampleQueue_SendFront() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	q := rtos.NewQueue[string]("jobs", 4)
	k.Spawn("boss", 2, func(t *rtos.Task) {
		q.Send(t, "sweep")
		q.Send(t, "paint")
		q.SendFront(t, "put out the fire")
		fmt.Println(q.Len(), "jobs, room for", q.Free())
	})
	k.Spawn("worker", 1, func(t *rtos.Task) {
		for {
			job, err := q.RecvFor(t, time.Second)
			if err != nil {
				fmt.Println(k.Now(), err)
				return
			}
			fmt.Println(job)
		}
	})
	k.Run(context.Background())
	// Output:
	// 3 jobs, room for 1
	// put out the fire
	// sweep
	// paint
	// 1s rtos: timeout
}
