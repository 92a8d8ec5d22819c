package jitter_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/jitter"
	"github.com/tickwake/rtos/sim"
)

// A task of 1 ms is held up for 4 ms by a more urgent one. Its lateness is counted from
// the plan, so the stall shows in every activation that it delayed.
func Example() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	rec, err := jitter.NewRecorder(jitter.Options{Name: "control", Samples: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := jitter.Loop{Recorder: rec}
	k.Spawn("control", 5, func(t *rtos.Task) {
		if err := loop.Run(context.Background(), t); err != nil {
			fmt.Println(err)
		}
	})
	k.Spawn("urgent", 9, func(t *rtos.Task) {
		t.Delay(50 * time.Millisecond)
		t.Work(4 * time.Millisecond)
	})
	k.Run(context.Background())
	fmt.Print(rec.Result())
	// Output:
}
