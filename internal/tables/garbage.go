package tables

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tickwake/rtos/jitter"
)

// garbage is goroutines that allocate: some 80 MB a second, so that a run without the
// collector stays within the headroom of a port, and one with it has dozens of cycles.
type garbage struct {
	ops  atomic.Uint64
	halt atomic.Bool
	wg   sync.WaitGroup
}

const (
	allocators = 4
	pieces     = 20 // of a kilobyte, allocated by each in a millisecond
)

// kept keeps the last allocation of each from being optimized away.
var kept [allocators]atomic.Pointer[[1024]byte]

func startGarbage() RunningLoad {
	g := &garbage{}
	for i := range allocators {
		g.wg.Go(func() {
			for !g.halt.Load() {
				for range pieces {
					kept[i].Store(new([1024]byte))
				}
				g.ops.Add(pieces)
				time.Sleep(time.Millisecond)
			}
		})
	}
	return g
}

// Name implements jitter.Load.
func (g *garbage) Name() string { return "allocating goroutines" }

// Ops implements jitter.Load.
func (g *garbage) Ops() uint64 { return g.ops.Load() }

// Least implements jitter.Load.
func (g *garbage) Least() float64 { return 1000 }

func (g *garbage) loads() []jitter.Load { return []jitter.Load{g} }

func (g *garbage) stop() error {
	g.halt.Store(true)
	g.wg.Wait()
	return nil
}
