// Conform runs recorded scenarios of the reference kernel on package rtos and
// compares the traces.
//
//	conform [-kinds core] DIR-OR-FILE...
//	conform -emit FILE...
//
// Arguments are scenario files, directories with such files, or archives of them
// (.tar.gz). Every difference is printed as a block with the file, the first event that
// differs, as expected and as it came, and the ten events before it. The last line
// counts the files that passed, failed and were skipped; what was skipped is counted by kind
// before it. Files that are malformed, or contain what the format does not know, have failed.
// The exit status is 0 only if none failed and some passed; 2 is a mistake in the arguments.
//
// The flag -kinds restricts the run to scenarios that need nothing but the
// kinds listed: kinds of object, timers, smp, or core for mutexes and semaphores
// alone. The flag -emit prints the trace of each scenario as it comes out here, instead of
// comparing it; a file needs none for that.
package main

import (
	"errors"
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
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusUsage
	case flags.NArg() == 0:
		fmt.Fprintln(stderr, "conform: no files named")
		flags.Usage()
		return statusUsage
	}
	selection, err := conformance.ParseSelection(*kinds)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return statusUsage
	}
	var work job = &comparison{stdout: stdout, selection: selection}
	if *emit {
		work = &emission{stdout: stdout, stderr: stderr, selection: selection}
	}
	empty := false
	for _, path := range flags.Args() {
		some := false
		conformance.Files(path, func(f conformance.File) bool {
			some = true
			work.file(f)
			return true
		})
		if !some {
			empty = true
			fmt.Fprintf(stderr, "conform: %s: no scenario files\n", path)
		}
	}
	if !work.end() || empty {
		return statusFailed
	}
	return statusOK
}

// job is what is done with files.
type job interface {
	file(f conformance.File)
	end() bool // true if all went well
}

// comparison checks files and prints what differs.
type comparison struct {
	stdout    io.Writer
	selection conformance.Selection
	sum       conformance.Summary
}

func (c *comparison) file(f conformance.File) {
	v := conformance.Check(f, c.selection)
	c.sum.Add(v)
	if v.Status == conformance.Failed {
		fmt.Fprintln(c.stdout, v)
	}
}

func (c *comparison) end() bool {
	fmt.Fprintln(c.stdout, &c.sum)
	return c.sum.OK()
}

// emission runs files and prints their traces.
type emission struct {
	stdout, stderr  io.Writer
	selection       conformance.Selection
	emitted, failed int
}

func (e *emission) file(f conformance.File) {
	trace, err := conformance.Emit(f, e.selection)
	switch {
	case errors.Is(err, conformance.ErrNotSelected):
		fmt.Fprintln(e.stderr, err)
	case err != nil:
		fmt.Fprintln(e.stderr, err)
		e.failed++
	default:
		_, _ = e.stdout.Write(trace)
		e.emitted++
	}
}

func (e *emission) end() bool { return e.failed == 0 && e.emitted > 0 }
