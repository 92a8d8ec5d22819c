package simtest

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwake/rtos"
	"github.com/tickwake/rtos/sim"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

func TestSeedsRunsEachSeedOnce(t *testing.T) {
	if os.Getenv(SeedsVariable) != "" {
		t.Skip(SeedsVariable + " is set")
	}
	var seen []uint64
	names := map[string]bool{}
	Seeds(t, 5, func(t *testing.T, o sim.Options) {
		seen = append(seen, o.Seed)
		names[t.Name()] = true
		assert.Equal(t, testing.Verbose(), o.Trace != nil)
	})
	assert.Equal(t, []uint64{0, 1, 2, 3, 4}, seen)
	assert.True(t, names["TestSeedsRunsEachSeedOnce/seed=3"])
}

func TestSeedsVariable(t *testing.T) {
	for text, want := range map[string][2]uint64{
		"":                       {0, 6},
		"1":                      {0, 0},
		"100":                    {0, 99},
		"3-3":                    {3, 3},
		"5-9":                    {5, 9},
		"0-18446744073709551615": {0, math.MaxUint64},
	} {
		from, to, err := seeds(7, text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, [2]uint64{from, to}, text)
	}
	for _, wrong := range []string{"0", "-1", "x", "3-", "4-3", "1-2-3", " 1", "1.5"} {
		_, _, err := seeds(7, wrong)
		assert.ErrorContains(t, err, SeedsVariable, wrong)
	}
	_, _, err := seeds(0, "")
	assert.ErrorContains(t, err, "0 seeds")
}

func TestCommandNamesTheTest(t *testing.T) {
	assert.Regexp(t, `^go test -v -run '\^TestX\$/\^a\.b\$/\^seed=3\$'`,
		strings.ReplaceAll(command("TestX/a.b/seed=3", 3, 10), `\`, ""))
	assert.Regexp(t, `^SIM_SEEDS=12-12 go test `, command("TestX/seed=12", 12, 10))
	re := regexp.MustCompile(strings.Split(command("Test/it's (1+1)/seed=0", 0, 1), "'")[1][len("^Test$/"):][:len(`^it.s \(1\+1\)$`)])
	assert.True(t, re.MatchString("it's (1+1)"))
	assert.False(t, re.MatchString("it's 1+1"))
}

// failingVariable makes TestFails fail.
const failingVariable = "SIMTEST_FAIL"

// TestFails fails if it is asked to, by require in a task, while other tasks wait.
func TestFails(t *testing.T) {
	if os.Getenv(failingVariable) == "" {
		t.Skip("only for TestAFailureIsRepeatable")
	}
	Seeds(t, 20, func(t *testing.T, o sim.Options) {
		s := sim.New(o)
		k, err := rtos.New(rtos.Config{Port: s})
		require.NoError(t, err)
		var order []string
		for _, name := range []string{"a", "b", "c"} {
			_, err := k.Spawn(name, 1, func(me *rtos.Task) {
				defer func() { t.Logf("%s is unwound", name) }()
				order = append(order, name)
				if len(order) == 3 {
					require.NotEqual(t, []string{"b", "c", "a"}, order, "this order")
				}
				_ = me.Delay(rtos.Forever)
			})
			require.NoError(t, err)
		}
		require.NoError(t, k.Run(t.Context()))
	})
}

// What a failing seed prints repeats it, and shows its timeline.
func TestAFailureIsRepeatable(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	fails := func(args ...string) string {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), failingVariable+"=1", SeedsVariable+"=")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s", out)
		return string(out)
	}
	out := fails("-test.run", "^TestFails$")
	line := regexp.MustCompile(`to repeat it: go test -v -run '(\^TestFails\$/\^seed=(\d+)\$)' github\.com/tickwake/rtos/sim/simtest\n`)
	repeat := line.FindStringSubmatch(out)
	require.NotNil(t, repeat, out)
	assert.NotEqual(t, "0", repeat[2], "not FreeRTOS's order")
	assert.Contains(t, out, "this order")
	assert.NotContains(t, out, "panic", "what the failing test leaves is unwound, nothing leaks")
	assert.NotContains(t, out, "goleak")
	assert.Contains(t, out, "a is unwound")

	again := fails("-test.v", "-test.run", repeat[1])
	assert.Contains(t, again, "this order")
	assert.Equal(t, 1, bytes.Count([]byte(again), []byte("to repeat it")), "that seed alone")
	assert.Regexp(t, `(?m)^ +0 > idle +\(a ended\)`, again, "the timeline")
}
