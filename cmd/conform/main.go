// Conform runs recorded scenarios of the reference kernel on package rtos and
// compares the traces.
//
//	conform [-kinds core] DIR-OR-FILE...
//	conform -emit FILE...
//
// Arguments are scenario files, directories with such files, or archives of them
// (.tar.gz). Every difference is printed as a block with the file, the first event that
// differs, as expected and as it came, and the ten events before it. The last line
// counts the files that passed, failed and were skipped. The exit status is 0 only if
// none failed and some passed.
//
// The flag -kinds restricts the run to scenarios that need nothing but the
// kinds listed: kinds of object, timers, smp, or core for mutexes and semaphores
// alone. The flag -emit prints the trace of each scenario instead of comparing it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tickwake/rtos/internal/conformance"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const (
	statusOK = iota
	statusFailed
	statusUsage
)

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conform", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kinds := flags.String("kinds", "", "run only scenarios of these kinds, such as core,queue")
	emit := flags.Bool("emit", false, "print traces instead of comparing them")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: conform [-kinds LIST] [-emit] DIR-OR-FILE...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return statusUsage
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return statusUsage
	}
	selection, err := conformance.ParseSelection(*kinds)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return statusUsage
	}
	visit, finish := comparison(stdout, selection)
	if *emit {
		visit, finish = emission(stdout, stderr, selection)
	}
	for _, path := range flags.Args() {
		conformance.Files(path, visit)
	}
	return finish()
}

// comparison checks files and prints what differs.
func comparison(stdout io.Writer, selection conformance.Selection) (func(conformance.File) bool, func() int) {
	var sum conformance.Summary
	visit := func(f conformance.File) bool {
		v := conformance.Check(f, selection)
		sum.Add(v)
		if v.Status == conformance.Failed {
			fmt.Fprintln(stdout, v)
		}
		return true
	}
	return visit, func() int {
		fmt.Fprintln(stdout, &sum)
		if !sum.OK() {
			return statusFailed
		}
		return statusOK
	}
}

// emission runs files and prints their traces.
func emission(stdout, stderr io.Writer, selection conformance.Selection) (func(conformance.File) bool, func() int) {
	status := statusOK
	visit := func(f conformance.File) bool {
		trace, err := conformance.Emit(f, selection)
		if err != nil {
			fmt.Fprintln(stderr, err)
			status = statusFailed
			return true
		}
		_, _ = stdout.Write(trace)
		return true
	}
	return visit, func() int { return status }
}
