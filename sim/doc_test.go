package sim_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func packageDoc(t *testing.T) *doc.Package {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) == 0 {
		t.Skip("the source is not here")
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/tickwake/rtos/sim")
	require.NoError(t, err)
	return p
}

func TestEveryOptionTellsItsDefault(t *testing.T) {
	fields := 0
	for _, typ := range packageDoc(t).Types {
		if typ.Name != "Options" {
			continue
		}
		for _, f := range typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				if name.IsExported() {
					fields++
					assert.Contains(t, f.Doc.Text(), "Default", name.Name)
				}
			}
		}
	}
	assert.GreaterOrEqual(t, fields, 15)
}

func TestEveryExportedFunctionIsDocumented(t *testing.T) {
	p := packageDoc(t)
	funcs := p.Funcs
	for _, typ := range p.Types {
		assert.NotEmpty(t, typ.Doc, typ.Name)
		funcs = append(append(funcs, typ.Funcs...), typ.Methods...)
	}
	assert.Greater(t, len(funcs), 50)
	for _, f := range funcs {
		if f.Name != "Error" && ast.IsExported(f.Name) {
			assert.True(t, strings.HasPrefix(f.Doc, f.Name+" "), f.Name)
		}
	}
}

// The simulation knows the kernel's tasks and no primitive: everything else goes through
// the port.
func TestNoPrimitiveIsNamed(t *testing.T) {
	packageDoc(t)
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "doc.go" {
			continue
		}
		text, err := os.ReadFile(e.Name())
		require.NoError(t, err)
		for _, name := range []string{"Mutex", "Semaphore", "Spinlock", "Queue", "Notify", "EventGroup", "Stream", "Timer("} {
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "rtos."+name) {
					assert.Fail(t, "a primitive", "%s: %s", e.Name(), line)
				}
			}
		}
	}
}
