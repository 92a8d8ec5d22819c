package porttest

import (
	"fmt"
	"time"

	"github.com/tickwake/rtos"
)

// wakeChecks are programs in which a lost wake-up leaves somebody waiting for ever, each
// under all that a world may do to it.
func wakeChecks() (list []check) {
	programs := []struct {
		name string
		run  func(*world, int, int)
	}{
		{"Semaphore", pingSemaphore}, {"Notification", pingNotification}, {"Mutex", countUnderMutex},
		{"Limited", pingLimited}, {"Counting", passItems}, {"Suspension", pingSuspension},
	}
	modes := []struct {
		name string
		mode mode
		what string
	}{
		{"", 0, ""},
		{"/EarlyReturns", early, "; a Park that returns early does no harm"},
		{"/ReadyTwice", twice, "; a Ready of a task that is ready already does no harm"},
		{"/LateExpiries", late, "; an expiry of a wait that is over does no harm"},
		{"/SlowCalls", slow, "; also if the Ready comes before its Park, or while it begins"},
		{"/All", early | twice | late | slow, "; whatever else happens"},
	}
	for _, p := range programs {
		for _, m := range modes {
			c := check{
				name:     "NoLostReady/" + p.name + m.name,
				methods:  "Ready, Park",
				contract: "Ready lets its task run, whenever it comes: no wake-up is lost" + m.what,
				body: func(tr *trial) {
					for _, prios := range [][2]int{{1, 1}, {1, 2}, {2, 1}} {
						p.run(tr.world(rtos.Config{}, m.mode), prios[0], prios[1])
					}
				},
			}
			if m.mode == slow {
				c.of = parallelPort
			}
			list = append(list, c)
		}
	}
	return list
}

func pingSemaphore(w *world, prioA, prioB int) {
	ping, pong := rtos.NewBinary("ping"), rtos.NewBinary("pong")
	w.spawn("a", prioA, func(t *rtos.Task) {
		for range w.rounds {
			_ = ping.Take(t)
			pong.Give()
		}
	})
	w.spawn("b", prioB, func(t *rtos.Task) {
		for range w.rounds {
			ping.Give()
			_ = pong.Take(t)
		}
	})
	w.finish()
}

func pingNotification(w *world, prioA, prioB int) {
	var a, b *rtos.Task
	turn := func(peer **rtos.Task) func(*rtos.Task) {
		return func(t *rtos.Task) {
			for range w.rounds {
				_, _ = t.NotifyTake(false, rtos.Forever)
				_ = (*peer).NotifyGive()
			}
		}
	}
	a = w.spawn("a", prioA, turn(&b))
	b = w.spawn("b", prioB, turn(&a))
	_ = a.NotifyGive()
	w.finish()
}

// The counter is no atomic: the race detector sees a mutex that excludes nobody.
func countUnderMutex(w *world, prioA, prioB int) {
	var m rtos.Mutex
	n := 0
	count := func(t *rtos.Task) {
		for i := range w.rounds {
			_ = m.Lock(t)
			n++
			if i%8 == 0 {
				t.Yield() // so that the others have to wait
			}
			_ = m.Unlock(t)
		}
	}
	for i, prio := range []int{prioA, prioB, prioA} {
		w.spawn(fmt.Sprint("counter ", i), prio, count)
	}
	w.finish()
	w.expect(n == 3*w.rounds, "Park, Ready", "counted to %d under a mutex, want %d", n, 3*w.rounds)
}

// Limits that are armed and disarmed in every round and never over.
func pingLimited(w *world, prioA, prioB int) {
	ping, pong := rtos.NewBinary("ping"), rtos.NewBinary("pong")
	take := func(t *rtos.Task, s *rtos.Semaphore) {
		if err := s.TakeFor(t, time.Hour); err != nil {
			w.failf("Arm, Disarm, Ready", "a wait of an hour at most for what is given at once: %v", err)
		}
	}
	w.spawn("a", prioA, func(t *rtos.Task) {
		for range w.rounds {
			take(t, ping)
			pong.Give()
		}
	})
	w.spawn("b", prioB, func(t *rtos.Task) {
		for range w.rounds {
			ping.Give()
			take(t, pong)
		}
	})
	w.finish()
}

// Two producers and two consumers of a buffer of three places.
func passItems(w *world, prioA, prioB int) {
	items, places := rtos.NewCounting("items", 3, 0), rtos.NewCounting("places", 3, 3)
	for i, prio := range []int{prioA, prioB} {
		w.spawn(fmt.Sprint("producer ", i), prio, func(t *rtos.Task) {
			for range w.rounds {
				_ = places.Take(t)
				items.Give()
			}
		})
		w.spawn(fmt.Sprint("consumer ", i), prio, func(t *rtos.Task) {
			for range w.rounds {
				_ = items.Take(t)
				places.Give()
			}
		})
	}
	w.finish()
	w.expect(items.Count() == 0 && places.Count() == 3, "Park, Ready", "%d items and %d places are left, want 0 and 3",
		items.Count(), places.Count())
}

func pingSuspension(w *world, prioA, prioB int) {
	rounds := max(w.rounds/10, 10)
	var waker *rtos.Task
	sleeper := w.spawn("sleeper", prioA, func(t *rtos.Task) {
		for range rounds {
			_ = waker.NotifyGive()
			_ = t.SuspendSelf()
		}
	})
	waker = w.spawn("waker", prioB, func(t *rtos.Task) {
		for range rounds {
			_, _ = t.NotifyTake(true, rtos.Forever)
			if !w.is(sleeper, rtos.StateSuspended, t) {
				return
			}
			sleeper.Resume()
		}
	})
	w.finish()
}
