package conformance

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

var updateCompat = flag.Bool("update-compat", false, "write compat.txt anew")

const compatFile = "compat.txt"

const compatHead = `Which recorded scenarios differ when one flag of rtos.Compat is not as in CompatFreeRTOS.
All others must not: TestCompat runs every scenario once for every flag, and an entry that is
missing or that is not needed any more is an error. To write this file anew:

	go test ./internal/conformance -run TestCompat -update-compat
`

// compatFlags says what each flag changes. A flag whose list is empty concerns objects that do
// not exist yet, or a case that no scenario has; compat_test.go of package rtos has one.
var compatFlags = []struct {
	name    string
	flag    rtos.Compat
	changes string
}{
	{"CompatOrder", rtos.CompatOrder, `
On: a waiter goes before the first one whose ordering value, the priority last assigned to
that task, is lower at this moment. A holder whose waiter gives up falls to the ordering value
that the first one has then.
Off: a waiter has the rank of its effective priority when its wait began, then of its arrival,
whatever its priority becomes; the holder falls to the first one's priority of that moment.`},
	{"CompatBasePriorityQueue", rtos.CompatBasePriorityQueue, `
On: a boosted task that sets its base priority queues by the new base from then on.
Off: it queues by its effective priority, which the base does not change.`},
	{"CompatSelfTake", rtos.CompatSelfTake, `
On: a task that takes its own mutex waits for its limit; if its loan should end then, that is
an assertion.
Off: the take is an assertion at once, unless it polls.`},
	{"CompatLostWake", rtos.CompatLostWake, `
On: a woken waiter that is suspended or deleted before it ran keeps its wake: others wait on,
although what they wait for is there.
Off: the wake goes to the next waiter.`},
	{"CompatAbortMark", rtos.CompatAbortMark, `
On: the mark that an abort leaves may end a later wait of the task.
Off: an abort ends one wait at most. The scenarios that show it need event groups.`},
	{"CompatStreamSlot0", rtos.CompatStreamSlot0, `
Reserved for stream and message buffers: nothing differs yet.`},
	{"CompatISRThroughTimer", rtos.CompatISRThroughTimer, `
Reserved for event groups: nothing differs yet.`},
	{"CompatLimitUnderSuspend", rtos.CompatLimitUnderSuspend, `
On: a limit other than 0 under a suspended scheduler is an assertion even if the call would
not wait.
Off: only waiting is.`},
	{"CompatPollClears", rtos.CompatPollClears, `
This one is not in CompatFreeRTOS; listed is what differs when it is on.
On: a notification wait that polls in vain clears its entry bits, as in FreeRTOS V10.
Off: nothing is cleared.`},
}

// compatText is what compat.txt says if these scenarios differ.
func compatText(differ map[string][]string) string {
	var b strings.Builder
	comment := func(text string) {
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("# "+line, " \t\n") + "\n")
		}
	}
	comment(compatHead)
	for _, f := range compatFlags {
		fmt.Fprintf(&b, "\n[%s]\n", f.name)
		comment(strings.TrimPrefix(f.changes, "\n"))
		for _, name := range differ[f.name] {
			b.WriteString(name + "\n")
		}
	}
	return b.String()
}

// readCompat returns the scenarios that compat.txt lists by flag.
func readCompat(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(compatFile)
	require.NoError(t, err)
	listed, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		default:
			listed[section] = append(listed[section], line)
		}
	}
	return listed
}

// differing runs all scenarios and returns those whose traces are not the recorded
// ones, with the reasons.
func differing(how setup) (names []string, reasons map[string]string) {
	reasons = map[string]string{}
	for _, s := range runnable() {
		name, reason := shortName(s.File), ""
		if r, err := run(s, how); err != nil {
			reason = err.Error()
		} else if d := Compare(s.Trace, r.Trace); d != nil {
			reason = d.String()
		}
		if reason != "" {
			names = append(names, name)
			reasons[name] = reason
		}
	}
	slices.Sort(names)
	return names, reasons
}

// TestCompat: with one flag changed exactly the scenarios differ that compat.txt lists.
func TestCompat(t *testing.T) {
	if *updateCompat {
		all := map[string][]string{}
		for _, f := range compatFlags {
			all[f.name], _ = differing(setup{compat: rtos.CompatFreeRTOS ^ f.flag})
		}
		require.NoError(t, os.WriteFile(compatFile, []byte(compatText(all)), 0o644))
	}
	listed := readCompat(t)
	for _, f := range compatFlags {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			differ, reasons := differing(setup{compat: rtos.CompatFreeRTOS ^ f.flag})
			for _, name := range differ {
				if !slices.Contains(listed[f.name], name) {
					t.Errorf("%s differs and is not listed:\n%s", name, reasons[name])
				}
			}
			for _, name := range listed[f.name] {
				if reasons[name] == "" {
					t.Errorf("%s is listed and does not differ", name)
				}
			}
			t.Logf("%d of %d scenarios differ", len(differ), len(runnable()))
		})
	}
}

// TestCompatFile: compat.txt explains every flag there is, in the words of this file.
func TestCompatFile(t *testing.T) {
	text, err := os.ReadFile(compatFile)
	require.NoError(t, err)
	assert.Equal(t, compatText(readCompat(t)), string(text), "run with -update-compat")
	var all rtos.Compat
	for _, f := range compatFlags {
		assert.Zero(t, all&f.flag, f.name)
		all |= f.flag
	}
	assert.Equal(t, rtos.CompatFreeRTOS|rtos.CompatPollClears, all)
	_, err = rtos.New(rtos.Config{Compat: all + 1})
	assert.ErrorContains(t, err, "unknown flags", "a flag that this file does not know")
}
