package sim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestLivelockNamesWhoTakesTurns(t *testing.T) {
	for name, c := range map[string]struct {
		o      sim.Options
		bodies map[string]func(me *rtos.Task)
		want   []string
	}{
		"one that yields": {sim.Options{Livelock: 5000}, map[string]func(me *rtos.Task){
			"a": func(me *rtos.Task) {
				for {
					me.Yield()
				}
			},
		}, []string{"a"}},
		"a delay of nothing, and yields": {sim.Options{Livelock: 999}, map[string]func(me *rtos.Task){
			"a": func(me *rtos.Task) {
				for {
					_ = me.Delay(0)
				}
			},
			"b": func(me *rtos.Task) {
				for {
					me.Yield()
				}
			},
			"sleeps": func(me *rtos.Task) { _ = me.Delay(time.Hour) },
		}, []string{"a", "b"}},
		"one that makes others": {sim.Options{Livelock: 3}, map[string]func(me *rtos.Task){
			"parent": func(me *rtos.Task) {
				for {
					_, err := me.Kernel().Spawn("child", 3, func(*rtos.Task) {})
					if err != nil {
						return
					}
				}
			},
		}, []string{"child", "parent"}},
	} {
		t.Run(name, func(t *testing.T) {
			setUp := func() (*rtos.Kernel, *sim.Sim) {
				k, s := newSim(t, c.o)
				for name, body := range c.bodies {
					spawn(t, k, name, 1, func(me *rtos.Task) {
						if me.Delay(k.Ticks(7)) == nil {
							body(me)
						}
					})
				}
				return k, s
			}
			k, s := setUp()
			for range 2 { // time stands still when it is asked to go on again
				var l *sim.LivelockError
				require.ErrorAs(t, s.RunUntil(100), &l)
				assert.EqualValues(t, 7, l.Time)
				assert.ElementsMatch(t, c.want, l.Tasks)
				assert.Equal(t, c.o.Livelock+1, l.Choices)
				assert.Contains(t, l.Error(), "virtual time stayed at tick 7; in turn ran \"")
			}
			assert.NotZero(t, k.NumTasks(), "the tasks are where they are")

			k, _ = setUp()
			var l *sim.LivelockError
			require.ErrorAs(t, k.Run(t.Context()), &l)
			assert.ElementsMatch(t, c.want, l.Tasks)
			assert.Zero(t, k.NumTasks())
		})
	}
}

// Many choices are no livelock if time goes on between them.
func TestNoLivelockWhileTimeMoves(t *testing.T) {
	k, s := newSim(t, sim.Options{Livelock: 10})
	for range 2 {
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for range 1000 {
				me.Yield()
				me.Yield()
				me.Work(k.Ticks(1))
			}
		})
	}
	require.NoError(t, k.Run(t.Context()))
	assert.EqualValues(t, 2000, s.Time())
}

func TestLivelockLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 1_000_000, -1: 1_500_000} {
		k, _ := newSim(t, sim.Options{Livelock: limit})
		n := 0
		spawn(t, k, "a", 1, func(me *rtos.Task) {
			for ; n < 1_500_000; n++ {
				me.Yield()
			}
		})
		var l *sim.LivelockError
		assert.Equal(t, limit == 0, errors.As(k.Run(t.Context()), &l))
		assert.Equal(t, want, n, "limit %d", limit)
	}
}
