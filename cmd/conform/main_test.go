package main

import (
	"bytes"
	"os"
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

func TestNothingPassed(t *testing.T) {
	status, out, _ := conform(t, nil)
	require.Equal(t, "0 passed, 0 failed, 0 skipped\n", out)
	require.Equal(t, statusFailed, status)
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
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"-what"}, {"-kinds", "qeue", "."}, {"-emit"}} {
		var out, errs bytes.Buffer
		require.Equal(t, statusUsage, run(args, &out, &errs), args)
		require.Empty(t, out.String())
		require.NotEmpty(t, errs.String())
	}
}
