package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const idle = `{"name":"idle","config":{"preemption":1,"timeslicing":1,"tick0":0,"timers":0},
"ticks":5,"objects":[],"tasks":[],"isrs":[],"trace":[
{"t":0,"ev":"switch","to":"idle"},
{"t":5,"ev":"end","why":"ticks","tasks":[],"objects":[]}
]}`

// conform runs the command on a directory with these files.
func conform(t *testing.T, files map[string]string, flags ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	var out, errs bytes.Buffer
	status = run(append(flags, dir), &out, &errs)
	clean := func(b bytes.Buffer) string { return strings.ReplaceAll(b.String(), dir+string(filepath.Separator), "") }
	return status, clean(out), clean(errs)
}

func TestPasses(t *testing.T) {
	status, out, _ := conform(t, map[string]string{"a.json": idle, "b.json": idle, "FORMAT.md": "no scenario"})
	require.Equal(t, "2 passed, 0 failed, 0 skipped\n", out)
	require.Equal(t, statusOK, status)
}

func TestReportsDifferences(t *testing.T) {
	status, out, _ := conform(t, map[string]string{
		"a.json": idle,
		"b.json": strings.Replace(idle, `"to":"idle"`, `"to":"A"`, 1),
		"c.json": "[",
	})
	require.Equal(t, `b.json: failed
      0 expected  {"t":0,"ev":"switch","to":"A"}
      0 got       {"t":0,"ev":"switch","to":"idle"}

c.json: failed
  conformance: c.json:1:2: unexpected end of file

1 passed, 2 failed, 0 skipped
`, out)
	require.Equal(t, statusFailed, status)
}

func TestSkipsByKind(t *testing.T) {
	queue := strings.Replace(idle, `"objects":[]`, `"objects":[{"id":"q","kind":"queue","len":1}]`, 1)
	files := map[string]string{"a.json": idle, "b.json": queue}
	status, out, _ := conform(t, files, "-kinds", "core")
	require.Equal(t, "skipped 1: queue not selected\n1 passed, 0 failed, 1 skipped\n", out)
	require.Equal(t, statusOK, status)

	files["b.json"] = strings.Replace(idle, `"timers":0`, `"timers":0,"cores":2`, 1)
	status, out, _ = conform(t, files, "-kinds", "core,smp")
	require.Equal(t, "skipped 1: smp not supported yet\n1 passed, 0 failed, 1 skipped\n", out)
	require.Equal(t, statusOK, status)
}

// TestUnknownFails: what is unknown counts as failed, whatever was selected.
func TestUnknownFails(t *testing.T) {
	status, out, _ := conform(t, map[string]string{
		"a.json": idle,
		"b.json": strings.Replace(idle, `"objects":[]`, `"objects":[{"id":"x","kind":"mailbox"}]`, 1),
		"c.json": strings.Replace(idle, `"tasks":[],"isrs"`, `"tasks":[{"id":"A","prio":1,"start":true,"script":[{"op":"sleep"}]}],"isrs"`, 1),
	}, "-kinds", "core")
	require.Equal(t, `b.json: failed
  conformance: b.json:2:22: objects[0]: unknown kind "mailbox"

c.json: failed
  conformance: c.json:2:75: tasks[0].script[0]: unknown op "sleep"

1 passed, 2 failed, 0 skipped
`, out)
	require.Equal(t, statusFailed, status)
}

func TestTenEventsBeforeADifference(t *testing.T) {
	yields := strings.Repeat(`,{"op":"yield"}`, 20)[1:]
	trace, out := "", `a.json: failed
`
	for pc := range 20 {
		event := fmt.Sprintf(`{"t":0,"task":"A","pc":%d,"op":"yield","prio":[1]}`, pc)
		if pc == 15 {
			out += "     16 expected  " + strings.Replace(event, `[1]`, `[2]`, 1) + "\n     16 got       " + event + "\n"
			event = strings.Replace(event, `[1]`, `[2]`, 1)
		}
		if pc >= 5 && pc < 15 {
			out += fmt.Sprintf("  %5d           %s\n", pc+1, event)
		}
		trace += event + ",\n"
	}
	status, got, _ := conform(t, map[string]string{"a.json": strings.NewReplacer(
		`"tasks":[],"isrs"`, `"tasks":[{"id":"A","prio":1,"start":true,"script":[`+yields+`]}],"isrs"`,
		`"to":"idle"},`, `"to":"A"},`+"\n"+strings.TrimSuffix(trace, "\n"),
	).Replace(idle)})
	require.Equal(t, out+"\n0 passed, 1 failed, 0 skipped\n", got)
	require.Equal(t, statusFailed, status)
}

