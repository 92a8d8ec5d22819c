package sim_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// quiet logs nothing.
var quiet = slog.New(slog.DiscardHandler)

// A timeline of two tasks and an interrupt, and the summary.
func Example() {
	s := sim.New(sim.Options{Trace: os.Stdout})
	k, _ := rtos.New(rtos.Config{Port: s})
	data := rtos.NewBinary("data")
	k.Spawn("reader", 2, func(t *rtos.Task) {
		data.Take(t)
		s.Logf("a byte")
		t.Work(time.Millisecond)
	})
	k.Spawn("blinker", 1, func(t *rtos.Task) {
		for range 2 {
			t.Work(2 * time.Millisecond)
			t.Delay(10 * time.Millisecond)
		}
	})
	s.At(1, func(isr *rtos.ISR) { data.GiveFromISR(isr) }, sim.Named("uart"))
	if err := k.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Print(s.Summary())
	// Output:
	//        0 > reader
	//        0 > blinker    (reader waits for binary "data")
	//        1 ! uart
	//        1 > reader     (blinker ready)
	//        1 . reader     a byte
	//        2 > blinker    (reader ended)
	//        3 > idle       (blinker waits for time)
	//       13 > blinker
	//       15 > idle       (blinker waits for time)
	//       25 > blinker
	//       25 > idle       (blinker ended)
	// virtual time 25, seed 0: 9 switches, 1 interrupts, idle 80.0%
	// task             state     prio base        ticks   share     runs  waits for
	// reader           Deleted      2    2            1    4.0%        2
	// blinker          Deleted      1    1            4   16.0%        4
}

// A test drives the simulation to where it gets interesting, and looks.
func ExampleSim_RunTo() {
	s := sim.New(sim.Options{})
	k, _ := rtos.New(rtos.Config{Port: s, Logger: quiet})
	defer s.Close()
	bus := rtos.NewMutex("bus")
	low, _ := k.Spawn("low", 1, func(t *rtos.Task) {
		bus.Lock(t)
		t.Work(20 * time.Millisecond)
		bus.Unlock(t)
	})
	high, _ := k.Spawn("high", 3, func(t *rtos.Task) {
		t.Delay(5 * time.Millisecond)
		bus.Lock(t)
		t.Work(time.Hour)
	})
	if err := s.RunTo(func() bool { return low.Priority() != low.BasePriority() }, 100); err != nil {
		fmt.Println(err)
	}
	fmt.Println("tick", s.Time(), "low has priority", low.Priority())
	if err := s.RunTo(func() bool { return bus.Holder() == high }, 100); err != nil {
		fmt.Println(err)
	}
	fmt.Println("tick", s.Time(), "high has the bus, low has priority", low.Priority())
	// Output:
	// tick 5 low has priority 3
	// tick 20 high has the bus, low has priority 1
}

// Whatever is done from outside between two runs, the tasks react to it in the next.
func ExampleSim_Settle() {
	s := sim.New(sim.Options{})
	k, _ := rtos.New(rtos.Config{Port: s, Logger: quiet})
	defer s.Close()
	lamp, _ := k.Spawn("lamp", 1, func(t *rtos.Task) {
		for on := true; ; on = !on {
			t.NotifyTake(true, rtos.Forever)
			fmt.Println("lamp on:", on)
			t.Delay(100 * time.Millisecond) // debounce
		}
	})
	for range 2 {
		lamp.NotifyGive() // somebody presses the switch
		s.Settle()
		fmt.Println("at rest at", k.Now())
	}
	// Output:
	// lamp on: true
	// at rest at 100ms
	// lamp on: false
	// at rest at 200ms
}

// Two tasks take two mutexes, each in its own order.
func ExampleDeadlockError() {
	s := sim.New(sim.Options{})
	k, _ := rtos.New(rtos.Config{Port: s, Logger: quiet})
	left, right := rtos.NewMutex("left"), rtos.NewMutex("right")
	both := func(first, second *rtos.Mutex) func(*rtos.Task) {
		return func(t *rtos.Task) {
			first.Lock(t)
			t.Delay(time.Millisecond)
			second.Lock(t)
		}
	}
	k.Spawn("A", 1, both(left, right))
	k.Spawn("B", 1, both(right, left))
	fmt.Println(k.Run(context.Background()))
	// Output: sim: deadlock at tick 1: "A" waits for mutex "right", held by "B", which waits for mutex "left"; "B" waits for mutex "left", held by "A", which waits for mutex "right"; they wait for each other: A → B → A
}

// Two boards exchange messages over a link that takes 2 ms; their ticks differ.
func ExampleGroup() {
	var boards [2]*sim.Board
	for i, tick := range []time.Duration{time.Millisecond, 5 * time.Millisecond} {
		name := [...]string{"sensor", "display"}[i]
		boards[i], _ = sim.NewBoard(name, rtos.Config{Tick: tick, Logger: quiet}, sim.Options{}, func(b *sim.Board) error {
			_, err := b.Kernel().Spawn("link", 1, func(t *rtos.Task) {
				for range 2 {
					other := boards[1-i]
					b.Post(other, 2*time.Millisecond, func(isr *rtos.ISR) {
						other.Kernel().Task("link").NotifyGiveFromISR(isr)
					})
					t.NotifyTake(false, rtos.Forever) // one of those that have come
					fmt.Println(b.Now(), b.Name(), "has a message")
				}
			})
			return err
		})
	}
	g, _ := sim.NewGroup(boards[:]...)
	defer g.Close()
	if err := g.Settle(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2ms sensor has a message
	// 5ms display has a message
	// 5ms display has a message
	// 7ms sensor has a message
}

// A watchdog interrupt resets the board: everything starts from the beginning.
func ExampleBoard_Reset() {
	b, _ := sim.NewBoard("lander", rtos.Config{Logger: quiet}, sim.Options{}, func(b *sim.Board) error {
		fmt.Println(b.Now(), "boot")
		alive := false
		var feed func(*rtos.ISR)
		feed = func(*rtos.ISR) {
			if !alive {
				fmt.Println(b.Now(), "the watchdog bites")
				b.Reset()
				return
			}
			alive = false
			b.Sim().At(b.Sim().Time()+10, feed)
		}
		b.Sim().At(10, feed)
		_, err := b.Kernel().Spawn("main", 1, func(t *rtos.Task) {
			for n := 0; n < 3 || b.Resets() > 0; n++ { // the first time it hangs
				alive = true
				t.Delay(8 * time.Millisecond)
			}
			t.SuspendSelf()
		})
		return err
	})
	g, _ := sim.NewGroup(b)
	defer g.Close()
	g.RunUntil(100 * time.Millisecond)
	fmt.Println(g.Time(), "resets:", b.Resets())
	// Output:
	// 0s boot
	// 30ms the watchdog bites
	// 30ms boot
	// 100ms resets: 1
}
