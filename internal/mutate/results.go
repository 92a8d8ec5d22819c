package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// results remembers verdicts in a file, a line each, so that a run can be interrupted.
type results struct {
	mu    sync.Mutex
	known map[string]verdict
	file  *os.File
}

type result struct {
	ID, Key string
	Verdict verdict
}

// openResults reads what is known; without a name nothing is, and nothing is kept.
func openResults(name string) (*results, error) {
	r := &results{known: map[string]verdict{}}
	if name == "" {
		return r, nil
	}
	old, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		defer old.Close()
		for s := bufio.NewScanner(old); s.Scan(); {
			var line result
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				return nil, err
			}
			r.known[line.ID] = line.Verdict
		}
	}
	r.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return r, err
}

func (r *results) get(m mutant) (verdict, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.known[m.id()]
	return v, ok
}

func (r *results) put(m mutant, v verdict) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[m.id()] = v
	if r.file == nil {
		return nil
	}
	line, err := json.Marshal(result{m.id(), m.key(), v})
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}
