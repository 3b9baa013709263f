package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// TestContractNamesNoScheme: the rules of package fetchers are the same for every scheme. A
// difference is a property in package url, or one that a protocol sets in its Resource.
func TestContractNamesNoScheme(t *testing.T) {
	files, err := filepath.Glob("../fetchers/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, _ := strconv.Unquote(literal.Value); url.Describe(text) != "" {
				t.Errorf("%s names the scheme %s", set.Position(n.Pos()), text)
			}
			return true
		})
	}
}
