package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A verdict is what became of a mutant.
type verdict struct {
	invalid bool   // it does not compile
	killer  string // the test that failed
	reason  string // why a survivor breaks nothing
}

func (v verdict) String() string {
	switch {
	case v.invalid:
		return "does not compile"
	case v.killer != "":
		return "noticed by " + v.killer
	case v.reason != "":
		return "equivalent: " + v.reason
	}
	return "SURVIVES"
}

// stages are the tests, the quickest to notice first.
var stages = []struct {
	name string
	args []string
}{
	{"", []string{"-tags", "explore", "-run", "TestExplore|TestFreeze|TestMutant", "."}},
	{"", []string{"-run", "^Test", "./internal/conformance", "./sim"}},
	{"", []string{"-run", "^Test", "."}},
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// try runs the stages with the mutant in place of its file.
func try(m mutant, limit time.Duration) (verdict, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return verdict{}, err
	}
	defer os.RemoveAll(dir)
	src, err := os.ReadFile(m.file)
	if err != nil {
		return verdict{}, err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return verdict{}, err
	}
	broken := filepath.Join(dir, filepath.Base(m.file))
	overlay := filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		return verdict{}, err
	}
	code := string(src[:m.start]) + m.with + string(src[m.end:])
	if err := os.WriteFile(broken, []byte(code), 0o600); err != nil {
		return verdict{}, err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return verdict{}, err
	}
	for _, s := range stages {
		args := append([]string{"test", "-overlay", overlay, "-count=1", "-failfast", "-vet=off", "-timeout", (limit + 100*time.Second).String()}, s.args...)
		if strings.Contains(strings.Join(s.args, " "), "explore") {
			args = append(args, "-explore.time", limit.String())
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit+180*time.Second)
		out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
		timedOut := ctx.Err() != nil
		cancel()
		switch text := string(out); {
		case err == nil:
		case strings.Contains(text, "[build failed]"), strings.Contains(text, "[setup failed]"):
			return verdict{invalid: true}, nil
		case timedOut:
			return verdict{killer: "a test that hangs"}, nil
		default:
			return verdict{killer: killer(text)}, nil
		}
	}
	return verdict{}, nil
}

// killer is the innermost test that failed first.
func killer(out string) string {
	best := ""
	for _, m := range failed.FindAllStringSubmatch(out, -1) {
		if best == "" || strings.HasPrefix(m[1], best+"/") {
			best = m[1]
		}
	}
	switch {
	case best != "":
	case strings.Contains(out, "panic: test timed out"):
		best = "a test that hangs"
	case strings.Contains(out, "panic:"), strings.Contains(out, "fatal error:"):
		best = "a crash"
	default:
		best = fmt.Sprintf("a failure: %.80q", strings.TrimSpace(out))
	}
	return best
}
