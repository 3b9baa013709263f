package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/scheme"
	"github.com/seed1ea3422f/fetch/url"
)

var write = flag.Bool("write", false, "write docs/schemes.md")

// protocolDocs are the directories below fetchers whose package comments show the conversation with
// a server, and the schemes of each.
var protocolDocs = []struct{ dir, schemes string }{
	{"http", "http https"}, {"ftp", "ftp ftps"}, {"sftp", "sftp scp"}, {"s3", "s3"}, {"gopher", "gopher gophers"}, {"gemini", "gemini"}, {"wais", "wais"},
	{"z3950", "z39.50r z39.50s"},
	{"prospero", "prospero"}, {"nntp", "news snews nntp nntps"}, {"finger", "finger"}, {"dict", "dict"}, {"tftp", "tftp"}, {"file", "file"},
	{"telnet", "telnet telnets rlogin tn3270"}, {"mail", "mailto"}, {"data", "data"}, {"urn", "urn"}, {"mid", "mid cid"},
}

// docs/schemes.md is generated from the comments of the packages. With -args -write the test writes
// it.
func TestSchemesDocument(t *testing.T) {
	const name = "../../docs/schemes.md"
	want := schemesDocument(t)
	if *write {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test ./cmd/fetch -run SchemesDocument -args -write", name, err)
	}
}

const schemesHead = `# Schemes, and their URLs on the wire

This page is written by a test from the comments of the packages below ` + "`fetchers`" + `. The test fails
if the page is out of date:

    go test ./cmd/fetch -run SchemesDocument -args -write

` + "`fetch demo SCHEME`" + ` shows a conversation with a test server, ` + "`fetch -v URL`" + ` the one for a URL of yours,
and [testdata/wire](../testdata/wire) has hundreds, with the faults of servers.

| scheme | result | specification | |
|---|---|---|---|
`

func schemesDocument(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString(schemesHead)
	for _, r := range scheme.Rows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Scheme, r.Yields, r.Spec, r.Has)
	}
	b.WriteString("\nBelow, lines with C are from the client, and lines with S from the server.\n")
	var documented []string
	for _, p := range protocolDocs {
		schemes := strings.Fields(p.schemes)
		documented = append(documented, schemes...)
		fmt.Fprintf(&b, "\n## %s\n\n", strings.Join(schemes, ", "))
		for _, s := range schemes {
			fmt.Fprintf(&b, "- `%s`: %s\n", s, url.Describe(s))
		}
		fmt.Fprintf(&b, "\n%s", packageDoc(t, "../../fetchers/"+p.dir))
	}
	b.WriteString("\n## Schemes whose URLs are not retrieved\n\n")
	for _, r := range scheme.Rows() {
		if !slices.Contains(documented, r.Scheme) {
			fmt.Fprintf(&b, "- `%s`: %s\n", r.Scheme, url.Describe(r.Scheme))
		}
	}
	return b.Bytes()
}

// packageDoc returns the comment of a package as Markdown.
func packageDoc(t *testing.T, dir string) []byte {
	t.Helper()
	names, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no package in %s (%v)", dir, err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, module+strings.TrimPrefix(dir, "../.."))
	if err != nil {
		t.Fatal(err)
	}
	printer := p.Printer()
	printer.HeadingLevel = 3
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		if link.ImportPath == "" {
			link.ImportPath = p.ImportPath
		}
		return link.DefaultURL("https://pkg.go.dev")
	}
	// URLs in the text are examples: code, and no links.
	return exampleURL.ReplaceAll(printer.Markdown(p.Parser().Parse(p.Doc)), []byte("`$1`"))
}

var exampleURL = regexp.MustCompile(`\[[^\]]*\]\(((?:ftps?|s3|gophers?|gemini|wais|news|snews|nntps?|prospero|file|telnets?|finger|dict|tftp)://[^)]*)\)`)
