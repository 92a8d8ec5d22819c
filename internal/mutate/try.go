package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	Invalid bool   // it does not compile
	Killer  string // the test that failed
	reason  string // why a survivor breaks nothing
}

func (v verdict) String() string {
	switch {
	case v.Invalid:
		return "does not compile"
	case v.Killer != "":
		return "noticed by " + v.Killer
	case v.reason != "":
		return "equivalent: " + v.reason
	}
	return "SURVIVES"
}

// A stage is a test binary and what it runs.
type stage struct {
	binary string
	args   []string
	limit  time.Duration // who takes longer hangs
	sure   bool          // does the same each time, so that one failure is enough
}

// binaries says how to make them. The explorer's has the tests of package rtos alone,
// because it is made for every mutant.
var binaries = map[string][]string{
	"explore":     {"-tags", "explore", "."},
	"conformance": {"./internal/conformance"},
	"sim":         {"./sim"},
	"loans":       {"./internal/loans"},
	"all":         {"."},
}

// stages are the tests, the quickest to notice first, or only the first ones.
func stages(runs int, few bool) []stage {
	explore := func(runs int) []string {
		return []string{"-test.run", "TestFreeze|TestExplore", "-explore.runs", fmt.Sprint(runs)}
	}
	all := []string{"-test.run", "^Test"}
	list := []stage{
		{"explore", explore(300), time.Minute, true},
		{"explore", append(all, "-test.skip", "TestExplore|TestFreeze|TestProgressTable|TestSize", "-test.short"), time.Minute, false},
		{"explore", explore(runs), 10 * time.Minute, true},
		{"sim", all, time.Minute, false},
		{"conformance", []string{"-test.run", "TestRecorded$|TestCompat|TestWaiting|TestRunParallel"}, 3 * time.Minute, false},
		{"loans", append(all, "-rapid.checks", "100"), 3 * time.Minute, false},
		{"all", all, 3 * time.Minute, false},
	}
	if few {
		list = list[:2]
	}
	return list
}

// A bench is the place where one mutant at a time is tried.
type bench struct {
	root, dir string
	runs      int
}

func newBench(runs int) (*bench, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	return &bench{root, dir, runs}, err
}

func (b *bench) close() { os.RemoveAll(b.dir) }

var errBuild = errors.New("does not compile")

// try runs the stages, or few of them, with this file in place of the one of that name.
func (b *bench) try(file string, code []byte, few bool) (verdict, error) {
	if err := os.WriteFile(filepath.Join(b.dir, "broken.go"), code, 0o600); err != nil {
		return verdict{}, err
	}
	built := map[string]bool{}
	for _, s := range stages(b.runs, few) {
		if !built[s.binary] {
			switch err := b.build(s.binary, s.binary, file); {
			case errors.Is(err, errBuild):
				return verdict{Invalid: true}, nil
			case err != nil:
				return verdict{}, err
			}
			built[s.binary] = true
		}
		killer, err := b.run(s)
		if err != nil || killer != "" {
			return verdict{Killer: killer}, err
		}
	}
	return verdict{}, nil
}

// build makes a test binary with the broken file in place of this one, which may be none.
func (b *bench) build(binary, to, file string) error {
	replace := map[string]string{}
	if file != "" {
		replace[filepath.Join(b.root, file)] = filepath.Join(b.dir, "broken.go")
	}
	if binary == "explore" {
		tests, err := filepath.Glob("*_test.go")
		if err != nil {
			return err
		}
		for _, t := range tests {
			src, err := os.ReadFile(t)
			if err != nil {
				return err
			}
			if bytes.Contains(append([]byte("\n"), src...), []byte("\npackage rtos_test\n")) {
				replace[filepath.Join(b.root, t)] = ""
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return err
	}
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", filepath.Join(b.dir, to)}, binaries[binary]...)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		if bytes.HasPrefix(out, []byte("# ")) {
			return errBuild
		}
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// run tells which test fails. On a busy machine a test may fail because it was kept
// waiting: unless the stage is sure, the test must fail when it is run again alone.
func (b *bench) run(s stage) (killer string, err error) {
	for {
		killer, err = b.once(s.binary, s)
		if err != nil || !strings.HasSuffix(killer, hangs) {
			break
		}
		// It hangs if the unbroken code has time enough.
		fair, err := b.fair(s)
		if err != nil || fair {
			return killer, err
		}
	}
	if err != nil || killer == "" || s.sure {
		return killer, err
	}
	alone := s
	if killer != crashes {
		top, _, _ := strings.Cut(killer, "/")
		alone.args = []string{"-test.run", "^" + regexp.QuoteMeta(top) + "$"}
	}
	for range 3 {
		if again, err := b.once(s.binary, alone); err != nil || again != "" {
			return again, err
		}
	}
	return "", nil
}

// fair tells whether the unbroken code gets through a stage in a third of its time.
func (b *bench) fair(s stage) (bool, error) {
	whole := "whole-" + s.binary
	if _, err := os.Stat(filepath.Join(b.dir, whole)); err != nil {
		if err := b.build(s.binary, whole, ""); err != nil {
			return false, err
		}
	}
	s.limit /= 3
	killer, err := b.once(whole, s)
	return killer == "", err
}

const (
	hangs   = " (hangs)"
	crashes = "a crash"
)

func (b *bench) once(binary string, s stage) (killer string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit+time.Minute)
	defer cancel()
	args := append([]string{"-test.failfast", "-test.timeout", s.limit.String()}, s.args...)
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, binary), args...)
	list := binaries[s.binary]
	cmd.Dir = filepath.Join(b.root, list[len(list)-1])
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "a test" + hangs, nil
	case errors.As(err, &exit):
		return killerIn(string(out)), nil
	}
	return "", err
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	running = regexp.MustCompile(`(?m)^\s+(Test\S+) \(`) // in the report of a time-out
)

// killerIn is the innermost test that failed first.
func killerIn(out string) string {
	if _, list, ok := strings.Cut(out, "panic: test timed out"); ok {
		return innermost(running, list) + hangs
	}
	if best := innermost(failed, out); best != "" {
		return best
	}
	return crashes
}

func innermost(test *regexp.Regexp, out string) (best string) {
	for _, m := range test.FindAllStringSubmatch(out, -1) {
		if best == "" || strings.HasPrefix(m[1], best+"/") {
			best = m[1]
		}
	}
	return best
}
