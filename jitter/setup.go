package jitter

import (
	"fmt"
	"io"
	"strings"
)

// Setup describes the world in which something was measured, in words, so that a figure
// is never seen without them. An empty field is printed as not known.
type Setup struct {
	Port       string `json:"port"`       // what runs the tasks
	Clock      string `json:"clock"`      // what deadlines and stamps are read from
	Policy     string `json:"policy"`     // scheduling policy, priority, core
	Permission string `json:"permission"` // what the process may do
	// Degradations is what was wanted and could not be had. It is printed line by line.
	Degradations []string `json:"degradations,omitempty"`
}

// WriteTo writes one line for each fact.
func (s *Setup) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, s.String())
	return int64(n), err
}

func (s *Setup) String() string {
	var b strings.Builder
	for _, f := range [][2]string{
		{"port", s.Port}, {"clock", s.Clock}, {"policy", s.Policy}, {"permission", s.Permission},
	} {
		if f[1] == "" {
			f[1] = "not known"
		}
		fmt.Fprintf(&b, "%-14s%s\n", f[0], f[1])
	}
	if len(s.Degradations) == 0 && s.Port != "" {
		fmt.Fprintf(&b, "%-14s%s\n", "degraded", "nothing")
	}
	for _, d := range s.Degradations {
		fmt.Fprintf(&b, "%-14s%s\n", "degraded", d)
	}
	return b.String()
}

// assume fills in what nobody has said.
func (s *Setup) assume(port, clock, policy, permission string) {
	for _, f := range []struct {
		field *string
		value string
	}{{&s.Port, port}, {&s.Clock, clock}, {&s.Policy, policy}, {&s.Permission, permission}} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
}
