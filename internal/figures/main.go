// Command figures measures the figures this project promises, ours and its
// peers in turn, and prints them as a table:
//
//	go run ./internal/figures [-runs 5] [-reps 15] [-benchtime 500ms] [-only regexp] [-check]
//
// The benchmark binary is built once. A run goes through all groups of
// benchmarks, each in a process of its own with ours and the peers next to each
// other; a ratio is the median over the runs of the ratios within one run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const pkg = "github.com/tickwake/rtos"

func main() {
	runs := flag.Int("runs", 5, "runs over all groups")
	reps := flag.Int("reps", 15, "repetitions of each counter way of ours, 0 for none")
	benchtime := flag.String("benchtime", "500ms", "time of each benchmark in a run")
	only := flag.String("only", "", "measure only figures whose name matches this regular expression")
	check := flag.Bool("check", false, "exit with status 1 if a figure misses its limit")
	flag.Parse()

	missed, err := measure(*runs, *reps, *benchtime, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(2)
	}
	if missed > 0 && *check {
		os.Exit(1)
	}
}

func measure(runs, reps int, benchtime, only string) (missed int, err error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "figures")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	bin, err := build(tmp)
	if err != nil {
		return 0, err
	}

	wanted := groups.matching(match)
	data := make(map[*group][]result)
	for run := range runs {
		for _, g := range wanted {
			fmt.Fprintf(os.Stderr, "run %d of %d: %s -cpu=%d\n", run+1, runs, g.bench, g.cpu)
			peers := result{}
			if g.peer != nil {
				peers = g.peer()
			}
			res := bin.run(g.bench, g.cpu, "-test.benchtime="+benchtime)
			maps.Copy(res, peers)
			data[g] = append(data[g], res)
		}
	}
	var rows []row
	for _, g := range wanted {
		for _, f := range g.figures {
			if match.MatchString(f.name) {
				rows = append(rows, f.judge(data[g]))
			}
		}
	}
	if reps > 0 {
		for _, way := range counterWays {
			if !match.MatchString(spreadName(way)) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%d repetitions of %s\n", reps, way)
			res := bin.run("Counter/"+way, 2, "-test.benchtime=1x", "-test.count="+strconv.Itoa(reps))
			rows = append(rows, spread(way, res))
		}
	}
	return printTable(os.Stdout, bin.machine, rows), nil
}

type binary struct {
	path, dir string
	machine   string
}

func build(tmp string) (*binary, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	b := &binary{path: filepath.Join(tmp, "bench.exe"), dir: strings.TrimSpace(string(dir))}
	if out, err := exec.Command("go", "test", "-c", "-o", b.path, pkg).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c %s: %w\n%s", pkg, err, out)
	}
	return b, nil
}

// run measures the benchmarks of a pattern whose elements match whole names. What
// a process that fails has not printed stays unmeasured.
func (b *binary) run(bench string, cpu int, args ...string) result {
	elems := strings.Split(bench, "/")
	for i, e := range elems {
		elems[i] = "^(" + e + ")$"
	}
	elems[0] = "^Benchmark" + strings.TrimPrefix(elems[0], "^")
	args = append([]string{
		"-test.run=^$", "-test.bench=" + strings.Join(elems, "/"), "-test.cpu=" + strconv.Itoa(cpu), "-test.timeout=5m",
	}, args...)
	cmd := exec.Command(b.path, args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s", bench, err, out)
	}
	if m := machine(out); m != "" {
		b.machine = m
	}
	return parse(bytes.NewReader(out), cpu)
}
