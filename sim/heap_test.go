package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The heap gives events in their order, whatever is put in and taken out, wherever.
func TestHeapKeepsOrder(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	var h events
	var in []*event
	for n := range uint64(20_000) {
		switch {
		case len(in) < 200 && g.IntN(3) > 0:
			e := &event{at: g.Uint64N(50), order: n, index: noPlace}
			in = append(in, e)
			h.push(e)
		case len(in) > 0:
			i := g.IntN(len(in))
			h.remove(in[i])
			assert.Equal(t, noPlace, in[i].index)
			h.remove(in[i]) // once more does no harm
			in = slices.Delete(in, i, i+1)
		}
		assert.Len(t, h, len(in))
		for i, e := range h {
			if e.index != i || i > 0 && e.before(h[(i-1)/2]) {
				t.Fatalf("step %d: event %d of %d is out of place", n, i, len(h))
			}
		}
	}
	for n := len(h); n > 0; n-- {
		first := slices.MinFunc(in, func(a, b *event) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		assert.Same(t, first, h[0])
		h.remove(h[0])
		in = slices.DeleteFunc(in, func(e *event) bool { return e == first })
	}
}
