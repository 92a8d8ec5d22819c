package rtos_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwake/rtos"
)

// A queue of waiters on something; give lets one of them go on, who calls passed.
type queueOf struct {
	name    string
	wait    func(t *rtos.Task, passed func()) error
	waiters func() []*rtos.Task
	hold    func(t *rtos.Task) error // makes the others wait
	give    func(t *rtos.Task) error // to one waiter, or to all, one after the other
	one     bool                     // give lets go one only
}

func queuesOf() []queueOf {
	m, r, s := rtos.NewMutex("m"), rtos.NewRecursiveMutex("r"), rtos.NewCounting("s", 1000, 0)
	empty, full, line := rtos.NewQueue[int]("empty", 1000), rtos.NewQueue[int]("full", 1), rtos.NewQueue[int]("line", 2)
	full.Overwrite(0)
	nothing := func(*rtos.Task) error { return nil }
	lock := func(name string, m lockable) queueOf {
		return queueOf{name, func(t *rtos.Task, passed func()) error {
			if err := m.Lock(t); err != nil {
				return err
			}
			passed()
			return m.Unlock(t)
		}, func() []*rtos.Task { return m.Info().Waiters }, m.Lock, m.Unlock, false}
	}
	return []queueOf{
		lock("Mutex", m),
		lock("RecursiveMutex", r),
		{"Semaphore", func(t *rtos.Task, passed func()) error {
			err := s.Take(t)
			passed()
			return err
		}, func() []*rtos.Task { return s.Info().Waiters }, nothing, func(*rtos.Task) error { s.Give(); return nil }, true},
		{"Semaphore with a limit", func(t *rtos.Task, passed func()) error {
			err := s.TakeFor(t, time.Hour)
			passed()
			return err
		}, func() []*rtos.Task { return s.Info().Waiters }, nothing, func(*rtos.Task) error { s.Give(); return nil }, true},
		{"Queue.Recv", func(t *rtos.Task, passed func()) error {
			_, err := empty.Recv(t)
			passed()
			return err
		}, func() []*rtos.Task { return empty.Info().Receivers }, nothing, func(t *rtos.Task) error { return empty.SendFor(t, 1, 0) }, true},
		{"Queue.Send", func(t *rtos.Task, passed func()) error {
			err := full.Send(t, 1)
			passed()
			return err
		}, func() []*rtos.Task { return full.Info().Senders }, nothing, func(t *rtos.Task) error { _, err := full.RecvFor(t, 0); return err }, true},
		{"Queue.SendFrontFor", func(t *rtos.Task, passed func()) error {
			err := line.SendFrontFor(t, 1, time.Hour)
			passed()
			return err
		}, func() []*rtos.Task { return line.Info().Senders }, func(t *rtos.Task) error {
			return errors.Join(line.SendFor(t, 1, 0), line.SendFor(t, 2, 0))
		}, func(t *rtos.Task) error { _, err := line.RecvFor(t, 0); return err }, true},
	}
}

// Waiters are served by priority, then by arrival, however many there are: up to 64
// tasks a waiter set is one word, beyond it has leaves.
func TestWaitersAreServedByPriorityThenArrival(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 200} {
		for i, q := range queuesOf() {
			t.Run(fmt.Sprintf("%d waiters/%s", n, q.name), func(t *testing.T) {
				exactly(t, rtos.Config{Tasks: n + 1}, func(t *testing.T, k *rtos.Kernel) {
					q := queuesOf()[i]
					r := rand.New(rand.NewPCG(uint64(n), uint64(i)))
					var tasks, served []*rtos.Task
					spawn(t, k, "boss", 1, func(boss *rtos.Task) {
						assert.NoError(t, q.hold(boss))
						for i := range n {
							w := spawn(t, k, fmt.Sprintf("w%d", i), 2+r.IntN(5), func(w *rtos.Task) {
								assert.NoError(t, q.wait(w, func() { served = append(served, w) }))
							})
							tasks = append(tasks, w)
							await(t, boss, "it waits", func() bool { return len(q.waiters()) == i+1 })
						}
						want := slices.Clone(tasks)
						slices.SortStableFunc(want, func(a, b *rtos.Task) int {
							return cmp.Compare(b.BasePriority(), a.BasePriority())
						})
						assert.Equal(t, labels(want), labels(q.waiters()), "Info lists the first in rank first")
						for i := range n {
							if q.one || i == 0 {
								assert.NoError(t, q.give(boss))
							}
							await(t, boss, "it is served", func() bool { return want[i].State() == rtos.StateDeleted })
						}
						assert.Equal(t, labels(want), labels(served))
						assert.Empty(t, q.waiters())
					})
					finish(t, k)
				})
			})
		}
	}
}

// A waiter that gives up leaves the order of the others as it is.
func TestWaitersThatGiveUpLeaveTheOrder(t *testing.T) {
	for i, q := range queuesOf() {
		t.Run(q.name, func(t *testing.T) {
			exactly(t, rtos.Config{Tasks: 130}, func(t *testing.T, k *rtos.Kernel) {
				q := queuesOf()[i]
				const n = 120
				var tasks, want, served []*rtos.Task
				spawn(t, k, "boss", 1, func(boss *rtos.Task) {
					assert.NoError(t, q.hold(boss))
					for i := range n {
						w := spawn(t, k, "w", 2+i%2, func(w *rtos.Task) {
							if q.wait(w, func() { served = append(served, w) }) != nil {
								served = slices.DeleteFunc(served, func(s *rtos.Task) bool { return s == w })
							}
						})
						tasks = append(tasks, w)
						await(t, boss, "it waits", func() bool { return len(q.waiters()) == i+1 })
					}
					for i, w := range tasks {
						if i%3 == 0 {
							assert.True(t, w.AbortDelay())
							await(t, boss, "it gives up", func() bool { return w.State() == rtos.StateDeleted })
						} else if i%2 == 1 {
							want = append(want, w)
						}
					}
					for i, w := range tasks {
						if i%3 != 0 && i%2 == 0 {
							want = append(want, w)
						}
					}
					assert.Equal(t, labels(want), labels(q.waiters()))
					for i := range want {
						if q.one || i == 0 {
							assert.NoError(t, q.give(boss))
						}
						await(t, boss, "it is served", func() bool { return want[i].State() == rtos.StateDeleted })
					}
					assert.Equal(t, labels(want), labels(served))
				})
				finish(t, k)
			})
		})
	}
}
