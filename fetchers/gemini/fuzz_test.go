package gemini_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
)

// FuzzReply checks that a status has two digits, and that the line contains the parsed reply.
func FuzzReply(f *testing.F) {
	for _, line := range []string{"20 text/gemini", "20", "2", "200 OK", "-1 x", "10  a ", "44 5", "99 x", "２0 x"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		reply, err := gemini.ParseReply(line)
		if err != nil {
			return
		}
		if reply.Code < 10 || reply.Code > 69 || !strings.HasPrefix(line, string([]byte{byte('0' + reply.Code/10), byte('0' + reply.Code%10)})) || !strings.Contains(line, reply.Text) {
			t.Errorf("%q: %+v", line, reply)
		}
	})
}

// FuzzPage checks that the entries of a page do not depend on its chunks, that each is a line of
// the page, and that each URL resolves.
func FuzzPage(f *testing.F) {
	for _, page := range []string{"=> a b\n", "# x\n=>\n=> ../\r\n```\n=> no\n```\n=> gemini:///", "=> %zz\n=> a?b#c d", "=>\x00\n=> //h/ x", "=> b/../../c/ up"} {
		f.Add(page)
	}
	base := "gemini://h.dom/docs/"
	f.Fuzz(func(t *testing.T, page string) {
		u := parse(t, base)
		read := func(in io.Reader) (all []fetchers.Entry) {
			for e, err := range gemini.ParsePage(u, in) {
				if err != nil {
					return all
				}
				all = append(all, e)
			}
			return all
		}
		entries, slowly := read(strings.NewReader(page)), read(iotest.OneByteReader(strings.NewReader(page)))
		if len(entries) != len(slowly) || len(entries) > strings.Count(page, "=>") {
			t.Fatalf("%d entries, and %d byte by byte", len(entries), len(slowly))
		}
		for i, e := range entries {
			if e.Name != slowly[i].Name || e.Name == "" || (e.URL == nil) != (e.Kind == fetchers.Unparsed) {
				t.Errorf("%+v, and byte by byte %+v", e, slowly[i])
			}
			if child, err := u.Child(e.Name); e.Title != "" && (err != nil || !child.Holds(e.URL)) {
				t.Errorf("%q is not in the directory: %v", e.Name, e.URL)
			}
		}
	})
}
