package httpfield_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
)

func TestParseStatus(t *testing.T) {
	for line, want := range map[string]httpfield.Status{
		"HTTP/1.1 200 OK\r\n":     {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200 OK", Reason: "OK"},
		"HTTP/1.0 404\n":          {Proto: "HTTP/1.0", Major: 1, Code: 404, Text: "404"},
		"HTTP/1.1  200  OK\r\n":   {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200  OK", Reason: " OK"},
		"HTTP/2.0 200 O\rK\r\n":   {Proto: "HTTP/2.0", Major: 2, Code: 200, Text: "200 O K", Reason: "O K", Odd: true},
		"HTTP/1.1 200 O\x1bK\r\n": {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200 O K", Reason: "O K", Odd: true},
		"http/1.1 200 OK\r\n":     {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200 OK", Reason: "OK", Odd: true},
		"HTTP/1.1 200OK\r\n":      {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200 OK", Reason: "OK", Odd: true},
		"HTTP/1.1 200 OK\r\r\n":   {Proto: "HTTP/1.1", Major: 1, Minor: 1, Code: 200, Text: "200 OK", Reason: "OK", Odd: true, Doubled: true},
	} {
		if got, err := httpfield.ParseStatus(line); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{
		"", "\r\n", "SSH-2.0-x", "HTTP/1.1", "HTTP/1.1\r\n", "HTTP/1.1\t200 OK", "HTTP/1 200 OK", "HTTP/1.10 200 OK", "HTTP/1x1 200 OK",
		"HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 OK", " HTTP/1.1 200 OK", "HTTP/1.1 200 O\x00K", "HTTPS/1.1 200 OK",
	} {
		if got, err := httpfield.ParseStatus(line); err == nil {
			t.Errorf("%q: %+v, and no error", line, got)
		}
	}
}

func TestParseFields(t *testing.T) {
	type fields = map[string][]string
	for _, c := range []struct {
		name, block string
		want        fields
		odd         bool
	}{
		{"nothing", "\r\n", fields{}, false},
		{"no end", "A: b", fields{"A": {"b"}}, false},
		{"two values", "A: b\r\na:\tc \r\nB:\r\n\r\n", fields{"A": {"b", "c"}, "B": {""}}, false},
		{"lines that end in LF", "A: b\nB: c\n\n", fields{"A": {"b"}, "B": {"c"}}, false},
		{"folded", "A: b\r\n c\r\n\t \r\n\td\r\nB: e\r\n\r\n", fields{"A": {"b c  d"}, "B": {"e"}}, true},
		{"a cookie with a control", "A: b\x01c\r\nSet-Cookie: a=b\x01c\r\nset-cookie: d=e\r\n\r\n", fields{"A": {"b c"}, "Set-Cookie": {"d=e"}}, true},
		{"a value in Latin 1", "A: \xe9\r\n\r\n", fields{"A": {"\xe9"}}, false},
		{"lines that end in CR CR LF", "A: b\r\r\nB: c\r\r\n\r\r\n", fields{"A": {"b"}, "B": {"c"}}, true},
		{"first is led by space", " A: b\r\nB: c\r\n\r\n", fields{"A": {"b"}, "B": {"c"}}, true},
		{"a space before the colon", "Content-Length \t: 5\r\n\r\n", fields{"Content-Length": {"5"}}, true},
		{"odd names", "A: b\r\nX(Y): c\r\n d: e\r\n: f\r\nX\xe9: g\r\nX Y: h\r\n\r\n", fields{"A": {"b"}}, true},
		{"controls in a value", "A: b\rc\x1b[31m\x7f\td\r\n\r\n", fields{"A": {"b c [31m \td"}}, true},
	} {
		got, odd, err := httpfield.ParseFields(c.block)
		if err != nil || odd != c.odd || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, odd %v, %v, want %q, %v", c.name, got, odd, err, c.want, c.odd)
		}
	}
	for name, block := range map[string]string{
		"an empty line of CR CR LF in the middle": "A: b\r\n\r\r\nC: d\r\n\r\n",
		"no colon":              "A: b\r\nwords\r\n\r\n",
		"a first line of space": "  \r\nA: b\r\n\r\n",
		"a NUL in a value":      "A: b\x00c\r\n\r\n",
		"a NUL in a name":       "A\x00: b\r\n\r\n",
		"a first field of the length led by space": " Content-Length: 5\r\n\r\n",
		"a length with an odd name":                "Content-Length\v: 5\r\n\r\n",
		"a coding behind a VT":                     "Transfer-Encoding: \vchunked\r\n\r\n",
		"a length with a CR":                       "Content-Length: 4\r\r5\r\n\r\n",
		"a coding with an odd name":                "(Transfer-Encoding): chunked\r\n\r\n",
	} {
		if got, _, err := httpfield.ParseFields(block); err == nil {
			t.Errorf("%s: %q, and no error", name, got)
		}
	}
}

// A header with thousands of continuation lines is parsed in one pass.
func TestParseFieldsFoldedOften(t *testing.T) {
	const lines = 80_000
	got, _, err := httpfield.ParseFields("A: b\n" + strings.Repeat(" c\n", lines) + "\n")
	if want := 1 + 2*lines; err != nil || len(got["A"]) != 1 || len(got["A"][0]) != want {
		t.Errorf("%d fields, %v", len(got), err)
	}
	if n := testing.AllocsPerRun(1, func() { httpfield.ParseFields("A: b\n" + strings.Repeat(" c\n", lines) + "\n") }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}

// Parsing a valid status line allocates no memory.
func TestParseStatusAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { httpfield.ParseStatus("HTTP/1.1 200 OK\r\n") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
