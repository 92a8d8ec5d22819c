package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mutants are those of all files that the table is about.
func mutants(t *testing.T) map[string][]mutant {
	t.Helper()
	list := map[string][]mutant{}
	for _, pattern := range strings.Fields(files) {
		names, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			list[name], err = find(name, src)
			require.NoError(t, err)
		}
	}
	return list
}

func TestEveryReasonNamesAMutant(t *testing.T) {
	known := map[string]bool{}
	for _, list := range mutants(t) {
		for _, m := range list {
			assert.False(t, known[m.key()], "two mutants have one name: %s", m.key())
			known[m.key()] = true
		}
	}
	reasons := parseReasons(equivalent)
	require.NotEmpty(t, reasons)
	for key, reason := range reasons {
		assert.True(t, known[key], "no such mutant: %s", key)
		assert.NotEmpty(t, reason, key)
	}
}

func TestMutantsAreGo(t *testing.T) {
	for name, list := range mutants(t) {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		numbered := map[int]mutant{}
		for i, m := range list {
			numbered[i+1] = m
			_, err := parser.ParseFile(token.NewFileSet(), name, m.broken(src), 0)
			assert.NoError(t, err, m.key())
		}
		_, err = parser.ParseFile(token.NewFileSet(), name, switchable(src, numbered), 0)
		assert.NoError(t, err, name)
	}
}

// The places of a few lines, one of each kind.
func TestFind(t *testing.T) {
	list, err := find("f.go", []byte(`package p

func (x *T) f() {
	x.a.Store(1)
	x.b.Add(2)
	if x.c.Load() != 0 && x.c.CompareAndSwap(1, 2) {
		wake()
	}
}
`))
	require.NoError(t, err)
	var kinds []string
	for _, m := range list {
		kinds = append(kinds, m.kind+": "+m.code)
	}
	assert.Equal(t, []string{
		"dropped: x.a.Store(1)",
		"done after the next: x.b.Add(2): x.a.Store(1)",
		"dropped: x.b.Add(2)",
		"done after the next: if x.c.Load() != 0 && x.c.CompareAndSwap(1, 2) { wake() }: x.b.Add(2)",
		"torn into load and store: x.b.Add(2)",
		"look dropped: x.c.Load() != 0 && x.c.CompareAndSwap(1, 2)",
		"torn into load and store: x.c.CompareAndSwap(1, 2)",
		"dropped: wake()",
	}, kinds)
}

func TestReasonsMayBeShared(t *testing.T) {
	assert.Equal(t, map[string]string{"a": "one and two", "b": "one and two", "c": "three"},
		parseReasons("# comment\na\nb\n\tone\n\tand two\n\nc\n\tthree\n"))
}

func TestTheInnermostTestIsNamed(t *testing.T) {
	assert.Equal(t, "TestA/b", killerIn("--- FAIL: TestA (1s)\n    --- FAIL: TestA/b (1s)\n--- FAIL: TestC (0s)\n"))
	assert.Equal(t, "TestA/b (hangs)", killerIn("panic: test timed out after 1s\n\trunning tests:\n\t\tTestA (1s)\n\t\tTestA/b (1s)\n"))
	assert.Equal(t, crashes, killerIn("fatal error: all goroutines are asleep"))
}
