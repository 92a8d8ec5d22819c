package rtos_test

import (
	"context"
	"testing"
	"time"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// The same bodies run on both ports: two tasks that take turns by notification and count
// under a mutex.
func TestSameBodiesOnBothPorts(t *testing.T) {
	for _, p := range []rtos.Port{nil, sim.New(sim.Options{})} {
		k, err := rtos.New(rtos.Config{Port: p})
		if err != nil {
			t.Fatal(err)
		}
		var m rtos.Mutex
		n := 0
		var a, b *rtos.Task
		a, _ = k.Spawn("a", 3, func(t *rtos.Task) {
			for range 1000 {
				_, _ = t.NotifyTake(true, rtos.Forever)
				_ = m.Lock(t)
				n++
				_ = m.Unlock(t)
				b.NotifyGive()
			}
		})
		b, _ = k.Spawn("b", 3, func(t *rtos.Task) {
			a.NotifyGive()
			for range 1000 {
				t.NotifyTake(true, time.Second)
				m.Lock(t)
				n++
				m.Unlock(t)
				a.NotifyGive()
			}
		})
		if err := k.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n != 2000 {
			t.Fatal(n)
		}
	}
}
