package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Most mutants can share one build: every place is wrapped so that it is broken if
// switchName has the number of the mutant, which a test binary reads from its environment.
const (
	switchName = "brokenPlace"
	switchEnv  = "BROKEN_PLACE"
	switchFile = `package rtos

import (
	"os"
	"strconv"
)

var ` + switchName + `, _ = strconv.Atoi(os.Getenv("` + switchEnv + `"))
`
)

// A wrap is what stands around a range of the file; %d is the number of the mutant.
type wrap struct {
	start, end    int
	rank          int // of several around one range the highest is outside
	before, after string
}

func (v *finder) wrap(n ast.Node, rank int, before, after string) wrap {
	if !strings.Contains(before+after, "%d") {
		panic("mutate: a wrap without a number")
	}
	return wrap{v.fset.Position(n.Pos()).Offset, v.fset.Position(n.End()).Offset, rank, before, after}
}

// guard leaves a statement out.
func (v *finder) guard(s ast.Stmt) wrap {
	return v.wrap(s, 2, "if "+switchName+" != %d {\n", "\n}")
}

// switchable is the file with all its mutants, by number.
func switchable(src []byte, mutants map[int]mutant) string {
	type piece struct {
		at    int
		open  bool
		w     wrap
		text  string
		order int
	}
	var pieces []piece
	for n, m := range mutants {
		for _, w := range m.wraps {
			number := func(text string) string { return strings.Replace(text, "%d", fmt.Sprint(n), 1) }
			pieces = append(pieces, piece{w.start, true, w, number(w.before), n}, piece{w.end, false, w, number(w.after), n})
		}
	}
	slices.SortFunc(pieces, func(x, y piece) int {
		outer := cmp.Or(cmp.Compare(y.w.end-y.w.start, x.w.end-x.w.start), cmp.Compare(y.w.rank, x.w.rank), cmp.Compare(x.order, y.order))
		switch {
		case x.at != y.at:
			return x.at - y.at
		case x.open != y.open: // what ends here comes first
			if y.open {
				return -1
			}
			return 1
		case x.open:
			return outer
		}
		return -outer
	})
	var b strings.Builder
	done := 0
	for _, p := range pieces {
		b.Write(src[done:p.at])
		b.WriteString(p.text)
		done = p.at
	}
	b.Write(src[done:])
	return b.String()
}
