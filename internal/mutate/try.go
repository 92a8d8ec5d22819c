package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
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
// because it is made more often.
var binaries = map[string][]string{
	"explore":     {"-tags", "explore", "."},
	"conformance": {"./internal/conformance"},
	"sim":         {"./sim"},
	"loans":       {"./internal/loans"},
	"all":         {"."},
}

// stages are the tests, the quickest to notice first, or only the first ones.
func stages(file string, runs int, few bool) []stage {
	explore := func(runs int) []string {
		return []string{"-test.run", "TestFreeze|TestExplore/(" + bodies(file) + ")", "-explore.runs", fmt.Sprint(runs)}
	}
	all := []string{"-test.run", "^Test"}
	list := []stage{
		{"explore", explore(300), time.Minute, true},
		{"explore", append(all, "-test.skip", "TestExplore|TestFreeze|TestProgressTable|TestSize", "-test.short"), time.Minute, false},
		{"explore", explore(min(runs, 1500)), 3 * time.Minute, true},
		{"sim", all, time.Minute, false},
		{"conformance", []string{"-test.run", "TestRecorded$|TestCompat|TestWaiting|TestRunParallel"}, 3 * time.Minute, false},
		{"all", all, 3 * time.Minute, false},
		{"loans", append(all, "-rapid.checks", "100"), 3 * time.Minute, false},
		{"explore", explore(runs), 10 * time.Minute, true},
	}
	if few {
		list = list[:2]
	}
	return list
}

// bodies selects those for the explorer that have to do with a file.
func bodies(file string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".go"), "_")
	switch name {
	case "mutex", "inherit", "orphan":
		return "mutex|recursive|loan|overdue|waiters"
	case "notify", "semaphore":
		return name
	case "queue":
		return "queue|ring|offers"
	}
	return ""
}

// A bench makes test binaries in a directory and runs them.
type bench struct {
	root, dir string
	runs      int
	replace   map[string]string // files in place of those of the tree
	unbroken  *bench            // where number 0 is the unbroken code
	mu        sync.Mutex
	built     map[string]error
}

func newBench(runs int) (*bench, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	b := &bench{root: root, dir: dir, runs: runs, replace: map[string]string{}, built: map[string]error{}}
	b.unbroken = b
	return b, err
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// put replaces a file of the tree, or adds one.
func (b *bench) put(file string, code []byte) error {
	to := filepath.Join(b.dir, file)
	b.replace[filepath.Join(b.root, file)] = to
	return os.WriteFile(to, code, 0o600)
}

var errBuild = errors.New("does not compile")

// try runs the stages, or few of them, with the switch on this number.
func (b *bench) try(file string, number int, few bool) (verdict, error) {
	for _, s := range stages(file, b.runs, few) {
		killer, err := b.run(s, number)
		switch {
		case errors.Is(err, errBuild):
			return verdict{Invalid: true}, nil
		case err != nil || killer != "":
			return verdict{Killer: killer}, err
		}
	}
	return verdict{}, nil
}

// need makes a test binary if it is not there yet.
func (b *bench) need(binary string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err, known := b.built[binary]
	if !known {
		err = b.build(binary)
		b.built[binary] = err
	}
	return err
}

func (b *bench) build(binary string) error {
	replace := maps.Clone(b.replace)
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
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", filepath.Join(b.dir, binary)}, binaries[binary]...)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		if bytes.HasPrefix(out, []byte("# ")) {
			return fmt.Errorf("%w: %s", errBuild, out)
		}
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// run tells which test fails. On a busy machine a test may fail because it was kept
// waiting: unless the stage is sure or the test hangs, it must fail when it is run again
// alone. If it does not, what would have come after it is not known yet, and the stage is
// run again.
func (b *bench) run(s stage, number int) (killer string, err error) {
	for range 3 {
		killer, err = b.patiently(s, number)
		if err != nil || killer == "" || s.sure || number != 0 && strings.HasSuffix(killer, hangs) {
			return killer, err
		}
		alone := s
		if killer != crashes {
			top, _, _ := strings.Cut(strings.TrimSuffix(killer, hangs), "/")
			alone.args = []string{"-test.run", "^" + regexp.QuoteMeta(top) + "$"}
		}
		for range 3 {
			if again, err := b.once(alone, number); err != nil || again != "" {
				return again, err
			}
		}
	}
	return "", nil
}

// patiently is once, and again as long as the unbroken code has too little time, too.
func (b *bench) patiently(s stage, number int) (killer string, err error) {
	for {
		killer, err = b.once(s, number)
		if err != nil || number == 0 || !strings.HasSuffix(killer, hangs) {
			return killer, err
		}
		unbroken := s
		unbroken.limit /= 3
		well, err := b.unbroken.once(unbroken, 0)
		if err != nil || well == "" {
			return killer, err
		}
	}
}

const (
	hangs   = " (hangs)"
	crashes = "a crash"
)

func (b *bench) once(s stage, number int) (killer string, err error) {
	if err := b.need(s.binary); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.limit+time.Minute)
	defer cancel()
	args := append([]string{"-test.failfast", "-test.timeout", s.limit.String()}, s.args...)
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, s.binary), args...)
	cmd.Env = append(os.Environ(), switchEnv+"="+strconv.Itoa(number))
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
