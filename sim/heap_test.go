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
		if len(in) > 0 {
			first := slices.MinFunc(in, func(a, b *event) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			if h[0] != first || len(h) != len(in) {
				t.Fatalf("step %d: first is %v of %d, want %v of %d", n, h[0], len(h), first, len(in))
			}
		}
	}
}
