// Package simtest runs tests under many seeds of a simulation.
package simtest

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/tickwake/rtos/sim"
)

// SeedsVariable is the environment variable that overrides the number of seeds of
// [Seeds], to look further, or under a single one: a number, or "from-to", which includes
// both.
const SeedsVariable = "SIM_SEEDS"

// Seeds runs body under the seeds 0 to n-1, each as a subtest by the name of "seed=N".
// Seed 0 is FreeRTOS's own order. The options have that seed, and with go test -v also a
// Trace that goes to the output of the test; body completes them as it likes:
//
//	simtest.Seeds(t, 100, func(t *testing.T, o sim.Options) {
//		s := sim.New(o)
//		defer s.Close()
//		...
//	})
//
// If a seed fails, the last thing that is logged is the command that repeats it alone,
// with its timeline. Inside tasks and interrupts, require and t.FailNow work as
// elsewhere: the simulation unwinds its tasks and the test ends.
func Seeds(t *testing.T, n int, body func(t *testing.T, o sim.Options)) {
	t.Helper()
	from, to, err := seeds(n, os.Getenv(SeedsVariable))
	if err != nil {
		t.Fatal(err)
	}
	for seed := from; ; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			returned := false
			defer func() {
				if t.Failed() || !returned && !t.Skipped() { // a panic is no failure yet
					t.Logf("to repeat it: %s", command(t.Name(), seed, n))
				}
			}()
			o := sim.Options{Seed: seed}
			if testing.Verbose() {
				o.Trace = t.Output()
			}
			body(t, o)
			returned = true
		})
		if seed == to {
			return
		}
	}
}

// seeds is the first and the last seed.
func seeds(n int, override string) (from, to uint64, err error) {
	if override == "" {
		if n < 1 {
			return 0, 0, fmt.Errorf("simtest: %d seeds, want at least 1", n)
		}
		return 0, uint64(n) - 1, nil
	}
	first, last, window := strings.Cut(override, "-")
	from, err = strconv.ParseUint(first, 10, 64)
	switch {
	case err != nil:
	case !window && from > 0:
		return 0, from - 1, nil
	case window:
		to, err = strconv.ParseUint(last, 10, 64)
	}
	if err != nil || !window || to < from {
		return 0, 0, fmt.Errorf("simtest: %s is %q, want a number of seeds, or from-to", SeedsVariable, override)
	}
	return from, to, nil
}

// command repeats one seed of a test.
func command(name string, seed uint64, n int) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + strings.ReplaceAll(regexp.QuoteMeta(e), "'", ".") + "$"
	}
	line := fmt.Sprintf("go test -v -run '%s'%s", strings.Join(elements, "/"), packagePath())
	if seed >= uint64(n) {
		line = fmt.Sprintf("%s=%d-%d %s", SeedsVariable, seed, seed, line)
	}
	return line
}

// packagePath is the path of the package under test, if the binary tells.
func packagePath() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	path, ok := strings.CutSuffix(info.Path, ".test")
	if !ok {
		return ""
	}
	return " " + path
}
