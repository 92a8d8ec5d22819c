package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is a file with one place broken.
type mutant struct {
	file, fn   string
	line       int
	kind       string // what was done
	code       string // to which code, on one line
	start, end int    // the range of the file that is replaced
	with       string
}

// key names a mutant whatever line it stands on.
func (m mutant) key() string {
	return strings.Join([]string{filepath.Base(m.file), m.fn, m.kind, m.code}, " | ")
}

// accesses are the methods of the atomic types; those that write are worth dropping.
var (
	accesses = []string{"Load", "Store", "Swap", "Add", "And", "Or", "CompareAndSwap"}
	writes   = accesses[1:]
)

// steps are calls that the protocols need beside the accesses.
var steps = []string{
	"wake", "pass", "passOn", "Ready", "Arm", "Disarm", "join", "leave", "settle", "boost", "unpublish", "setNest", "unnest",
	"disinherit", "wakeNotified", "kick", "handOver", "bequeath", "claimed", "stopNotifyWait", "endNotifyWait", "exitWait",
	"again", "endWait", "retuned", "holding", "publish",
}

// looks are calls that a condition may depend on.
var looks = []string{"try", "isFree", "hasSome", "waitersIn", "over", "heed", "there", "finish", "begin"}

// find lists the mutants of a file.
func find(file string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	v := &finder{file: file, src: src, fset: fset}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			v.fn = name(fn)
			ast.Inspect(fn.Body, v.visit)
		}
	}
	return v.list, nil
}

func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if i, ok := t.(*ast.IndexExpr); ok {
		t = i.X
	}
	return fmt.Sprint(t) + "." + fn.Name.Name
}

type finder struct {
	file, fn string
	src      []byte
	fset     *token.FileSet
	list     []mutant
}

func (v *finder) text(n ast.Node) string {
	return string(v.src[v.fset.Position(n.Pos()).Offset:v.fset.Position(n.End()).Offset])
}

func (v *finder) add(kind string, n ast.Node, from, to token.Pos, with string) {
	v.list = append(v.list, mutant{
		file: v.file, fn: v.fn, line: v.fset.Position(n.Pos()).Line, kind: kind,
		code:  strings.Join(strings.Fields(v.text(n)), " "),
		start: v.fset.Position(from).Offset, end: v.fset.Position(to).Offset, with: with,
	})
}

func (v *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if r, method := v.method(n); method == "CompareAndSwap" && len(n.Args) == 2 {
			a, b := v.text(n.Args[0]), v.text(n.Args[1])
			v.add("swap torn into load and store", n, n.Pos(), n.End(),
				fmt.Sprintf("func() bool { if %[1]s.Load() != %[2]s { return false }; %[1]s.Store(%[3]s); return true }()", r, a, b))
		}
	case *ast.IfStmt:
		if v.calls(n.Cond, append(looks, accesses...)) {
			v.add("look dropped", n.Cond, n.Cond.Pos(), n.Cond.End(), "false && ("+v.text(n.Cond)+")")
		}
	case *ast.BlockStmt:
		v.block(n.List)
	case *ast.CaseClause:
		v.block(n.Body)
	}
	return true
}

// block drops single statements and changes the order of two.
func (v *finder) block(list []ast.Stmt) {
	for i, s := range list {
		if e, ok := s.(*ast.ExprStmt); ok {
			if call, ok := e.X.(*ast.CallExpr); ok {
				if _, m := v.method(call); slices.Contains(writes, m) || slices.Contains(steps, m) {
					v.add("dropped", s, s.Pos(), s.End(), "")
				}
			}
		}
		if i+1 < len(list) && v.movable(s) && v.movable(list[i+1]) && (v.shared(s) && v.shared(list[i+1])) {
			next := list[i+1]
			between := string(v.src[v.fset.Position(s.End()).Offset:v.fset.Position(next.Pos()).Offset])
			v.add("done after the next: "+strings.Join(strings.Fields(v.text(next)), " "), s, s.Pos(), next.End(), v.text(next)+between+v.text(s))
		}
	}
}

func (v *finder) movable(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IfStmt:
		return true
	}
	return false
}

// shared tells whether a statement touches what others see.
func (v *finder) shared(s ast.Stmt) bool {
	return v.calls(s, append(append(looks, accesses...), steps...))
}

func (v *finder) calls(n ast.Node, names []string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if _, m := v.method(c); slices.Contains(names, m) {
				found = true
			}
		}
		return !found
	})
	return found
}

// method is the receiver and the name of a method call, or "" and the name of a function.
func (v *finder) method(c *ast.CallExpr) (receiver, name string) {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return v.text(f.X), f.Sel.Name
	case *ast.Ident:
		return "", f.Name
	}
	return "", ""
}
