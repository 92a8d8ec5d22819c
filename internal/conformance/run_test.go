package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos"
)

// supported is how many of the recorded scenarios use only kinds in objectKinds.
const supported = 736

// TestRecorded runs every recorded scenario that can be run.
func TestRecorded(t *testing.T) {
	var sum Summary
	byKind := map[string]*Summary{} // a scenario counts for each of its kinds
	for i, f := range recorded() {
		v := Check(f, nil)
		sum.Add(v)
		if v.Status == Failed {
			t.Error(v)
		}
		for _, kind := range kindsOf(parsed()[i]) {
			if byKind[kind] == nil {
				byKind[kind] = &Summary{}
			}
			byKind[kind].Add(v)
		}
	}
	t.Log("\n" + sum.String())
	require.Equal(t, supported, sum.Passed+sum.Failed)
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		t.Run(kind, func(t *testing.T) {
			counts := byKind[kind]
			if counts.Passed+counts.Failed == 0 {
				t.Skipf("%s: %d scenarios wait for it", kind, counts.Skipped)
			}
			require.Zero(t, counts.Failed)
			t.Logf("%s: %d passed, %d skipped for their other kinds", kind, counts.Passed, counts.Skipped)
		})
	}
}

// kindsOf is the kinds of a scenario, or what stands for none.
func kindsOf(s *Scenario) []string {
	if kinds := s.Kinds(); len(kinds) > 0 {
		return kinds
	}
	return []string{"tasks alone"}
}

// TestRecordedHowever: the form of a call, the size of the kernel and options that FreeRTOS does
// not have change no trace.
func TestRecordedHowever(t *testing.T) {
	for name, how := range map[string]setup{
		"general forms":  {forms: generalForms},
		"with a context": {forms: contextForms},
		"many slots":     {tasks: 1000},
		"extras":         {extras: true},
		"all of it":      {forms: contextForms, tasks: 100, extras: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how.compat = rtos.CompatFreeRTOS
			differ, reasons := differing(how)
			for _, name := range differ {
				t.Errorf("%s: %s", name, reasons[name])
			}
		})
	}
}

// TestRecordedByName runs what shows one difficult rule each.
func TestRecordedByName(t *testing.T) {
	for _, name := range []string{
		"mutex-inherit-simple",
		"mutex-disinherit-goes-to-back",
		"mutex-timeout-other-waiter-stays",
		"sem-timeout-tie-second-waiter",
		"sem-isr-give-no-yield-then-give",
		"suspend-notifywait-notified",
		"suspend-take-waits-again",
		"notify-isr-at-timeout-tick",
		"schedsuspend-isr-timeout-same",
		"prioset-new-priority-used-next-wait",
		"queue-peek-behind-receiver",
		"queue-overwrite-lower-receiver",
		"queue-reset-wakes-sender",
		"queue-slot-stolen",
		"queue-woken-then-suspended-keeps-wake",
	} {
		t.Run(name, func(t *testing.T) {
			v := Check(recordedAs(t, "named/"+name+".json"), nil)
			require.Equal(t, Passed, v.Status, v)
		})
	}
}

// TestRunTwice: a scenario has one trace.
func TestRunTwice(t *testing.T) {
	for _, f := range recorded()[:50] {
		s, err := Read(f.Name, f.Data)
		require.NoError(t, err)
		if s.Unsupported() != "" {
			continue
		}
		first, err := Run(s)
		require.NoError(t, err)
		second, err := Run(s)
		require.NoError(t, err)
		require.Nil(t, Compare(first.Trace, second.Trace), f.Name)
	}
}

// TestOpsAreImplemented: every operation on a supported kind has an implementation.
func TestOpsAreImplemented(t *testing.T) {
	for name, spec := range opSpecs {
		if name == "core" || name == "affinity" {
			continue // more than one core
		}
		kinds := strings.Fields(spec.kinds)
		runs := len(kinds) == 0
		for _, k := range kinds {
			runs = runs || objectKinds[k] != nil
		}
		require.Equal(t, runs, taskOps[name] != nil, name)
		require.Equal(t, runs && spec.isr != "-", isrOps[name] != nil, "interrupt form of %s", name)
	}
}

func scenarioWith(config, tasks string) File {
	return File{Name: "x.json", Data: []byte(`{"name":"x","config":{"preemption":1,"timeslicing":1,"tick0":0,` + config +
		`},"ticks":9,"objects":[{"id":"b","kind":"binary","initial":0}],"tasks":[` + tasks + `],"trace":[]}`)}
}

func TestCheckFails(t *testing.T) {
	v := Check(File{Name: "x.json", Data: []byte("{")}, nil)
	require.Equal(t, Failed, v.Status)
	require.Equal(t, "x.json: failed\n  conformance: x.json:1:2: unexpected end of file\n", v.String())

	v = Check(scenarioWith(`"timers":0`, ``), nil)
	require.Equal(t, Failed, v.Status)
	require.Equal(t, `x.json: failed
      0 expected  nothing
      0 got       {"t":0,"ev":"switch","to":"idle"}
`, v.String())

	f := scenarioWith(`"timers":0`, ``)
	f.Data = []byte(strings.Replace(string(f.Data), `,"trace":[]`, "", 1))
	require.Contains(t, Check(f, nil).String(), "no trace to compare with")
}

