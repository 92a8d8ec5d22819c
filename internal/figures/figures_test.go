package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const output = `goos: linux
goarch: amd64
pkg: github.com/tickwake/rtos
cpu: Some CPU @ 2 GHz
BenchmarkWake/Semaphore/waiters=512-2   17336   330.0 ns/op   69228 cycle-ns   0 allocs/op
BenchmarkCounter/pinned/Mutex-2    100   10255115 ns/op   46.74 cpu0-%   1.5 ms/run
BenchmarkCounter/pinned/Mutex-2    100   10255115 ns/op   46.74 cpu0-%   3.5 ms/run
BenchmarkCounter/pinned/Mutex-2    100   10255115 ns/op   46.74 cpu0-%   30 ms/run
BenchmarkCounter/pinned/sync.Mutex-2   1   1 ns/op   7 ms/run
--- SKIP: BenchmarkCounter/pinned/Notify-2
PASS

The counter experiment: 2 tasks
`

func TestParse(t *testing.T) {
	res := parse(strings.NewReader(output), 2)
	require.Len(t, res, 3)
	v, ok := res.get("Wake/Semaphore/waiters=512", "cycle-ns")
	require.True(t, ok)
	require.Equal(t, 69228.0, v)
	require.Equal(t, []float64{1.5, 3.5, 30}, res["Counter/pinned/Mutex"]["ms/run"])
	require.Equal(t, "linux, amd64, Some CPU @ 2 GHz", machine([]byte(output)))

	_, ok = parse(strings.NewReader("BenchmarkX 1 nonsense ns/op"), 1).get("X", "ns/op")
	require.False(t, ok)
}

func TestJudge(t *testing.T) {
	res := parse(strings.NewReader(output), 2)
	for _, c := range []struct {
		name  string
		f     figure
		ratio float64
		ok    bool
	}{
		{"beside a peer", figure{unit: "ms/run", ours: "Counter/pinned/Mutex", peer: "Counter/pinned/sync.Mutex", limit: 0.5}, 0.5, true},
		{"too slow", figure{unit: "ms/run", ours: "Counter/pinned/Mutex", peer: "Counter/pinned/sync.Mutex", limit: 0.4}, 0.5, false},
		{"with a bare loop", figure{unit: "ms/run", ours: "Counter/pinned/Mutex", peer: "Counter/pinned/sync.Mutex", limit: 0.5, bare: "Counter/pinned/sync.Mutex"}, 0.5, true},
		{"at least", figure{unit: "ms/run", ours: "Counter/pinned/Mutex", peer: "Counter/pinned/sync.Mutex", limit: 0.6, atLeast: true}, 0.5, false},
		{"by itself", figure{unit: "ns/op", ours: "Wake/Semaphore/waiters=512", limit: 5000}, 330, true},
		{"worst of all", figure{unit: "cycle-ns", limit: 0}, 69228, false},
		{"not measured", figure{unit: "ns/op", ours: "Counter/pinned/Notify", peer: "Counter/pinned/sync.Mutex", limit: 1}, math.NaN(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.f.judge([]result{res})
			require.Equal(t, c.ok, r.ok())
			require.Equal(t, c.f.bare != "", r.bare == 1)
			if !math.IsNaN(c.ratio) {
				require.Equal(t, c.ratio, r.ratio)
			} else {
				require.True(t, math.IsNaN(r.ratio))
			}
		})
	}
}

func TestSpread(t *testing.T) {
	res := parse(strings.NewReader(output), 2)
	r := spread("pinned/Mutex", res)
	require.Equal(t, 1.0, r.ratio)
	require.Equal(t, "worst of 3: 8.57", r.note)
	require.False(t, spread("pinned/Notify", res).ok())

	var b strings.Builder
	require.Equal(t, 1, printTable(&b, "machine", []row{r, spread("pinned/Notify", res)}))
	require.Contains(t, b.String(), "**miss**")
}

// Quantiles are those of all samples, with those that lie above the histogram.
func TestParseCyclictest(t *testing.T) {
	res := parseCyclictest([]byte(`# /dev/cpu_dma_latency set to 0us
# Histogram
008000 000050
009000 000048
020000 000001
# Total: 000000100
# Min Latencies: 08000
# Avg Latencies: 08600
# Histogram Overflows: 00001
`))
	for unit, want := range map[string]float64{"avg-us": 8.6, "p50-us": 8, "p99-us": 20} {
		v, ok := res.get(cyclictest, unit)
		require.True(t, ok, unit)
		require.Equal(t, want, v, unit)
	}
	_, ok := res.get(cyclictest, "p99.9-us")
	require.False(t, ok, "it lies above")
}
