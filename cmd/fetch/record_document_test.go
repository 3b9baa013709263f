package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// docs/record.md is generated from the comments of package record. With -args -write the test
// writes it.
func TestRecordDocument(t *testing.T) {
	const name = "../../docs/record.md"
	want := recordDocument(t)
	if *write {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test ./cmd/fetch -run RecordDocument -args -write", name, err)
	}
}

const recordHead = `# Records: ` + "`--json`" + `

The output has a JSON object a line: a record for each URL, and a row for each entry of ` + "`fetch ls`" + `. New fields
may come, and a program has to ignore those that it does not know; the fields of this page keep
their names and meanings. A fact that is not known is null. URLs are without their passwords. In Go the lines are
those of [package record](../record/doc.go); this page is written by a test from its comments:

    go test ./cmd/fetch -run RecordDocument -args -write

` + "```console" + `
$ fetch --json -o copy.txt http://h.example/pub/README
{"url":"http://h.example/pub/README",…"kind":"document",…"size":17,…"complete":"confirmed",…"output":"copy.txt",…"error":null}
$ fetch ls --json ftp://h.example/pub/ | head -n 1
{"name":"README","url":"ftp://h.example/pub/README","kind":"document",…"size":17,…}
` + "```" + `

[Events](events.md), of ` + "`--events FILE`" + `, end with the same record.
`

// recorded are the types of package record in the document, with the titles of their sections.
var recorded = []struct{ name, title string }{
	{"Record", "A record"}, {"Range", "`range`"}, {"Reply", "`reply`"}, {"TLS", "`tls`"}, {"Session", "`session`"},
	{"Failure", "`error`"}, {"Entry", "A row of a listing"},
}

func recordDocument(t *testing.T) []byte {
	structs, constants := recordTypes(t)
	var b bytes.Buffer
	b.WriteString(recordHead)
	for _, r := range recorded {
		fmt.Fprintf(&b, "\n## %s\n\n| field | JSON | |\n|---|---|---|\n", r.title)
		for _, f := range structs[r.name].Fields.List {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", jsonName(t, f), jsonType(f.Type), cell(f.Comment))
		}
		switch r.name {
		case "Record":
			writeConstants(&b, "complete", constants["Completeness"])
		case "Failure":
			writeConstants(&b, "class", constants["Class"])
			b.WriteString("\n| `exit` | |\n|---|---|\n")
			for _, code := range record.ExitCodes() {
				fmt.Fprintf(&b, "| %d | %s |\n", code.Code, code.Means)
			}
		}
	}
	return b.Bytes()
}

// writeConstants writes the values that a field may have.
func writeConstants(b *bytes.Buffer, field string, values []*ast.ValueSpec) {
	fmt.Fprintf(b, "\n| `%s` | |\n|---|---|\n", field)
	for _, v := range values {
		value, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		fmt.Fprintf(b, "| `%s` | %s |\n", value, cell(v.Comment))
	}
}

// recordTypes returns the structs of package record by their names, and its constants by their
// types.
func recordTypes(t *testing.T) (map[string]*ast.StructType, map[string][]*ast.ValueSpec) {
	t.Helper()
	structs, constants := make(map[string]*ast.StructType), make(map[string][]*ast.ValueSpec)
	names, err := filepath.Glob("../../record/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files of package record (%v)", err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					structs[n.Name.Name] = s
				}
			case *ast.ValueSpec:
				if n.Type != nil {
					constants[types.ExprString(n.Type)] = append(constants[types.ExprString(n.Type)], n)
				}
			}
			return true
		})
	}
	return structs, constants
}

// jsonName returns the name of a field in JSON.
func jsonName(t *testing.T, f *ast.Field) string {
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil || f.Comment == nil {
		t.Fatalf("the field %s has no tag or no comment (%v)", f.Names[0], err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, `json:"`), `"`)
	name, _, _ = strings.Cut(name, ",")
	return name
}

// jsonType returns the name in JSON of a Go type.
func jsonType(e ast.Expr) string {
	text := types.ExprString(e)
	null := ""
	if base, ok := strings.CutPrefix(text, "*"); ok {
		text, null = base, " or null"
	}
	switch text {
	case "string", "Class", "Completeness":
		return "text" + null
	case "int", "int64", "float64":
		return "number" + null
	case "bool":
		return "true or false"
	case "[]string":
		return "array of texts"
	}
	return "object" + null
}

// cell returns a comment for a table.
func cell(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(c.Text()), "|", `\|`)
}
