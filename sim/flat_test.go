package sim

import (
	"fmt"
	"log/slog"
	"math/bits"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// Numbers of tasks from few to very many.
var crowds = []int{4, 100, 10_000}

// crowd is a simulation of many tasks, whose records can be hidden: whoever then looks at
// one finds nil pointers, and fails.
type crowd struct {
	k      *rtos.Kernel
	s      *Sim
	hidden map[*simTask]simTask
}

func newCrowd(t *testing.T, tasks int) *crowd {
	c := &crowd{s: New(Options{Watchdog: -1, TimeSlicing: Off}), hidden: map[*simTask]simTask{}}
	k, err := rtos.New(rtos.Config{Port: c.s, Tasks: tasks, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	c.k = k
	return c
}

func (c *crowd) spawn(t *testing.T, prio int, body func(me *rtos.Task)) *rtos.Task {
	task, err := c.k.Spawn("t", prio, body)
	require.NoError(t, err)
	return task
}

func (c *crowd) record(t *rtos.Task) *simTask { return c.s.slots[t.Slot()] }

// hide hides all records but these.
func (c *crowd) hide(but ...*simTask) {
	kept := map[*simTask]bool{}
	for _, st := range but {
		kept[st] = true
	}
	for _, st := range c.s.slots {
		if !kept[st] {
			c.hidden[st] = *st
			*st = simTask{}
		}
	}
}

func (c *crowd) show() {
	for st, was := range c.hidden {
		*st = was
	}
	clear(c.hidden)
}

// What a switch looks at of a task is one cache line.
func TestTaskIsACacheLine(t *testing.T) {
	const line = 64
	assert.LessOrEqual(t, reflect.TypeFor[simTask]().Size(), uintptr(line))
	if bits.UintSize == 64 {
		for s := new(Sim); len(s.slots) < 100; {
			st := s.newSimTask()
			s.slots = append(s.slots, st)
			assert.Zero(t, reflect.ValueOf(st).Pointer()%line)
		}
	}
}

// A switch looks at two tasks, however many are ready.
func TestSwitchLooksAtTwoTasks(t *testing.T) {
	for _, tasks := range crowds {
		t.Run(fmt.Sprint(tasks), func(t *testing.T) {
			c := newCrowd(t, tasks)
			switches := 0
			for range tasks {
				c.spawn(t, 1, func(me *rtos.Task) {
					for range 3 {
						c.show() // for one that begins
						if switches++; switches%(tasks/4) == 0 {
							next := c.s.ready.rings[1].cursor.next
							c.hide(c.record(me), next, next.next) // one of them may be the end marker
						}
						me.Yield()
						c.show()
					}
				})
			}
			require.NoError(t, c.k.Run(t.Context()))
			assert.Equal(t, 3*tasks, switches)
		})
	}
}

// A hand-over, in which one task readies another and waits, looks at the two, however many
// others are ready or wait.
func TestHandoverLooksAtTwoTasks(t *testing.T) {
	for _, tasks := range crowds {
		t.Run(fmt.Sprint(tasks), func(t *testing.T) {
			c := newCrowd(t, tasks)
			for i := range tasks - 2 {
				c.spawn(t, 1+i%2, func(me *rtos.Task) {
					if i%2 == 0 {
						me.Work(me.Kernel().Ticks(5)) // ready, while others run
					} else {
						_ = me.Delay(me.Kernel().Ticks(uint64(1000 + i)))
					}
				})
			}
			var pair [2]*rtos.Task
			turns := 0
			for i := range pair {
				pair[i] = c.spawn(t, 3, func(me *rtos.Task) {
					_ = me.Delay(me.Kernel().Ticks(2)) // the others have begun to wait
					peer := pair[1-i]
					for range 3 {
						c.show() // for the one that begins
						_ = peer.NotifyGive()
						c.hide(c.record(me), c.record(peer))
						_, err := me.NotifyTake(true, rtos.Forever)
						c.show()
						assert.NoError(t, err)
						turns++
					}
					_ = peer.NotifyGive()
				})
			}
			require.NoError(t, c.k.Run(t.Context()))
			assert.Equal(t, 6, turns)
		})
	}
}

// Time goes on to the end of a delay without a look at any task but the one that waits
// for it, however many others wait for later.
func TestTimeJumpLooksAtOneTask(t *testing.T) {
	for _, tasks := range crowds {
		t.Run(fmt.Sprint(tasks), func(t *testing.T) {
			c := newCrowd(t, tasks)
			for i := range tasks - 1 {
				c.spawn(t, 1, func(me *rtos.Task) {
					_ = me.Delay(me.Kernel().Ticks(uint64(1_000_000 + i)))
				})
			}
			c.spawn(t, 2, func(me *rtos.Task) {
				_ = me.Delay(me.Kernel().Ticks(1))
				for range 3 {
					c.hide(c.record(me))
					err := me.Delay(me.Kernel().Ticks(1000))
					c.show()
					assert.NoError(t, err)
				}
				assert.EqualValues(t, 3001, c.s.Time())
			})
			require.NoError(t, c.k.Run(t.Context()))
		})
	}
}

// To begin and to end a limit moves no more than the logarithm of the number of limits.
func TestLimitsMoveOnePath(t *testing.T) {
	for _, limits := range crowds {
		t.Run(fmt.Sprint(limits), func(t *testing.T) {
			var h events
			for i := range limits {
				h.push(&event{at: uint64(i * 7919 % limits), order: uint64(i), index: noPlace})
			}
			for _, at := range []uint64{0, uint64(limits / 2), uint64(limits)} {
				was := append(events(nil), h...)
				moved := func() (n int) {
					for i, e := range was {
						if e.index != i {
							n++
						}
					}
					return n
				}
				e := &event{at: at, index: noPlace}
				h.push(e)
				assert.LessOrEqual(t, moved(), bits.Len(uint(limits)))

				was = append(events(nil), h...)
				h.remove(e)
				assert.LessOrEqual(t, moved(), bits.Len(uint(limits))+1)
			}
		})
	}
}
