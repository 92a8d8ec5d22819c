package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Status is the outcome of checking one file.
type Status uint8

// The outcomes.
const (
	Passed Status = iota
	Failed
	Skipped
)

var statusNames = [...]string{"passed", "failed", "skipped"}

func (s Status) String() string { return statusNames[s] }

// A Verdict is the outcome of checking one file, and why.
type Verdict struct {
	File   string
	Name   string // of the scenario, if it could be read
	Status Status
	Reason string // Skipped: the kind that is missing; Failed: a block of lines
}

// String returns a failed verdict as a block of lines, any other as one line.
func (v Verdict) String() string {
	switch v.Status {
	case Failed:
		return fmt.Sprintf("%s: failed\n%s", v.File, v.Reason)
	case Skipped:
		return fmt.Sprintf("%s: skipped, %s", v.File, v.Reason)
	case Passed:
	}
	return fmt.Sprintf("%s: passed", v.File)
}

// Check reads and runs one file and compares its trace, unless the scenario needs
// a kind that is not selected or not supported.
func Check(f File, sel Selection) Verdict {
	v := Verdict{File: f.Name, Status: Failed}
	if f.Err != nil {
		v.Reason = errorBlock(f.Err)
		return v
	}
	s, err := Read(f.Name, f.Data)
	if err != nil {
		v.Reason = errorBlock(err)
		return v
	}
	v.Name = s.Name
	if kind := sel.Excludes(s); kind != "" {
		v.Status, v.Reason = Skipped, kind+" not selected"
		return v
	}
	if kind := s.Unsupported(); kind != "" {
		v.Status, v.Reason = Skipped, kind+" not supported yet"
		return v
	}
	if !s.HasTrace {
		v.Reason = "  there is no trace to compare with\n"
		return v
	}
	result, err := Run(s)
	if err != nil {
		v.Reason = errorBlock(err)
		return v
	}
	d := Compare(s.Trace, result.Trace)
	if d == nil {
		v.Status = Passed
		return v
	}
	v.Reason = d.String()
	if result.Assertion != nil {
		v.Reason += fmt.Sprintf("  the assertion was: %v\n", result.Assertion)
	}
	return v
}

func errorBlock(err error) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n  ") + "\n"
}

// A Summary counts verdicts.
type Summary struct {
	Passed, Failed, Skipped int
	reasons                 map[string]int
}

// Add counts v.
func (s *Summary) Add(v Verdict) {
	switch v.Status {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Skipped:
		s.Skipped++
		if s.reasons == nil {
			s.reasons = map[string]int{}
		}
		s.reasons[v.Reason]++
	}
}

// OK reports whether nothing failed and something passed.
func (s *Summary) OK() bool { return s.Failed == 0 && s.Passed > 0 }

// String tells why files were skipped, one line for each reason, and closes with the counts.
func (s *Summary) String() string {
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(s.reasons)) {
		fmt.Fprintf(&b, "skipped %d: %s\n", s.reasons[reason], reason)
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
	return b.String()
}