func TestNothingPassed(t *testing.T) {
	status, out, errs := conform(t, nil)
	require.Equal(t, "0 passed, 0 failed, 0 skipped\n", out)
	require.Contains(t, errs, "no scenario files")
	require.Equal(t, statusFailed, status, "an empty directory")

	status, out, errs = conform(t, map[string]string{"a.txt": idle, "b.json.bak": idle})
	require.Equal(t, "0 passed, 0 failed, 0 skipped\n", out)
	require.Contains(t, errs, "no scenario files")
	require.Equal(t, statusFailed, status, "no scenario in it")

	status, out, errs = conform(t, map[string]string{"a.json": strings.Replace(idle, `"timers":0`, `"timers":1`, 1)}, "-kinds", "core")
	require.Equal(t, "skipped 1: timers not selected\n0 passed, 0 failed, 1 skipped\n", out)
	require.Empty(t, errs)
	require.Equal(t, statusFailed, status, "none that is selected")
}

// TestOneArgumentIsNothing: a directory that is named and holds no scenario is a mistake even if
// another one passes.
func TestOneArgumentIsNothing(t *testing.T) {
	good, empty := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(good, "a.json"), []byte(idle), 0o644))
	for path, c := range map[string]struct{ out, errs string }{
		empty:                          {"1 passed, 0 failed, 0 skipped\n", "conform: " + empty + ": no scenario files\n"},
		filepath.Join(good, "missing"): {"1 passed, 1 failed, 0 skipped\n", ""},
	} {
		var out, errs bytes.Buffer
		require.Equal(t, statusFailed, run([]string{good, path}, &out, &errs))
		require.True(t, strings.HasSuffix(out.String(), c.out), out.String())
		require.Equal(t, c.errs, errs.String())
		if c.errs == "" {
			require.Contains(t, out.String(), path+": failed\n")
		}
	}
}

func TestEmits(t *testing.T) {
	head, trace, _ := strings.Cut(idle, `,"trace":`)
	status, out, _ := conform(t, map[string]string{"a.json": head + "}"}, "-emit")
	require.Equal(t, strings.TrimSuffix(trace, "}")+"\n", out)
	require.Equal(t, statusOK, status)

	status, out, errs := conform(t, map[string]string{"a.json": "{}"}, "-emit")
	require.Empty(t, out)
	require.Contains(t, errs, `conformance: a.json:1:1: no key "name"`)
	require.Equal(t, statusFailed, status)

	timers := strings.Replace(idle, `"timers":0`, `"timers":1`, 1)
	status, out, errs = conform(t, map[string]string{"a.json": idle, "b.json": timers}, "-emit", "-kinds", "core")
	require.Equal(t, strings.TrimSuffix(trace, "}")+"\n", out)
	require.Equal(t, "conformance: b.json: timers not selected\n", errs)
	require.Equal(t, statusOK, status)

	status, out, _ = conform(t, map[string]string{"b.json": timers}, "-emit", "-kinds", "core")
	require.Empty(t, out)
	require.Equal(t, statusFailed, status, "nothing came out")
}

func TestUsage(t *testing.T) {
	for args, message := range map[string]string{
		"":                     "no files named",
		"-emit":                "no files named",
		"-what .":              "-what",
		"-kinds":               "-kinds",
		"-kinds qeue .":        `unknown kind "qeue", want core, all or some of batch, binary, counting, eventgroup, message, mutex, queue, queueset, recursive, stream, timer, timers, smp`,
		"-kinds core,,queue .": `unknown kind ""`,
	} {
		var out, errs bytes.Buffer
		require.Equal(t, statusUsage, run(strings.Fields(args), &out, &errs), args)
		require.Empty(t, out.String())
		require.Contains(t, errs.String(), message)
	}
	var out, errs bytes.Buffer
	require.Equal(t, statusOK, run([]string{"-h"}, &out, &errs))
	require.Contains(t, errs.String(), "usage: conform [-kinds LIST] [-emit] DIR-OR-FILE...")
}

// TestGoRun: the command as users start it.
func TestGoRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(good, []byte(idle), 0o644))
	require.NoError(t, os.WriteFile(bad, []byte("["), 0o644))
	out, err := exec.Command("go", "run", ".", "-kinds", "core", good).Output()
	require.NoError(t, err)
	require.Equal(t, "1 passed, 0 failed, 0 skipped\n", string(out))
	out, err = exec.Command("go", "run", ".", dir).Output()
	require.ErrorAs(t, err, new(*exec.ExitError))
	require.True(t, strings.HasSuffix(string(out), "\n1 passed, 1 failed, 0 skipped\n"), string(out))
}
