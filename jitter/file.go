package jitter

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// format is the first field of a file, so that something else is not taken for one.
const format = "rtos-jitter-1"

type jsonFile struct {
	Format string  `json:"format"`
	Result *Result `json:"result"`
}

// WriteFile writes r as JSON. It writes name.tmp and renames that, so whoever reads
// finds the earlier file or this one, whole.
func (r *Result) WriteFile(name string) (err error) {
	data, err := json.Marshal(jsonFile{format, r})
	if err != nil {
		return fmt.Errorf("jitter: %w", err)
	}
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return fmt.Errorf("jitter: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("jitter: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// ReadFile reads what WriteFile, or a run with [Options].File, has written: at any time,
// also while the run goes on.
func ReadFile(name string) (*Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("jitter: %w", err)
	}
	var f jsonFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("jitter: %s: %w", name, err)
	}
	if f.Format != format {
		return nil, fmt.Errorf("jitter: %s: format %q, want %q", name, f.Format, format)
	}
	if f.Result == nil || f.Result.Lateness == nil {
		return nil, fmt.Errorf("jitter: %s: no result in it", name)
	}
	return f.Result, nil
}
