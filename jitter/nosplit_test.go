package jitter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a loop calls may run where the stack must not grow and the scheduler must not look:
// it is marked, and calls only what is marked, what is a builtin or conversion, and the few
// functions that the compiler replaces by instructions.
func TestWhatALoopCallsDoesNotGrowTheStack(t *testing.T) {
	marked := map[string]*ast.FuncDecl{}
	for _, f := range sources(t) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil && hasDirective(fn.Doc, "//go:nosplit") {
				marked[fn.Name.Name] = fn
			}
		}
	}
	for _, name := range []string{"Add", "Record", "Missed", "Skipped", "Coalesced", "Lost", "Full", "Post", "Drain"} {
		require.Contains(t, marked, name)
	}
	allowed := []string{
		"len", "min", "max", "int", "int64", "uint32", "uint64", "time.Duration",
		"bits.Len64", "bits.Add64", "atomic.LoadUint32", "atomic.StoreUint32",
	}
	calls := 0
	for name, fn := range marked {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				calls++
				called := nameOf(n.Fun)
				last := called[strings.LastIndexByte(called, '.')+1:]
				_, ok := marked[last]
				assert.True(t, ok || slices.Contains(allowed, called), "%s calls %s", name, called)
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.RangeStmt:
				t.Errorf("%s has a %T", name, n)
			}
			return true
		})
	}
	assert.Greater(t, calls, 30, "calls that were looked at")
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return nameOf(e.X)
	}
	return "?"
}

func hasDirective(doc *ast.CommentGroup, directive string) bool {
	return slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == directive })
}

// sources is the files of the package, without tests.
func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) == 0 {
		t.Skip("the source is not here")
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}
