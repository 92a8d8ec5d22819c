// Mutate breaks the protocols one place at a time and tells which test notices: every
// compare-and-swap is torn into a load and a store, every write and every wake is dropped,
// every look is dropped, and every pair of neighbouring steps is done in the other order.
//
//	go run ./internal/mutate [-only regexp] [-time 20s] [-write docs/mutations.md] FILE...
//
// Tests see the broken file through the compiler's -overlay; the tree is not touched. A
// survivor must stand in equivalent.txt with the reason why it breaks nothing.
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
	"time"
)

//go:embed equivalent.txt
var equivalent string

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "mutants whose description matches")
	limit := flag.Duration("time", 20*time.Second, "exploration for each mutant")
	write := flag.String("write", "", "write the table to this file")
	list := flag.Bool("list", false, "list the mutants and do nothing")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	if flag.NArg() == 0 {
		log.Fatal("mutate: no files")
	}
	var mutants []mutant
	for _, file := range flag.Args() {
		src, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		found, err := find(file, src)
		if err != nil {
			log.Fatal(err)
		}
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
	t := newTable()
	reasons := parseReasons(equivalent)
	for i, m := range mutants {
		start := time.Now()
		v, err := try(m, *limit)
		if err != nil {
			log.Fatal(err)
		}
		v.reason = reasons[m.key()]
		t.add(m, v)
		fmt.Printf("%d/%d %s:%d %s: %s (%v)\n", i+1, len(mutants), m.file, m.line, m.key(), v, time.Since(start).Round(time.Second))
	}
	fmt.Print(t.summary())
	if *write != "" {
		if err := os.WriteFile(*write, []byte(t.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if t.survivors > 0 {
		os.Exit(1)
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
