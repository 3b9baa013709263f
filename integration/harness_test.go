package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHarnessDocument: docs/harness.md has every option, and every action and fault, of
// the test servers.
func TestHarnessDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ftptest", "sftptest", "s3test", "tftptest", "nntptest", "gophertest", "geminitest", "telnettest", "webtest", "waistest", "z3950test", "dicttest", "prosperotest", "fault"} {
		names := optionsOf(t, dir)
		for _, name := range names {
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("the document has no `%s` of %s", name, dir)
			}
		}
		if len(names) < 2 {
			t.Errorf("%s has only %q", dir, names)
		}
	}
}

// optionsOf returns the exported functions of a package that make an Option, and the
// constants of its types Action, Fault and Stumble.
func optionsOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if r := d.Type.Results; d.Name.IsExported() && r != nil && len(r.List) == 1 && called(r.List[0].Type, "Option") {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				names = append(names, constants(d)...)
			}
		}
	}
	return names
}

// constants returns the constants of a declaration whose first has one of the types.
func constants(d *ast.GenDecl) (names []string) {
	ours := false
	for _, spec := range d.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || d.Tok != token.CONST {
			continue
		}
		if value.Type != nil {
			ours = called(value.Type, "Action") || called(value.Type, "Fault") || called(value.Type, "Stumble")
		}
		for _, name := range value.Names {
			if ours && name.IsExported() {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

func called(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
