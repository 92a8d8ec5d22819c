package rtos_test

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packageDoc reads the documentation of the package in the working directory.
func packageDoc(t *testing.T) *doc.Package {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) == 0 {
		t.Skip("the source is not here")
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(".", name); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/tickwake/rtos")
	require.NoError(t, err)
	return p
}

// Whoever reads the documentation of one call learns how it makes progress.
func TestProgressIsDocumented(t *testing.T) {
	progress := regexp.MustCompile(`(?i)\b(wait-free|lock-free|blocking|blocks|short lock)\b`)
	// Of a Task those that notify, wait, or control it; the others tell a fact.
	control := regexp.MustCompile(`^(Notify\w*|Suspend\w*|Resume\w*|AbortDelay|Delete|Exit|Delay\w*|SetPriority|Priority|BasePriority|State|Yield|Checkpoint|Release)$`)
	objects := []string{"Mutex", "RecursiveMutex", "Semaphore", "Queue", "Spinlock", "Task"}
	seen, silent := 0, []string{}
	for _, typ := range packageDoc(t).Types {
		if !slices.Contains(objects, typ.Name) {
			continue
		}
		for _, m := range typ.Methods {
			if typ.Name == "Task" && !control.MatchString(m.Name) {
				continue
			}
			seen++
			if !progress.MatchString(m.Doc) {
				silent = append(silent, typ.Name+"."+m.Name)
			}
		}
	}
	assert.Greater(t, seen, 60, "methods that were looked at")
	assert.Empty(t, silent, "methods that do not say whether they are wait-free, lock-free or blocking")
}

// Every exported name is documented, constants at least as a group. What Error and String
// do is known.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	p := packageDoc(t)
	assert.NotEmpty(t, p.Doc, "package")
	var bare []string
	note := func(name, doc string) {
		switch last := name[strings.LastIndexByte(name, '.')+1:]; {
		case last == "Error", last == "String", !ast.IsExported(last):
		case strings.TrimSpace(doc) == "":
			bare = append(bare, name)
		}
	}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				for _, name := range s.Names {
					note(name.Name, v.Doc+s.Doc.Text()+s.Comment.Text())
				}
			}
		}
	}
	funcs := func(prefix string, fs []*doc.Func) {
		for _, f := range fs {
			note(prefix+f.Name, f.Doc)
			if f.Doc != "" && ast.IsExported(f.Name) {
				assert.True(t, strings.HasPrefix(f.Doc, f.Name+" "), "the comment of %s%s begins with its name", prefix, f.Name)
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, typ := range p.Types {
		note(typ.Name, typ.Doc)
		values(typ.Consts)
		values(typ.Vars)
		funcs("", typ.Funcs)
		funcs(typ.Name+".", typ.Methods)
		for _, spec := range typ.Decl.Specs {
			if i, ok := spec.(*ast.TypeSpec).Type.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, name := range m.Names {
						note(typ.Name+"."+name.Name, m.Doc.Text()+m.Comment.Text())
					}
				}
			}
		}
	}
	assert.Empty(t, bare, "exported names without a comment")
}

// Every field of the configuration says what its zero value means.
func TestEveryConfigurationFieldTellsItsDefault(t *testing.T) {
	fields := 0
	for _, typ := range packageDoc(t).Types {
		if typ.Name != "Config" {
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
	assert.GreaterOrEqual(t, fields, 9)
}
