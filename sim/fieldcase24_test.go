package sim_test

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateHash = flag.Bool("update-hash", false, "write the hashes of the traces of field case 24 anew")

//go:embed testdata/fieldcase24.sha256
var fieldCase24 string

// 24: the same seed makes the same trace, byte for byte, in a hundred runs with any
// number of processors. The recorded hashes say that all platforms, and the race
// detector, see the same bytes. Another seed makes another trace.
func TestFieldCase24SameSeedSameTrace(t *testing.T) {
	var hashes bytes.Buffer
	traces := map[string]bool{}
	for _, seed := range []uint64{0, 1, 42} {
		first := mixedTrace(t, seed)
		traces[first] = true
		fmt.Fprintf(&hashes, "seed %d: %d bytes, sha256 %x\n", seed, len(first), sha256.Sum256([]byte(first)))
	}
	assert.Len(t, traces, 3)
	if *updateHash {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "fieldcase24.sha256"), hashes.Bytes(), 0o644))
		return
	}
	assert.Equal(t, fieldCase24, hashes.String(), "if that is meant: go test -run FieldCase24 -update-hash ./sim")

	first := mixedTrace(t, 42)
	for i, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		for range [...]int{33, 33, 34}[i] {
			require.Equal(t, first, mixedTrace(t, 42), "GOMAXPROCS %d", procs)
		}
		runtime.GOMAXPROCS(old)
	}
}
