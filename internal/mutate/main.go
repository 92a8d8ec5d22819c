// Mutate breaks the protocols one place at a time and tells which test notices: every
// step that reads and writes is torn into a load and a store, every write and every wake is
// dropped, every look is dropped, and every pair of neighbouring steps is done in the other
// order.
//
//	go run ./internal/mutate [-only regexp] [-results FILE] [-write docs/mutations.md] FILE...
//
// Tests see the broken file through the compiler's -overlay; the tree is not touched. A
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
	runs := flag.Int("runs", 1500, "explored runs of each body and kind of search, at most")
	workers := flag.Int("workers", 2, "mutants at a time")
	keep := flag.String("results", "", "keep verdicts in this file, and go on from there")
	again := flag.Bool("again", false, "run all tests on what stands in equivalent.txt, too, not only the quick ones")
	quick := flag.Bool("quick", false, "run the quick tests only")
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
	check(whole(*runs, *quick))
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range *workers {
		b, err := newBench(*runs)
		check(err)
		wg.Go(func() {
			defer b.close()
			for i := range jobs {
				m, start := mutants[i], time.Now()
				src, err := os.ReadFile(m.file)
				check(err)
				reason := reasons[m.key()]
				v, err := b.try(m.file, m.broken(src), *quick || reason != "" && !*again)
				check(err)
				check(known.put(m, v))
				v.reason = reason
				fmt.Printf("%d/%d %s:%d %s: %s (%v)\n", i+1, len(mutants), m.file, m.line, m.key(), v, time.Since(start).Round(time.Second))
			}
		})
	}
	for i, m := range mutants {
		if v, ok := known.get(m); ok && (v.Invalid || v.Killer != "" || reasons[m.key()] != "" && !*again) {
			continue
		}
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	t := newTable()
	for _, m := range mutants {
		v, _ := known.get(m)
		v.reason = reasons[m.key()]
		t.add(m, v)
	}
	fmt.Print(t.summary())
	if *write != "" {
		check(os.WriteFile(*write, []byte(t.String()), 0o644))
	}
	if t.survivors > 0 {
		os.Exit(1)
	}
}

// whole makes sure that no test fails on the unbroken code.
func whole(runs int, few bool) error {
	b, err := newBench(runs)
	if err != nil {
		return err
	}
	defer b.close()
	src, err := os.ReadFile("wait.go")
	if err != nil {
		return err
	}
	v, err := b.try("wait.go", src, few)
	if err == nil && v != (verdict{}) {
		err = fmt.Errorf("without any mutant: %v", v)
	}
	return err
}

func check(err error) {
	if err != nil {
		log.Fatal("mutate: ", err)
	}
}

// parseReasons reads pairs of lines: the key of a mutant, and an indented reason.
func parseReasons(text string) map[string]string {
	reasons := map[string]string{}
	key := ""
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		switch line := s.Text(); {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "\t"):
			reasons[key] = strings.TrimSpace(reasons[key] + " " + strings.TrimSpace(line))
		default:
			key = line
		}
	}
	return reasons
}
