package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// seeds adds what a fuzzer begins with: a few scenarios of every kind, and what is hostile.
func seeds(f *testing.F) {
	f.Add([]byte(sample))
	for _, data := range []string{
		"", "null", "[[[[", sample[:len(sample)/2], sample + "}",
		nested(40),
		strings.Repeat(`{"a":`, 40),
		`{"name":"n","config":{},"tasks":[{"id":"A"}]}`,
		strings.Replace(sample, `"n":3`, `"n":4294967295`, 1),
		strings.Replace(sample, `"n":3`, `"n":1000000000000000000`, 1),
		strings.Replace(sample, `"at":4`, `"at":9223372036854775808`, 1),
		strings.Replace(sample, `"sample"`, "\"\xff\\ud800\"", 1),
		strings.Replace(sample, `{"op":"work","n":3}`, `{"op":"delete"}`, 1),
		strings.Replace(sample, `{"op":"work","n":3}`, `{"op":"suspendall"},{"op":"catchup","n":4096},{"op":"suspend"}`, 1),
		string(scenarioWith(`"timers":0`, creators).Data),
	} {
		f.Add([]byte(data))
	}
	size := map[string]int{} // of the kinds that have one
	for i, file := range recorded() {
		kinds := fmt.Sprint(parsed()[i].Kinds())
		if size[kinds]++; size[kinds] <= 2 && len(file.Data) < 4000 {
			f.Add(file.Data)
		}
	}
}

// FuzzRead: whatever a file contains, it is a scenario or there is an error that says where not.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read("fuzz.json", data)
		if err != nil {
			if !errors.As(err, new(*ReadError)) || !strings.HasPrefix(err.Error(), "conformance: fuzz.json:") {
				t.Fatalf("not a ReadError with a place: %v", err)
			}
			if message := err.Error(); len(message) > 1000 || strings.ContainsAny(message, "\n\x1b") {
				t.Fatalf("not a line to print: %q", message)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("accepted what is not JSON")
		}
		text := appendTrace(nil, s.Trace)
		if !json.Valid(text) {
			t.Fatal("the trace cannot be written")
		}
		if !s.HasTrace {
			return
		}
		// What was written can be read again, and is the same.
		head, _, found := bytes.Cut(data, []byte(`"trace":`))
		if !found || !json.Valid(append(bytes.Clone(head), `"trace":[]}`...)) {
			return
		}
		again, err := Read("again.json", append(append(bytes.Clone(head), `"trace":`...), append(text, '}')...))
		if err != nil {
			return // more may have followed the trace
		}
		if d := Compare(s.Trace, again.Trace); d != nil {
			t.Fatal(d)
		}
	})
}

// patience is how long one scenario may take, on a machine that has other things to do.
const patience = time.Minute

// FuzzRun: whatever a scenario contains, it has one trace with an end, or an error that names the
// file; and that soon.
func FuzzRun(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read("fuzz.json", data)
		if err != nil || s.Unsupported() != "" {
			return
		}
		watchdog := time.AfterFunc(patience, func() { panic("a scenario does not end:\n" + string(data)) })
		defer watchdog.Stop()
		first, err := Run(s)
		if err != nil {
			if !errors.Is(err, errEvents) && !errors.Is(err, errMissed) || !strings.Contains(err.Error(), "fuzz.json") {
				t.Fatal(err)
			}
			return
		}
		if len(first.Trace) == 0 || first.Trace[len(first.Trace)-1].Kind != EndEvent {
			t.Fatal("a trace without an end")
		}
		second, err := run(s, setup{compat: asReference.compat, forms: generalForms})
		if err != nil {
			t.Fatal(err)
		}
		if d := Compare(first.Trace, second.Trace); d != nil {
			t.Fatal(d)
		}
		if text := appendTrace(nil, first.Trace); !json.Valid(text) {
			t.Fatalf("the trace is not JSON:\n%s", text)
		}
	})
}

// FuzzShuffled: the same for what is made of recorded scenarios.
func FuzzShuffled(f *testing.F) {
	parsed() // before the clock of the first input runs
	f.Add(uint64(0), uint64(0))
	f.Fuzz(runShuffled)
}

// FuzzParallel: the same on goroutines, where there is no trace but a ledger.
func FuzzParallel(f *testing.F) {
	parsed()
	f.Add(uint64(0), uint64(0))
	f.Fuzz(runAnyhow)
}
