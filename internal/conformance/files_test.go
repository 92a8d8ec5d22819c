package conformance

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func visited(path string) []File {
	var files []File
	Files(path, func(f File) bool {
		files = append(files, f)
		return true
	})
	return files
}

func TestFilesOfDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b.json", "c"), 0o755))
	for _, path := range []string{"z.json", "a.json", "b.json/c/d.json", "a.txt", "FORMAT.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(path), 0o644))
	}
	var names []string
	for _, f := range visited(dir) {
		require.NoError(t, f.Err)
		rel, err := filepath.Rel(dir, f.Name)
		require.NoError(t, err)
		names = append(names, filepath.ToSlash(rel))
		require.Equal(t, filepath.ToSlash(rel), string(f.Data))
	}
	require.Equal(t, []string{"a.json", "b.json/c/d.json", "z.json"}, names)
}

func TestFilesStop(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a.json", "b.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), nil, 0o644))
	}
	count := 0
	Files(dir, func(File) bool { count++; return false })
	require.Equal(t, 1, count)
}

func TestFilesWithErrors(t *testing.T) {
	dir := t.TempDir()
	missing := visited(filepath.Join(dir, "missing"))
	require.Len(t, missing, 1)
	require.ErrorIs(t, missing[0].Err, os.ErrNotExist)

	huge := filepath.Join(dir, "huge.json")
	require.NoError(t, os.WriteFile(huge, make([]byte, MaxFile+1), 0o644))
	files := visited(huge)
	require.Len(t, files, 1)
	require.ErrorContains(t, files[0].Err, "more than")

	broken := filepath.Join(dir, "broken.json")
	if err := os.Symlink(filepath.Join(dir, "missing"), broken); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Remove(huge))
	files = visited(dir)
	require.Len(t, files, 1)
	require.ErrorIs(t, files[0].Err, os.ErrNotExist)
}

// link makes a symbolic link, if the system has them.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

// TestFilesThatAreNone: what is called a scenario and cannot be read is an error that names it; nothing
// is read without end.
func TestFilesThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		msg  string
	}{
		"link to itself": {func(t *testing.T, path string) { link(t, path, path) }, "x.json"},
		"links in a circle": {func(t *testing.T, path string) {
			link(t, path, path+".other")
			link(t, path+".other", path)
		}, "x.json"},
		"link to its directory": {func(t *testing.T, path string) { link(t, filepath.Dir(path), path) }, "not a regular file"},
		"endless device": {func(t *testing.T, path string) {
			if _, err := os.Stat("/dev/zero"); err != nil {
				t.Skip(err)
			}
			link(t, "/dev/zero", path)
		}, "not a regular file"},
		"a gigabyte": {func(t *testing.T, path string) {
			f, err := os.Create(path)
			require.NoError(t, err)
			require.NoError(t, f.Truncate(1<<30)) // a hole
			require.NoError(t, f.Close())
		}, "more than 16777216 bytes"},
		"not readable": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(sample), 0))
			if f, err := os.Open(path); err == nil {
				_ = f.Close()
				t.Skip("permissions do not count here")
			}
		}, "x.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.json")
			c.make(t, path)
			for _, argument := range []string{path, dir} {
				files := visited(argument)
				require.Len(t, files, 1, argument)
				require.Error(t, files[0].Err, argument)
				v := Check(files[0], nil)
				require.Equal(t, Failed, v.Status, argument)
				require.Contains(t, v.String(), c.msg, argument)
			}
		})
	}
}

// TestFilesDoNotFollowLinksToDirectories: a tree of links may be endless.
func TestFilesDoNotFollowLinksToDirectories(t *testing.T) {
	dir := t.TempDir()
	link(t, dir, filepath.Join(dir, "again"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), nil, 0o644))
	require.Len(t, visited(dir), 1)
	root := filepath.Join(t.TempDir(), "root")
	link(t, dir, root)
	require.Len(t, visited(root), 1, "but for the one that is named")
}

func TestFilesOfArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some"+archiveSuffix)
	require.NoError(t, os.WriteFile(path, scenarios, 0o644))
	files := visited(path)
	require.Len(t, files, len(recorded()))
	require.Equal(t, path+"/named/abortdelay-delay.json", files[0].Name)
	require.Equal(t, recorded()[0].Data, files[0].Data)
}

// TestUnpackStops: a small archive may unpack to more than there is memory for.
func TestUnpackStops(t *testing.T) {
	count, last := 0, File{}
	unpack("bomb", bytes.NewReader(scenarios), 100_000, func(f File) bool {
		count, last = count+1, f
		return true
	})
	require.Greater(t, count, 1)
	require.ErrorContains(t, last.Err, "conformance: bomb")
	require.ErrorContains(t, last.Err, "unpacks to more than 100000 bytes")
}

func TestUnpackDamaged(t *testing.T) {
	var notTar bytes.Buffer
	zip := gzip.NewWriter(&notTar)
	_, err := zip.Write(bytes.Repeat([]byte("x"), 4096))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	for name, data := range map[string][]byte{
		"empty":   nil,
		"no gzip": []byte("scenarios"),
		"no tar":  notTar.Bytes(),
		"cut":     scenarios[:len(scenarios)/2],
	} {
		var last File
		Unpack("damaged", bytes.NewReader(data), func(f File) bool {
			last = f
			return true
		})
		require.ErrorContains(t, last.Err, "conformance: damaged", name)
	}
}
