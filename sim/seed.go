package sim

import (
	"math/bits"
	"math/rand/v2"
)

// seeds makes the choices that a seed decides, each kind from a stream of its own, so
// that one more choice of one kind does not change all others. The zero value is seed 0:
// no choice is made.
type seeds struct {
	start, tie, irq *rand.PCG
}

func newSeeds(seed uint64) seeds {
	if seed == 0 {
		return seeds{}
	}
	return seeds{rand.NewPCG(seed, 1), rand.NewPCG(seed, 2), rand.NewPCG(seed, 3)}
}

// below is a number below n, n > 0.
func below(g *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(g.Uint64(), n)
	return hi
}

// within is a tick of a window.
func (s *seeds) within(from, to uint64) uint64 {
	if s.irq == nil {
		return from
	}
	if n := to - from + 1; n != 0 {
		return from + below(s.irq, n)
	}
	return s.irq.Uint64()
}

// shuffle puts the tasks of each level, who would start in the order in which they were
// made, in another order.
func (s *Sim) shuffle() {
	if s.seeds.start == nil {
		return
	}
	for i := range s.ready.rings {
		r := &s.ready.rings[i]
		var tasks []*simTask
		for r.length > 0 {
			tasks = append(tasks, r.first())
			r.remove(r.first())
		}
		for n := len(tasks); n > 0; n-- {
			j := below(s.seeds.start, uint64(n))
			r.insert(tasks[j])
			tasks[j] = tasks[n-1]
		}
	}
}
