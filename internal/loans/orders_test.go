package loans

import (
	"flag"
	"testing"

	"github.com/tickwake/rtos"
)

var allOrders = flag.Bool("loans.all", false, "run all orders of the small programs, not one of every 23")

// every runs f for all combinations of what it chooses: choose(n) is 0 to n-1.
func every(f func(choose func(n int) int)) {
	type choice struct{ n, pick int }
	var trail []choice
	for {
		at := 0
		f(func(n int) int {
			if at == len(trail) {
				trail = append(trail, choice{n, 0})
			}
			at++
			return trail[at-1].pick
		})
		last := len(trail) - 1
		for last >= 0 && trail[last].pick+1 == trail[last].n {
			last--
		}
		if last < 0 {
			return
		}
		trail = trail[:last+1]
		trail[last].pick++
	}
}

// orders are small programs, each with holes: some delays and limits.
var orders = map[string]func(ticks func() int) [][]op{
	"limits": func(ticks func() int) [][]op {
		return [][]op{
			{{kind: lock}, {kind: work, n: 3}, {kind: unlock}},
			{{kind: delay, n: ticks()}, {kind: lockFor, n: 2}, {kind: work, n: 1}, {kind: unlock}},
			{{kind: delay, n: ticks()}, {kind: lockFor, n: 1 + ticks()}, {kind: work, n: 1}, {kind: unlock}},
		}
	},
	"hand-off": func(ticks func() int) [][]op {
		return [][]op{
			{{kind: lock}, {kind: work, n: 2}, {kind: unlock}, {kind: lock}, {kind: work, n: 1}, {kind: unlock}},
			{{kind: delay, n: ticks()}, {kind: lock}, {kind: work, n: 1}, {kind: unlock}, {kind: lockFor, n: 1}, {kind: unlock}},
			{{kind: delay, n: ticks()}, {kind: lockFor, n: ticks()}, {kind: unlock}},
		}
	},
	"nested": func(ticks func() int) [][]op {
		return [][]op{
			{{kind: lock}, {kind: delay, n: ticks()}, {kind: lock, a: 1}, {kind: work, n: 2}, {kind: unlock}, {kind: work, n: 1}, {kind: unlock, a: 1}},
			{{kind: delay, n: 1}, {kind: lock}, {kind: work, n: 1}, {kind: unlock}},
			{{kind: delay, n: ticks()}, {kind: lockFor, a: 1, n: 2}, {kind: unlock, a: 1}},
		}
	},
	"chain": func(ticks func() int) [][]op {
		return [][]op{
			{{kind: lock}, {kind: work, n: 4}, {kind: unlock}},
			{{kind: lock, a: 1}, {kind: delay, n: 1}, {kind: lockFor, n: 1 + ticks()}, {kind: work, n: 1}, {kind: unlock}, {kind: unlock, a: 1}},
			{{kind: delay, n: ticks()}, {kind: lockFor, a: 1, n: 3}, {kind: unlock, a: 1}},
		}
	},
	"ring": func(ticks func() int) [][]op {
		return [][]op{
			{{kind: lock}, {kind: delay, n: 1}, {kind: lockFor, a: 1, n: 2}, {kind: unlock, a: 1}, {kind: unlock}},
			{{kind: lock, a: 1}, {kind: delay, n: ticks()}, {kind: lockFor, n: 1 + ticks()}, {kind: unlock}, {kind: unlock, a: 1}},
			{{kind: delay, n: 1}, {kind: lockFor, n: 3}, {kind: unlock}},
		}
	},
}

// meddled adds what disturbs one of the tasks at some tick: an interrupt, or for a
// deletion a task of high priority.
func meddled(p program, choose func(int) int) program {
	kind := []opKind{nothing, abort, suspend, setPrio, remove}[choose(5)]
	if kind == nothing {
		return p
	}
	o, at := op{kind: kind, a: choose(len(p.tasks))}, 1+choose(5)
	switch kind {
	case remove:
		p.tasks = append(p.tasks, script{prio: topPrio, ops: []op{{kind: delay, n: at}, o}})
		return p
	case setPrio:
		o.n = 1 + 3*choose(2)
	case suspend:
		p.lines = append(p.lines, line{uint64(at + 2), op{kind: resume, a: o.a}})
	default:
	}
	p.lines = append(p.lines, line{uint64(at), o})
	return p
}

// TestAllOrders runs small programs with all priorities, all delays and limits out of a
// few, and disturbed at every tick, under both policies.
func TestAllOrders(t *testing.T) {
	policies := map[string]rtos.Inheritance{"FreeRTOS": rtos.InheritFreeRTOS, "chained": rtos.InheritChained}
	for name, inheritance := range policies {
		of := func(w *world) policy { return chained{w} }
		if inheritance == rtos.InheritFreeRTOS {
			of = func(w *world) policy { return freertos{w, map[*rtos.Task]*level{}} }
		}
		for body, build := range orders {
			t.Run(name+"/"+body, func(t *testing.T) {
				t.Parallel()
				seen, runs := map[string]int{}, 0
				every(func(choose func(int) int) {
					p := program{defers: true, kinds: "mm", mustEnd: true, slicing: choose(2) == 1}
					for _, ops := range build(func() int { return 2 * choose(2) }) {
						p.tasks = append(p.tasks, script{prio: 1 + choose(3), ops: ops})
					}
					p = meddled(p, choose)
					if runs++; *allOrders || runs%23 == 0 {
						judge(t, p, inheritance, seen, of)
					}
				})
				t.Log(runs, "orders", seen)
			})
		}
	}
}
