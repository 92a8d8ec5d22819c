package jitter_test

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every exported type, function and method is documented, and every option says what its
// zero value means.
func TestDocumentation(t *testing.T) {
	seen := 0
	for _, f := range sources(t) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if !d.Name.IsExported() || name == "String" || d.Recv != nil && !receiverIsExported(d) {
					continue
				}
				seen++
				assert.True(t, strings.HasPrefix(d.Doc.Text(), name+" "), "%s: %q", name, d.Doc.Text())
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
						seen++
						assert.NotEmpty(t, d.Doc.Text(), s.Name.Name)
						checkOptions(t, s)
					}
				}
			}
		}
	}
	assert.Greater(t, seen, 70)
}

func receiverIsExported(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	return typ.(*ast.Ident).IsExported()
}

func checkOptions(t *testing.T, s *ast.TypeSpec) {
	t.Helper()
	if s.Name.Name != "Options" && s.Name.Name != "Loop" && s.Name.Name != "SleepThenSpin" {
		return
	}
	for _, f := range s.Type.(*ast.StructType).Fields.List {
		for _, name := range f.Names {
			if name.IsExported() && name.Name != "Recorder" {
				assert.Contains(t, f.Doc.Text(), "Default", "%s.%s", s.Name.Name, name.Name)
			}
		}
	}
}
