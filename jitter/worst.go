package jitter

// NumWorst is how many of the worst samples are kept.
const NumWorst = 64

// late is one activation as the loop keeps it.
type late struct {
	index   uint64
	planned int64 // on the clock of the loop
	by      int64
}

// worse orders samples totally, so that the worst of a run do not depend on how it was
// cut into pieces: by lateness, and of equals the earlier one is worse.
//
//go:nosplit
func (a *late) worse(b *late) bool {
	return a.by > b.by || a.by == b.by && a.index < b.index
}

// worst keeps the worst samples: a heap with the least bad on top. To keep one more costs
// one comparison if it is not among them, which in a long run is nearly always, else at
// most six steps.
type worst struct {
	n    uint32
	heap [NumWorst]late
}

//go:nosplit
func (w *worst) add(s late) {
	if w.n < NumWorst {
		i := w.n
		w.n++
		for i > 0 {
			up := (i - 1) / 2
			if !w.heap[up%NumWorst].worse(&s) {
				break
			}
			w.heap[i%NumWorst] = w.heap[up%NumWorst]
			i = up
		}
		w.heap[i%NumWorst] = s
		return
	}
	if !s.worse(&w.heap[0]) {
		return
	}
	i := uint32(0)
	for {
		down := 2*i + 1
		if down >= NumWorst {
			break
		}
		if right := down + 1; right < NumWorst && w.heap[down].worse(&w.heap[right]) {
			down = right
		}
		if !s.worse(&w.heap[down]) {
			break
		}
		w.heap[i%NumWorst] = w.heap[down]
		i = down
	}
	w.heap[i%NumWorst] = s
}

// all is what has been kept, in no order.
func (w *worst) all() []late { return w.heap[:w.n] }
