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
	rec, err := jitter.NewRecorder(jitter.Options{Name: "control", Period: time.Millisecond, Samples: 100})
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
	// measured      every 1ms for 100ms, catch up, complete
	// wait          sleep until
	// port          simulation
	// clock         virtual
	// policy        the simulation's
	// permission    none needed
	// degraded      nothing
	//
	// us           avg    min    p50       p99     p99.9       max  bin1 %  missed  cpu %  load ops/s  samples
	// control  100.000  0.000  0.000  3014.655  4000.000  4000.000   96.00       3      -           -      100
	//
	// off the bins  0 below -50 us, 4 from 450 us on
	// cpu           not known
	//
	// worst  planned   late us  collector  faults  wall clock
	//    50     50ms  4000.000          -       -           -
	//    51     51ms  3000.000          -       -           -
	//    52     52ms  2000.000          -       -           -
	//    53     53ms  1000.000          -       -           -
}

// An interrupt posts the time of each event in a ring, and the task that it wakes drains
// the ring. While something more urgent runs, events pile up; each has its own lateness.
func ExampleRing() {
	s := sim.New(sim.Options{})
	k, _ := rtos.New(rtos.Config{Port: s})
	ring := jitter.NewRing(64)
	rec, _ := jitter.NewRecorder(jitter.Options{Period: time.Millisecond, Samples: 20})
	handler, _ := k.Spawn("handler", 5, func(t *rtos.Task) {
		rec.Begin(t)
		defer rec.End()
		for !rec.Full() {
			t.NotifyTake(true, rtos.Forever)
			ring.Drain(k.Now(), rec, nil)
		}
	})
	k.Spawn("urgent", 9, func(t *rtos.Task) {
		t.Delay(9500 * time.Microsecond) // in ticks: 10
		t.Work(3 * time.Millisecond)
	})
	for i := range uint64(20) {
		s.At(i+1, func(isr *rtos.ISR) {
			ring.Post(k.Now(), k.Now())
			handler.NotifyGiveFromISR(isr)
		})
	}
	k.Run(context.Background())
	res := rec.Result()
	for _, late := range res.Worst[:4] {
		fmt.Println("event", late.Index, "late by", late.By)
	}
	fmt.Println(res.Coalesced, "without a wake of their own")
	// Output:
	// event 10 late by 3ms
	// event 11 late by 2ms
	// event 12 late by 1ms
	// event 1 late by 0s
	// 3 without a wake of their own
}

// What is waited for: the kernel's own delay, or that and then spinning. In virtual time
// spinning is exact, and it takes processor time from whoever is less urgent.
func ExampleSleepThenSpin() {
	k, _ := rtos.New(rtos.Config{Port: sim.New(sim.Options{})})
	rec, _ := jitter.NewRecorder(jitter.Options{Period: 10 * time.Millisecond, Samples: 10})
	loop := jitter.Loop{Recorder: rec, Wait: &jitter.SleepThenSpin{Margin: 3 * time.Millisecond}}
	load := jitter.SemLoad()
	k.Spawn("spins", 5, func(t *rtos.Task) {
		defer load.Stop()
		loop.Run(context.Background(), t)
	})
	load.Start(k, 1)
	k.Run(context.Background())
	fmt.Println("late by", rec.Result().Lateness.Max(), "at most;", rec.Result().WaitDetail)
	fmt.Println(load.Ops(), "operations of the load in", k.Now())
	// Output:
	// late by 0s at most; margin 3ms, given
	// 71 operations of the load in 101ms
}

func ExampleHistogram() {
	var h jitter.Histogram
	for _, late := range []time.Duration{120, 310, 499, 500, 1200, -20, 3 * time.Millisecond} {
		h.Add(late)
	}
	for b := range h.Bins() {
		fmt.Println(b.Centre, b.Count)
	}
	fmt.Println(h.Above(), "above", jitter.BinsTo)
	fmt.Println("median", h.Quantile(0.5), "max", h.Max())
	// Output:
	// -0.25 1
	// 0.25 3
	// 0.75 1
	// 1.25 1
	// 1 above 450µs
	// median 499ns max 3ms
}

// Rows of one's own stand beside published ones.
func ExampleTable() {
	here := jitter.PublishedRow("here", 0.071, -0.002, 119)
	here.Bin1, here.CPU, here.Samples = 99.51, 39, 100_000
	fmt.Print(&jitter.Table{
		Title: "A timer of 100 us, no load",
		Rows:  []jitter.Row{here, jitter.PublishedRow("Xenomai, published", 0.516, 0.287, 6.198)},
		Notes: []string{"Maxima are noise on a virtual machine."},
	})
	// Output:
	// A timer of 100 us, no load
	// us                    avg     min  p50  p99  p99.9      max  bin1 %  missed  cpu %  load ops/s  samples
	// here                0.071  -0.002    -    -      -  119.000   99.51       -   39.0           -   100000
	// Xenomai, published  0.516   0.287    -    -      -    6.198       -       -      -           -        -
	// Maxima are noise on a virtual machine.
}
