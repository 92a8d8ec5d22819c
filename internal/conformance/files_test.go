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

func TestFilesOfArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some"+archiveSuffix)
	require.NoError(t, os.WriteFile(path, scenarios, 0o644))
	files := visited(path)
	require.Len(t, files, len(recorded()))
	require.Equal(t, path+"/named/abortdelay-delay.json", files[0].Name)
	require.Equal(t, recorded()[0].Data, files[0].Data)
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
