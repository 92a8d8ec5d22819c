package conformance

import (
	"errors"
	"fmt"
)

// ErrNotSelected: the scenario needs a kind that the selection leaves out.
var ErrNotSelected = errors.New("not selected")

// Emit runs one file and returns its trace, one event a line, as the value of the key "trace" of a
// scenario file.
func Emit(f File, sel Selection) ([]byte, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	s, err := Read(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	if kind := sel.Excludes(s); kind != "" {
		return nil, fmt.Errorf("conformance: %s: %s %w", f.Name, kind, ErrNotSelected)
	}
	result, err := Run(s)
	if err != nil {
		return nil, err
	}
	return appendTrace(nil, result.Trace), nil
}

// appendTrace appends a trace as a JSON list.
func appendTrace(b []byte, trace []Event) []byte {
	b = append(b, "[\n"...)
	for i := range trace {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = trace[i].Append(b)
	}
	return append(b, "\n]\n"...)
}
