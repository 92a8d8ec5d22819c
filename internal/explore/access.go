//go:build explore

package explore

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// An Access is one access to a shared variable, in a traced run.
type Access struct {
	Thread string
	What   string // load, store, update, or what a thread does to another one
	Var    string // a name for the variable, by first use
	Func   string
	File   string
	Line   int
}

func (a Access) String() string {
	return fmt.Sprintf("%-12s %-7s %-4s %s  %s:%d", a.Thread, a.What, a.Var, a.Func, a.File, a.Line)
}

// Trace formats accesses, one a line.
func Trace(list []Access) string {
	var b strings.Builder
	for _, a := range list {
		b.WriteString(a.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// caller finds the first frame outside this package and the package of the atomics.
func caller() (fn, file string, line int) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/internal/explore.") && !strings.Contains(f.Function, "/internal/atomic.") {
			short := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
			_, short, _ = strings.Cut(short, ".")
			return short, filepath.Base(f.File), f.Line
		}
		if !more {
			return "?", "?", 0
		}
	}
}
