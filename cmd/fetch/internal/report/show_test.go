package report

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// A document is written as it came, and a listing as rows, unless it is wanted raw.
func TestShow(t *testing.T) {
	u := parseURL(t, "ftp://h.example/a")
	const body = "\x00caf\xe9\x1b"
	for name, c := range map[string]struct {
		output option.Output
		res    *fetchers.Resource
		want   string
	}{
		"a document":    {option.Output{}, document(u, body), body},
		"a listing":     {option.Output{}, listing(u, nil, entry("b", nil, 1, time.Time{})), "document\t1\t-\tb\t-\n"},
		"a raw listing": {option.Output{Raw: true}, listing(u, nil, entry("b", nil, 1, time.Time{})), "as sent\n"},
	} {
		s := newScreen(&option.Options{Output: c.output})
		if err := Show(s.Streams, c.output, c.res, false); err != nil || s.out.String() != c.want {
			t.Errorf("%s: %q, %v; want %q", name, &s.out, err, c.want)
		}
	}
	s := newScreen(new(option.Options))
	s.Out = full{}
	err := Show(s.Streams, option.Output{}, document(u, body), false)
	if _, output := errors.AsType[record.OutputError](err); !output {
		t.Errorf("%v, want a record.OutputError", err)
	}
}

// A terminal gets text without deceptive characters, and no binary, unless a service says
// it.
func TestShowText(t *testing.T) {
	u := parseURL(t, "http://h.example/a")
	said := document(u, "\x00\x1b\n")
	said.Session = &fetchers.SessionHint{Service: "telnet", Addr: "h.example:23"}
	for name, c := range map[string]struct {
		res  *fetchers.Resource
		want string
		err  string
	}{
		"text":      {document(u, "a\u202eb\r\n\x1b"), "a\\u202eb\r\n\\x1b", ""},
		"nothing":   {document(u, ""), "", ""},
		"a binary":  {document(u, "\x00\x01\x02"), "", "http://h.example/a: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it"},
		"UTF-16":    {document(u, "\xff\xfea\x00"), "", "http://h.example/a: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it"},
		"a service": {said, "\\x00\\x1b\n", ""},
	} {
		var out bytes.Buffer
		err := showText(&out, c.res)
		text, class := "", record.Class("")
		if err != nil {
			text = err.Error()
			class, _ = record.Classify(err)
		}
		if out.String() != c.want || text != c.err || text != "" && class != record.ClassWrite {
			t.Errorf("%s: %q, %v of class %q; want %q, %q", name, &out, err, class, c.want, c.err)
		}
	}
}

// Text in any character set but UTF-16 is no binary.
func TestBinary(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "hello\n": false, "caf\xe9\n": false, "<html>": false, "a\x00b": true, "\x7fELF\x02\x01\x01\x00": true, "\xff\xfea\x00": true, "\x89PNG\r\n\x1a\n": true,
	} {
		if got := binary([]byte(in)); got != want {
			t.Errorf("binary(%q) = %v, want %v", in, got, want)
		}
	}
}
