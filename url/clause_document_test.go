package url_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write docs/conformance.md")

const document = "../docs/conformance.md"

// docs/conformance.md lists the rows of the tables. With -args -write the test writes it.
func TestClauseDocument(t *testing.T) {
	want := clauseDocument(t)
	if *write {
		if err := os.WriteFile(document, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test ./url -run ClauseDocument -args -write", document, err)
	}
}

// clauseDocument returns a table of the clauses, grouped by section of an RFC.
func clauseDocument(t *testing.T) []byte {
	rows := map[string][]row{}
	for _, r := range readTables(t) {
		rows[r.id] = append(rows[r.id], r)
	}
	elsewhere := map[string]string{}
	for _, l := range readLines(t, tables+"elsewhere.txt") {
		f := strings.Fields(l.text)
		elsewhere[f[0]] = f[1]
	}
	waived := map[string]string{}
	for _, l := range readLines(t, tables+"waived.txt") {
		f := strings.Fields(l.text)
		waived[f[0]] = strings.Join(f[2:], " ")
	}

	var b bytes.Buffer
	clauses := readLines(t, tables+"clauses.txt")
	fmt.Fprintf(&b, conformanceHead, len(clauses), len(clauses)-len(elsewhere)-len(waived), len(elsewhere), len(waived))
	section := ""
	for _, l := range clauses {
		if s := sectionOf(l.text); s != section {
			section = s
			fmt.Fprintf(&b, "\n## %s\n\n| clause | statement | file |\n|---|---|---|\n", section)
		}
		id := l.text
		switch r := rows[id]; {
		case len(r) > 0:
			more := ""
			if len(r) > 1 {
				more = fmt.Sprintf(" and %d more", len(r)-1)
			}
			fmt.Fprintf(&b, "| %s | %s%s | [%[4]s](../testdata/url/%[4]s) |\n", id, code(r[0]), more, tableOf(r[0]))
		case elsewhere[id] != "":
			fmt.Fprintf(&b, "| %s | %s | [%s](../%s) |\n", id, showing(elsewhere[id]), path.Base(elsewhere[id]), elsewhere[id])
		default:
			fmt.Fprintf(&b, "| %s | not tested: %s | |\n", id, waived[id])
		}
	}
	return b.Bytes()
}

const conformanceHead = `# Conformance to RFC 1738 and RFC 1630

A test writes this document from the tables in [testdata/url](../testdata/url/README.txt),
and fails when the document is out of date:

    go test ./url -run ClauseDocument -args -write

The two RFCs make %d statements that a client can be tested for. Tests of package url cover
%d of them, tests of a protocol or of the command %d, and %d are not tested, with the reason.
The middle column has the first test of each: a verb, its input, and the expected result.
U- numbers the clauses of a section of RFC 1738, W- those of a part of RFC 1630.
`

// sectionOf returns the RFC and section of a clause.
func sectionOf(id string) string {
	switch part := id[len("U-"):strings.LastIndexByte(id, '-')]; {
	case id[0] == 'W':
		return "RFC 1630, " + part
	case part == "APP":
		return "RFC 1738, appendix"
	default:
		return "RFC 1738, section " + part
	}
}

// tableOf returns the name of the file that contains a row.
func tableOf(r row) string {
	name, _, _ := strings.Cut(r.place, ":")
	return name
}

// code formats a row for a table in Markdown.
func code(r row) string {
	text := r.verb
	for _, a := range r.args {
		if strings.IndexFunc(a, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '`' }) >= 0 {
			a = strings.ReplaceAll(strconv.Quote(a), "`", `\x60`)
		}
		text += " " + a
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// showing describes a file that tests a clause in an exchange with a server.
func showing(file string) string {
	switch {
	case strings.HasPrefix(file, "testdata/wire/"):
		return "an exchange with a server"
	case strings.HasPrefix(file, "testdata/script/"):
		return "a run of the command"
	}
	return "a test"
}
