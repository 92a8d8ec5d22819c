package conformance

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

//go:embed testdata/scenarios.tar.gz
var scenarios []byte

//go:embed testdata/INDEX.txt
var index string

var pack = flag.String("pack", "", "rebuild testdata from this directory of scenarios")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorded unpacks the scenarios once.
var recorded = sync.OnceValue(func() []File {
	var files []File
	Unpack("scenarios"+archiveSuffix, bytes.NewReader(scenarios), func(f File) bool {
		files = append(files, f)
		return true
	})
	return files
})

// parsed is the recorded scenarios, to be left as they are.
var parsed = sync.OnceValue(func() []*Scenario {
	var list []*Scenario
	for _, f := range recorded() {
		s, err := Read(f.Name, f.Data)
		if err != nil {
			panic(err)
		}
		list = append(list, s)
	}
	return list
})

// runnable is those that can be run.
var runnable = sync.OnceValue(func() []*Scenario {
	return slices.DeleteFunc(slices.Clone(parsed()), func(s *Scenario) bool { return s.Unsupported() != "" })
})

// shortName is the path of a recorded scenario in the archive, without its end.
func shortName(file string) string {
	_, path, _ := strings.Cut(file, "/")
	return strings.TrimSuffix(path, ".json")
}

// recordedAs returns the scenario with that path in the archive.
func recordedAs(t *testing.T, path string) File {
	t.Helper()
	for _, f := range recorded() {
		if strings.HasSuffix(f.Name, "/"+path) {
			require.NoError(t, f.Err)
			return f
		}
	}
	t.Fatalf("no scenario %s", path)
	return File{}
}

func TestIndexListsTheArchive(t *testing.T) {
	var listed, packed []string
	for line := range strings.Lines(index) {
		if path, _, _ := strings.Cut(line, "\t"); strings.HasPrefix(path, "named/") {
			listed = append(listed, path)
		}
	}
	for _, f := range recorded() {
		if _, path, _ := strings.Cut(f.Name, "/"); strings.HasPrefix(path, "named/") {
			packed = append(packed, path)
		}
	}
	require.Equal(t, listed, packed)
	require.Len(t, recorded(), 1031)
}

// TestArchiveIsComplete: as many scenarios of every kind as were recorded, and as they were
// recorded.
func TestArchiveIsComplete(t *testing.T) {
	byKind := map[string]int{}
	for _, s := range parsed() {
		for _, kind := range kindsOf(s) {
			byKind[kind]++
		}
		require.True(t, s.HasTrace, s.File)
	}
	require.Equal(t, map[string]int{
		"tasks alone": 154, "mutex": 504, "recursive": 139, "binary": 208, "counting": 101,
		"queue": 160, "queueset": 26, "eventgroup": 128, "stream": 68, "batch": 2, "message": 46,
		"timer": 62, "timers": 110,
	}, byKind)
	for list, want := range map[string]int{"core": 627, "core,queue": 736, "all": 1031} {
		selection, err := ParseSelection(list)
		require.NoError(t, err)
		count := 0
		for _, s := range parsed() {
			if selection.Excludes(s) == "" {
				count++
			}
		}
		require.Equal(t, want, count, list)
	}
	sum := sha256.New()
	for _, f := range recorded() {
		_, path, _ := strings.Cut(f.Name, "/")
		fmt.Fprintf(sum, "%s %d\n%s", path, len(f.Data), f.Data)
	}
	require.Equal(t, "ab04da9ecec19cac52f227118e7668c094680a2c478d1edc8b95c00b6e05ef26", hex.EncodeToString(sum.Sum(nil)), "a recorded trace is never changed")
}

// TestPack rebuilds the archive if asked to. The same scenarios give the same bytes.
func TestPack(t *testing.T) {
	if *pack == "" {
		t.Skip("no -pack directory")
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	require.NoError(t, err)
	members := tar.NewWriter(zip)
	for _, dir := range []string{"named", "random"} {
		Files(filepath.Join(*pack, dir), func(f File) bool {
			require.NoError(t, f.Err)
			path := dir + "/" + filepath.Base(f.Name)
			require.NoError(t, members.WriteHeader(&tar.Header{
				Name: path, Mode: 0o644, Size: int64(len(f.Data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
			}))
			_, err := members.Write(f.Data)
			require.NoError(t, err)
			return true
		})
	}
	require.NoError(t, members.Close())
	require.NoError(t, zip.Close())
	require.NoError(t, os.WriteFile("testdata/scenarios"+archiveSuffix, out.Bytes(), 0o644))
	text, err := os.ReadFile(filepath.Join(*pack, "INDEX.txt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("testdata/INDEX.txt", text, 0o644))
}