// TestCheckTellsTheAssertion: the reason of an assertion nobody expected is printed.
func TestCheckTellsTheAssertion(t *testing.T) {
	v := Check(scenarioWith(`"timers":0`, `{"id":"A","prio":1,"start":true,"script":[{"op":"resumeall"}]}`), nil)
	require.Contains(t, v.Reason, "the assertion was: rtos: ")
}

func TestCheckSkips(t *testing.T) {
	timers := scenarioWith(`"timers":1`, ``)
	require.Equal(t, "x.json: skipped, timers not supported yet", Check(timers, nil).String())
	require.Equal(t, "x.json: skipped, smp not supported yet",
		Check(scenarioWith(`"timers":0,"cores":2`, ``), nil).String())

	core, err := ParseSelection("core")
	require.NoError(t, err)
	require.Equal(t, "x.json: skipped, timers not selected", Check(timers, core).String())
	none, err := ParseSelection("mutex,queue")
	require.NoError(t, err)
	require.Equal(t, "x.json: skipped, binary not selected", Check(scenarioWith(`"timers":0`, ``), none).String())
}

func TestParseSelection(t *testing.T) {
	for _, all := range []string{"", "all"} {
		sel, err := ParseSelection(all)
		require.NoError(t, err)
		require.Nil(t, sel)
	}
	sel, err := ParseSelection("core,queue,timers")
	require.NoError(t, err)
	require.Equal(t, Selection{
		"mutex": true, "recursive": true, "binary": true, "counting": true, "queue": true, "timers": true,
	}, sel)
	for _, wrong := range []string{"cores", "core,", "Core", " core"} {
		_, err := ParseSelection(wrong)
		require.ErrorContains(t, err, "unknown kind")
	}
}

// creators are tasks that create each other for ever: that uses no time, only memory.
const creators = `
{"id":"A","prio":1,"start":true,"script":[{"op":"create","to":"B"},{"op":"delete"}]},
{"id":"B","prio":1,"start":false,"script":[{"op":"create","to":"A"},{"op":"delete"}]}`

// TestRunEnds: what would go on for ever is an error that names the file and the operation.
func TestRunEnds(t *testing.T) {
	v := Check(scenarioWith(`"timers":0`, creators), nil)
	require.Equal(t, Failed, v.Status)
	require.Equal(t, "  conformance: x.json: more than 65536 events\n", v.Reason)

	missed := strings.Repeat(`,{"op":"catchup","n":4096}`, 257)
	v = Check(scenarioWith(`"timers":0`, `{"id":"A","prio":1,"start":true,"script":[`+missed[1:]+`]}`), nil)
	require.Equal(t, Failed, v.Status)
	require.Equal(t, "  conformance: x.json: task \"A\" op 256: more than 1048576 missed ticks\n", v.Reason)

	start := time.Now()
	v = Check(scenarioWith(`"timers":0`, `{"id":"A","prio":1,"start":true,"script":[{"op":"work","n":4294967295}]}`), nil)
	require.Contains(t, v.Reason, `"to":"A"`)
	require.Less(t, time.Since(start), patience)
}

// TestRunNamesWhatItCannotDo: an operation that needs several cores, on one.
func TestRunNamesWhatItCannotDo(t *testing.T) {
	v := Check(scenarioWith(`"timers":0`, `{"id":"A","prio":1,"start":true,"script":[{"op":"yield"},{"op":"core"}]}`), nil)
	require.Equal(t, Failed, v.Status)
	require.Equal(t, "  conformance: x.json: task \"A\" op 1: op \"core\" is not supported\n", v.Reason)
}

// TestRunAssertsWherever: an assertion ends a scenario whatever state it leaves behind.
func TestRunAssertsWherever(t *testing.T) {
	for _, script := range []string{
		`{"op":"suspendall"},{"op":"delete"}`,
		`{"op":"suspendall"},{"op":"suspend"}`,
		`{"op":"suspendall"},{"op":"delay","n":1}`,
		`{"op":"suspendall"}`,
		`{"op":"resumeall"}`,
		`{"op":"suspendall"},{"op":"take","obj":"b","ticks":1}`,
	} {
		f := scenarioWith(`"timers":0`, `
{"id":"A","prio":2,"start":true,"script":[`+script+`]},
{"id":"B","prio":1,"start":true,"script":[{"op":"work","n":2},{"op":"give","obj":"b"}]}`)
		s, err := Read(f.Name, f.Data)
		require.NoError(t, err)
		r, err := Run(s)
		require.NoError(t, err, script)
		require.Equal(t, `{"t":0,"ev":"end","why":"assert"}`, r.Trace[len(r.Trace)-1].String(), script)
		require.NotNil(t, r.Assertion, script)
	}
}

func TestEmit(t *testing.T) {
	f := recordedAs(t, "named/mutex-inherit-simple.json")
	head, want, found := strings.Cut(string(f.Data), `"trace":`)
	require.True(t, found)
	f.Data = []byte(strings.TrimSuffix(strings.TrimSpace(head), ",") + "}")
	got, err := Emit(f, nil)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(want, "}\n"), string(got))

	_, err = Emit(File{Name: "x.json", Data: []byte("7")}, nil)
	require.ErrorContains(t, err, "a number where an object is needed")
	_, err = Emit(scenarioWith(`"timers":1`, ``), nil)
	require.ErrorContains(t, err, `kind "timers" is not supported`)
}
