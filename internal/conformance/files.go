package conformance

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	archiveSuffix = ".tar.gz"
	maxUnpacked   = 1 << 30 // bytes an archive may unpack to
)

// A File is a scenario file, or the reason why it could not be read.
type File struct {
	Name string
	Data []byte
	Err  error
}

// Files calls visit for every scenario file path stands for: a file, the
// members of an archive (.tar.gz), or the .json files below a directory, in
// lexical order. It stops when visit returns false. A file that cannot be
// read is visited with its error.
func Files(path string, visit func(File) bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		visit(File{Name: path, Err: err})
	case info.IsDir():
		walk(path, visit)
	case strings.HasSuffix(path, archiveSuffix):
		openArchive(path, visit)
	default:
		visit(readFile(path))
	}
}

// walk visits the scenario files below a directory.
func walk(root string, visit func(File) bool) {
	// The separator makes WalkDir enter a root that is a link.
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		switch {
		case err != nil:
			if !visit(File{Name: path, Err: err}) {
				return fs.SkipAll
			}
		case !d.IsDir() && strings.HasSuffix(path, ".json"):
			if !visit(readFile(path)) {
				return fs.SkipAll
			}
		}
		return nil
	})
	if err != nil {
		visit(File{Name: root, Err: err})
	}
}

// readFile reads a regular file of acceptable size; anything else might never end.
func readFile(path string) File {
	f := File{Name: path}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		f.Err = err
		return f
	case !info.Mode().IsRegular():
		f.Err = fmt.Errorf("conformance: %s: not a regular file", path)
		return f
	}
	file, err := os.Open(path)
	if err != nil {
		f.Err = err
		return f
	}
	defer file.Close()
	f.Data, f.Err = readAll(file, path)
	return f
}

// readAll reads what fits the limit.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("conformance: %s: %w", name, err)
	}
	if len(data) > MaxFile {
		return nil, &ReadError{File: name, Msg: fmt.Sprintf("more than %d bytes", MaxFile)}
	}
	return data, nil
}

func openArchive(path string, visit func(File) bool) {
	file, err := os.Open(path)
	if err != nil {
		visit(File{Name: path, Err: err})
		return
	}
	defer file.Close()
	Unpack(path, file, visit)
}

// Unpack visits the .json files in an archive. Name is that of the archive.
func Unpack(name string, r io.Reader, visit func(File) bool) { unpack(name, r, maxUnpacked, visit) }

func unpack(name string, r io.Reader, limit int64, visit func(File) bool) {
	broken := func(err error) {
		visit(File{Name: name, Err: fmt.Errorf("conformance: %s: %w", name, err)})
	}
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		broken(err)
		return
	}
	limited := &io.LimitedReader{R: unzipped, N: limit}
	for members := tar.NewReader(limited); ; {
		header, err := members.Next()
		switch {
		case limited.N == 0:
			broken(fmt.Errorf("unpacks to more than %d bytes", limit))
			return
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			broken(err)
			return
		}
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(header.Name, ".json") {
			continue
		}
		f := File{Name: name + "/" + header.Name}
		f.Data, f.Err = readAll(members, f.Name)
		if !visit(f) {
			return
		}
	}
}
