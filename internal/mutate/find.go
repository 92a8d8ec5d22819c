package main

import (
	"crypto/sha256"
	"encoding/hex"
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
	of         string // the function, as it stands in the file
	at         int    // start, in the function
}

// key names a mutant whatever line it stands on.
func (m mutant) key() string {
	return strings.Join([]string{filepath.Base(m.file), m.fn, m.kind, m.code}, " | ")
}

// id names a mutant in a file of results: as long as its function is the same, so is the id.
func (m mutant) id() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%d %d %s", m.key(), m.of, m.kind, m.at, m.end-m.start, m.with)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// broken is the file with the mutant in place.
func (m mutant) broken(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.with), src[m.end:])
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
var looks = []string{"try", "isFree", "hasSome", "waitersIn", "over", "heed", "there", "finish", "begin", "decide"}

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
			v.fn, v.of = name(fn), fn
			ast.Inspect(fn.Body, v.visit)
		}
	}
	seen := map[string]int{}
	for i := range v.list {
		m := &v.list[i]
		key := m.key()
		if seen[key]++; seen[key] > 1 {
			m.kind += fmt.Sprintf(" (no. %d)", seen[key])
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
	of       *ast.FuncDecl
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
		of: v.text(v.of), at: int(from - v.of.Pos()),
	})
}

func (v *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		v.tear(n)
	case *ast.IfStmt:
		v.look(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			v.look(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					v.look(e)
				}
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
				v.look(e)
			}
		}
	case *ast.BlockStmt:
		v.block(n.List)
	case *ast.CaseClause:
		v.block(n.Body)
	}
	return true
}

// look makes a condition false that depends on what others do.
func (v *finder) look(cond ast.Expr) {
	if v.calls(cond, append(looks, accesses...)) {
		v.add("look dropped", cond, cond.Pos(), cond.End(), "false && ("+v.text(cond)+")")
	}
}

// tear makes two steps of one that reads and writes.
func (v *finder) tear(c *ast.CallExpr) {
	r, method := v.method(c)
	var arg string
	if len(c.Args) > 0 {
		arg = v.text(c.Args[0])
	}
	result := map[string]string{"Swap": arg, "Add": "old + " + arg, "And": "old & " + arg, "Or": "old | " + arg}[method]
	with := ""
	switch {
	case method == "CompareAndSwap" && len(c.Args) == 2:
		with = fmt.Sprintf("func() bool { if %[1]s.Load() != %[2]s { return false }; %[1]s.Store(%[3]s); return true }()", r, arg, v.text(c.Args[1]))
	case result == "" || len(c.Args) != 1:
		return
	case method == "Add":
		with = fmt.Sprintf("func() uint64 { old := uint64(%[1]s.Load()); %[1]s.Store(%[2]s); return %[2]s }()", r, result)
	default:
		with = fmt.Sprintf("func() uint64 { old := uint64(%[1]s.Load()); %[1]s.Store(%[2]s); return old }()", r, result)
	}
	if strings.Contains(r, "users") { // the one word of 32 bits
		with = strings.ReplaceAll(with, "uint64", "uint32")
	}
	v.add("torn into load and store", c, c.Pos(), c.End(), with)
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
