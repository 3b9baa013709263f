package z3950

import (
	"bufio"
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

// FuzzWords checks that search words become operands that are not empty, and that a server reads as
// intended.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"red wine", `title="red wine" author=x*`, "1003=knuth+e=mc2", `"`, "title=", `=*"*`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxTerm {
			return
		}
		q := words(text)
		if len(q) > maxOperands {
			return
		}
		for _, o := range q {
			if o.Term == "" || len(o.Attributes) == 0 {
				t.Fatalf("%q: %+v", text, q)
			}
		}
		if len(q) == 0 {
			return
		}
		d := z3950.NewDecoder(bufio.NewReader(bytes.NewReader((&z3950.Search{Query: q}).Append(nil))))
		_, err := d.Begin(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := d.Search(); err != nil || !reflect.DeepEqual(m.Query, q) {
			t.Fatalf("%q: %+v is read as %+v, %v", text, q, m, err)
		}
	})
}

// FuzzEntries checks that a listing has entries with a URL of the server and a name in one line, or
// an error, and that there are no more entries than bytes.
func FuzzEntries(f *testing.F) {
	files, err := filepath.Glob("../../testdata/captures/z3950/*.hex")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		messages, err := waistest.ReadCapture(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range messages {
			f.Add(m.Octets)
		}
	}
	what := url.Z3950{Authority: url.Authority{Host: "h.example"}, Databases: []string{"db"}, DocID: "x", DocIDSet: true}
	f.Fuzz(func(t *testing.T, octets []byte) {
		n := 0
		for e, err := range entries(bytes.NewReader(octets), what) {
			if err != nil {
				return
			}
			if n++; n > len(octets) {
				t.Fatalf("%d entries of %d bytes", n, len(octets))
			}
			if e.Name == "" || strings.ContainsAny(e.Name, "\r\n") || !utf8.ValidString(e.Name) || utf8.RuneCountInString(e.Name) > maxTitle {
				t.Fatalf("the name %q", e.Name)
			}
			if z, err := e.URL.Z3950(); err != nil || z.Position != n || z.Host != what.Host {
				t.Fatalf("entry %d is at %s, %v", n, e.URL, err)
			}
		}
	})
}
