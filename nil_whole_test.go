package fetch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// nilTypes are the types of parameters that nilCalls covers, as written in source code.
var nilTypes = []string{
	"context.Context", "*url.URL", "*URL", "*fetchers.Request", "*Request", "[]*fetchers.Request",
	"fetchers.Fetcher", "Fetcher", "Option",
}

// Every exported function of a public package that takes one of nilTypes has a row in nilCalls, and
// every Fetcher is in nilFetchers.
func TestNilIsWhole(t *testing.T) {
	tested := make(map[string]bool)
	for _, c := range nilCalls {
		tested[c.name] = true
	}
	for name := range nilFetchers {
		tested[name+".Fetch"] = true
	}
	found := 0
	for name := range takers(t) {
		if found++; !tested[name] {
			t.Errorf("%s has no row in nilCalls, and is no Fetcher of nilFetchers", name)
		}
		delete(tested, name)
	}
	for name := range tested {
		t.Errorf("there is no %s that takes one of %q", name, nilTypes)
	}
	if found < 70 {
		t.Errorf("only %d functions were found", found)
	}
}

// takers returns the names of the exported functions that take one of nilTypes.
func takers(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			// The other directories are not public, or not part of the client.
			if name != "." && slices.Contains([]string{"internal", "testdata", "cmd", "integration", "examples", ".git"}, path.Base(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		place := path.Dir(name)
		if place == "." {
			place = f.Name.Name
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && takesNil(d) {
				found[place+"."+receiver(d)+d.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func takesNil(d *ast.FuncDecl) bool {
	if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d)) {
		return false
	}
	return slices.ContainsFunc(d.Type.Params.List, func(p *ast.Field) bool {
		return slices.Contains(nilTypes, strings.TrimPrefix(types.ExprString(p.Type), "..."))
	})
}

// receiver returns the receiver type of d, with a dot, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*"), "[")
	return name + "."
}
