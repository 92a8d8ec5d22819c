package rtos_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// queueInput and queueOutput are one call on a queue, as a list would do it.
type (
	queueInput struct {
		op     string
		v      int
		length int
	}
	queueOutput struct {
		v  int
		ok bool
	}
)

// queueAsList is what a queue must look like: as if every call were one step at some moment
// between its beginning and its end.
var queueAsList = porcupine.Model{
	Init: func() any { return []int(nil) },
	Step: func(state, input, output any) (bool, any) {
		list, in, out := state.([]int), input.(queueInput), output.(queueOutput)
		switch in.op {
		case "send":
			if len(list) == in.length {
				return !out.ok, list
			}
			return out.ok, append(slices.Clone(list), in.v)
		case "front":
			if len(list) == in.length {
				return !out.ok, list
			}
			return out.ok, append([]int{in.v}, list...)
		case "overwrite":
			return true, []int{in.v}
		}
		switch {
		case len(list) == 0:
			return !out.ok, list
		case !out.ok || out.v != list[0]:
			return false, list
		case in.op == "peek":
			return true, list
		}
		return true, list[1:]
	},
	Equal:             func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v %+v", in, out) },
}

// Calls that do not wait, by several tasks at a time, are linearizable.
func TestQueueIsLinearizable(t *testing.T) {
	const tasks, calls = 4, 12
	histories := 400
	if testing.Short() {
		histories = 50
	}
	for _, length := range []int{1, 2, 3} {
		t.Run(fmt.Sprint("length ", length), func(t *testing.T) {
			withProcs(t, 4)
			for h := range histories {
				k := newKernel(t, rtos.Config{Tasks: tasks})
				q := rtos.NewQueue[int]("q", length)
				var clock atomic.Int64
				ops := make([][]porcupine.Operation, tasks)
				var ready atomic.Int32
				for i := range tasks {
					spawn(t, k, fmt.Sprint("t", i), 1, func(me *rtos.Task) {
						r := rand.New(rand.NewPCG(uint64(h), uint64(i)))
						for ready.Add(1); ready.Load() < tasks; {
							runtime.Gosched()
						}
						for n := range calls {
							in := queueInput{v: i*calls + n, length: length}
							op := porcupine.Operation{ClientId: i, Call: clock.Add(1)}
							out := queueCalled(q, me, &in, r)
							op.Return = clock.Add(1)
							op.Input, op.Output = in, out
							ops[i] = append(ops[i], op)
							if r.IntN(4) == 0 {
								me.Yield()
							}
						}
					})
				}
				finish(t, k)
				history := slices.Concat(ops...)
				result := porcupine.CheckOperationsTimeout(queueAsList, history, patience)
				require.Equal(t, porcupine.Ok, result, "no order explains %+v", history)
			}
		})
	}
}

// queueCalled makes one call at random.
func queueCalled(q *rtos.Queue[int], me *rtos.Task, in *queueInput, r *rand.Rand) (out queueOutput) {
	short := time.Duration(r.IntN(2)) * time.Nanosecond // 1 ns: it looks a few times, and may offer
	switch n := r.IntN(10); {
	case n == 0 && in.length == 1:
		in.op = "overwrite"
		q.Overwrite(in.v)
	case n < 2:
		in.op, out.ok = "front", q.TrySendFront(me, in.v)
	case n < 5:
		in.op, out.ok = "send", q.SendFor(me, in.v, short) == nil
	case n < 6:
		in.op = "peek"
		out.v, out.ok = q.TryPeek(me)
	default:
		in.op = "recv"
		v, err := q.RecvFor(me, short)
		out.v, out.ok = v, err == nil
	}
	return out
}
