package conformance

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

// waitingOps lists the operations that may wait, with a kind of object they wait on, "" if it
// is a notification.
func waitingOps() (list [][2]string) {
	for _, op := range slices.Sorted(maps.Keys(opSpecs)) {
		spec := opSpecs[op]
		if taskOps[op] == nil || !listed(spec.args, "ticks") {
			continue
		}
		if spec.kinds == "" {
			list = append(list, [2]string{op, ""})
		}
		for kind := range strings.FieldsSeq(spec.kinds) {
			if objectKinds[kind] != nil {
				list = append(list, [2]string{op, kind})
			}
		}
	}
	return list
}

// TestWaitingOpsRefuse: every form of every operation that would wait is refused where that is
// misuse.
func TestWaitingOpsRefuse(t *testing.T) {
	for _, op := range waitingOps() {
		for form := shortForms; form <= deadlineForms; form++ {
			t.Run(fmt.Sprintf("%s %s form %d", op[0], op[1], form), func(t *testing.T) { refuses(t, op[0], op[1], form) })
		}
	}
}

func refuses(t *testing.T, op, kind string, form forms) {
	r := &runner{setup: setup{forms: form}, ctx: context.Background(), sim: sim.New(sim.Options{})}
	r.deadline = r.virtualDeadline
	var err error
	r.kernel, err = rtos.New(rtos.Config{Port: r.sim, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	c := call{run: r, op: &Op{Name: op, Action: "none", Wait: Limit{Forever: true}}}
	if kind != "" {
		c.obj = objectKinds[kind](&Object{ID: "o", Kind: kind, Max: 1, Len: 1, Size: 1, Trigger: 1})
	}
	as := func(caller *rtos.Task, limit Limit) func() {
		return func() {
			c, o := c, *c.op
			o.Wait = limit
			c.op, c.task, c.target = &o, caller, caller
			taskOps[op](&c)
		}
	}
	refused := func(what, reason string, f func()) {
		t.Helper()
		misuse := caught(f)
		if assert.NotNil(t, misuse, what) {
			assert.Contains(t, misuse.Reason, reason, what)
		}
	}
	asleep, err := r.kernel.Spawn("asleep", 2, func(me *rtos.Task) {
		_ = caught(as(me, Limit{Ticks: 9})) // what there is to take is taken, what there is to fill is full
		_ = me.Delay(r.kernel.Ticks(9))
	})
	require.NoError(t, err)
	_, err = r.kernel.Spawn("awake", 1, func(me *rtos.Task) {
		for _, limit := range []Limit{{Ticks: 3}, {Forever: true}} {
			refused("no task", "nil task", as(nil, limit))
			refused("the identity of another one", "in another call", as(asleep, limit))
			var l rtos.Spinlock
			l.Lock(me)
			refused("a spinlock is held", "with a spinlock held", as(me, limit))
			l.Unlock(me)
			r.kernel.SuspendScheduler(me)
			refused("the scheduler is suspended", "scheduler suspended", as(me, limit))
			r.kernel.ResumeScheduler(me)
			ran := false
			r.sim.At(r.sim.Time()+1, func(*rtos.ISR) {
				ran = true
				refused("in an interrupt", "interrupt", as(me, limit))
			})
			me.Work(r.kernel.Ticks(2))
			assert.True(t, ran)
		}
	})
	require.NoError(t, err)
	require.NoError(t, r.kernel.Run(t.Context()))
}
