// Mutate breaks the protocols one place at a time and tells which test notices: every
// step that reads and writes is torn into a load and a store, every write and every wake is
// dropped, every look is dropped, and every pair of neighbouring steps is done in the other
// order.
//
//	go run ./internal/mutate [-only regexp] [-results FILE] [-write docs/mutations.md] FILE...
//
// Tests see the broken files through the compiler's -overlay; the tree is not touched. A
// survivor must stand in equivalent.txt with the reason why it breaks nothing. Exploration
// is measured in runs, not in time, so a busy machine changes no verdict.
//
// All of it takes hours. With -results what is known is kept in a file, and a run that was
// interrupted goes on from there: what was noticed is not tried again while its function
// is the same, survivors are unless they stand in equivalent.txt.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

//go:embed equivalent.txt
var equivalent string

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "mutants whose description matches")
	runs := flag.Int("runs", 5000, "explored runs of each body and kind of search, at most")
	workers := flag.Int("workers", 2, "mutants at a time")
	keep := flag.String("results", "", "keep verdicts in this file, and go on from there")
	again := flag.Bool("again", false, "run all tests on what stands in equivalent.txt, too, not only the quick ones")
	quick := flag.Bool("quick", false, "run the quick tests only")
	tell := flag.Bool("known", false, "try nothing, tell what -results has")
	write := flag.String("write", "", "write the table to this file")
	list := flag.Bool("list", false, "list the mutants and do nothing")
	flag.Parse()
	match, err := regexp.Compile(*only)
	check(err)
	if flag.NArg() == 0 {
		log.Fatal("mutate: no files")
	}
	var mutants []mutant
	for _, file := range flag.Args() {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		check(err)
		found, err := find(file, src)
		check(err)
		for _, m := range found {
			if match.MatchString(m.key()) {
				mutants = append(mutants, m)
			}
		}
	}
	if *list {
		for _, m := range mutants {
			fmt.Printf("%d %s\n", m.line, m.key())
		}
		return
	}
	reasons := parseReasons(equivalent)
	known, err := openResults(*keep)
	check(err)
	if !*tell {
		run(mutants, known, reasons, options{*runs, *workers, *quick, *again})
	}
	t := newTable()
	for _, m := range mutants {
		if v, ok := known.get(m); ok {
			v.reason = reasons[m.key()]
			t.add(m, v)
		} else {
			t.untried++
		}
	}
	fmt.Print(t.summary())
	if *write != "" {
		check(os.WriteFile(*write, []byte(t.String()), 0o644))
	}
	if t.survivors+t.untried > 0 {
		os.Exit(1)
	}
}

type options struct {
	runs, workers int
	quick, again  bool
}

// run tries what has to be tried.
func run(mutants []mutant, known *results, reasons map[string]string, o options) {
	all, err := together(mutants, o.runs)
	check(err)
	defer all.close()
	all.runs = 300 // enough to see that nothing fails
	v, err := all.try("", 0, o.quick)
	check(err)
	all.runs = o.runs
	if v != (verdict{}) {
		log.Fatal("mutate: without any mutant: ", v, all.built)
	}
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range o.workers {
		wg.Go(func() {
			for i := range jobs {
				m, start := mutants[i], time.Now()
				reason := reasons[m.key()]
				v, err := try(all, m, i+1, o.quick || reason != "" && !o.again)
				check(err)
				check(known.put(m, v))
				v.reason = reason
				fmt.Printf("%d/%d %s:%d %s: %s (%v)\n", i+1, len(mutants), m.file, m.line, m.key(), v, time.Since(start).Round(time.Second))
			}
		})
	}
	for i, m := range mutants {
		if v, ok := known.get(m); ok && (v.Invalid || v.Killer != "" || reasons[m.key()] != "" && !o.again) {
			continue
		}
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

// together is a bench for all mutants that can share a build, by number.
func together(mutants []mutant, runs int) (*bench, error) {
	files := map[string]map[int]mutant{}
	for i, m := range mutants {
		if files[m.file] == nil {
			files[m.file] = map[int]mutant{}
		}
		files[m.file][i+1] = m
	}
	b, err := newBench(runs)
	if err != nil {
		return nil, err
	}
	for file, list := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := b.put(file, []byte(switchable(src, list))); err != nil {
			return nil, err
		}
	}
	return b, b.put("broken_place.go", []byte(switchFile))
}

// try tries one mutant, in a build of its own if it has to be.
func try(all *bench, m mutant, number int, few bool) (verdict, error) {
	if m.wraps != nil {
		return all.try(m.file, number, few)
	}
	b, err := newBench(all.runs)
	if err != nil {
		return verdict{}, err
	}
	defer b.close()
	b.unbroken = all
	src, err := os.ReadFile(m.file)
	if err != nil {
		return verdict{}, err
	}
	if err := b.put(m.file, m.broken(src)); err != nil {
		return verdict{}, err
	}
	return b.try(m.file, number, few)
}

func check(err error) {
	if err != nil {
		log.Fatal("mutate: ", err)
	}
}

// parseReasons reads the keys of mutants, each on a line, and below them indented the
// reason that they share.
func parseReasons(text string) map[string]string {
	reasons := map[string]string{}
	var keys []string
	last := false // the last line was of a reason
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		line := s.Text()
		reason := strings.HasPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			continue
		case !reason && last:
			keys = []string{line}
		case !reason:
			keys = append(keys, line)
		}
		for _, key := range keys {
			if reason {
				reasons[key] = strings.TrimSpace(reasons[key] + " " + strings.TrimSpace(line))
			}
		}
		last = reason
	}
	return reasons
}
