// Simulator runs two boards, each with a kernel of its own, in one virtual time. The sensor
// board measures every 10 ms and sends what it has measured; the radio takes 3 ms. The
// display board takes the frames from a queue. After the fourth measurement the sensor's
// task hangs, its watchdog presses the reset button, and it starts from the beginning. Half a
// second passes in no time, and every run is the same.
package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

const latency = 3 * time.Millisecond

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	quiet := rtos.Config{Logger: slog.New(slog.DiscardHandler)} // the tasks are stopped at the end
	d := &display{w: w}
	screen, err := sim.NewBoard("display", quiet, sim.Options{}, d.boot)
	if err != nil {
		return err
	}
	s := &sensor{w: w, screen: screen, frames: &d.frames}
	probe, err := sim.NewBoard("sensor", quiet, sim.Options{}, s.boot)
	if err != nil {
		return err
	}
	both, err := sim.NewGroup(screen, probe)
	if err != nil {
		return err
	}
	if err := both.RunUntil(500 * time.Millisecond); err != nil {
		return err
	}
	fmt.Fprintf(w, "%v: %d frames shown, %d resets of the sensor board\n", both.Time(), d.shown, probe.Resets())
	return both.Close()
}

// A frame is what goes over the radio.
type frame struct{ boot, number int }

// display shows frames as they come.
type display struct {
	w      io.Writer
	frames *rtos.Queue[frame]
	shown  int
}

func (d *display) boot(b *sim.Board) error {
	d.frames = rtos.NewQueue[frame]("frames", 4)
	_, err := b.Kernel().Spawn("show", 1, func(t *rtos.Task) {
		for {
			f, err := d.frames.Recv(t)
			if err != nil {
				return
			}
			d.shown++
			if f.number < 3 {
				fmt.Fprintf(d.w, "%v: frame %d of start %d\n", b.Now(), f.number, f.boot)
			}
		}
	})
	return err
}

// sensor measures, sends, and is watched.
type sensor struct {
	w      io.Writer
	screen *sim.Board
	frames **rtos.Queue[frame]
	boots  int
}

func (s *sensor) boot(b *sim.Board) error {
	s.boots++
	boot := s.boots
	alive := rtos.NewBinary("alive")
	_, err := b.Kernel().Spawn("measure", 2, func(t *rtos.Task) {
		next := b.Kernel().Now()
		for n := 1; ; n++ {
			if _, err := t.DelayUntil(&next, 10*time.Millisecond); err != nil {
				return
			}
			if boot == 1 && n == 5 {
				t.Work(time.Hour) // it hangs
			}
			alive.Give()
			b.Post(s.screen, latency, func(isr *rtos.ISR) {
				(*s.frames).TrySendFromISR(isr, frame{boot, n})
			})
		}
	})
	if err != nil {
		return err
	}
	_, err = b.Kernel().Spawn("watchdog", 5, func(t *rtos.Task) {
		for alive.TakeFor(t, 50*time.Millisecond) == nil {
		}
		fmt.Fprintf(s.w, "%v: the watchdog presses the reset button\n", b.Now())
		_ = b.Reset() // and does not come back
	})
	return err
}
