package prospero

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\n\n":                         "",
		"A":                            `["A"]`,
		"A\n":                          `["A"]`,
		"  A \t b  \n":                 `["A" "b"]`,
		"LINK  L ''\n\nNEXT":           `["LINK" "L" ""]["NEXT"]`,
		"A '' ''":                      `["A" "" ""]`,
		"47' bytes'":                   `["47 bytes"]`,
		"it'''s a file'":               `["it's a file"]`,
		"'it''s a file'":               `["it's a file"]`,
		"''''":                         `["'"]`,
		"a''b":                         `["ab"]`,
		"'a\nb' c\nd":                  `["a\nb" "c"]["d"]`,
		"'a\r\nb'\r\nc\r\n":            `["a\r\nb"]["c"]`,
		"a\rb":                         `["a\rb"]`,
		"a\x00b '\x00' \xff":           `["a\x00b" "\x00" "\xff"]`,
		"ARCHIE'/MATCH(5)/n''ftp x'":   `["ARCHIE/MATCH(5)/n'ftp x"]`,
		"a 'b":                         "error: reply makes no sense: the message ends inside a quoted token",
		"a\n'":                         `["a"]error: reply makes no sense: the message ends inside a quoted token`,
		strings.Repeat("x", maxLine+1): "error: reply makes no sense: a line of more than 65536 bytes",
		strings.Repeat("x ", maxLine):  "error: reply makes no sense: a line of more than 65536 bytes",
		"'" + strings.Repeat("''", maxLine+1) + "' y": "error: reply makes no sense: a line of more than 65536 bytes",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if got := allLines(r); got != want {
				t.Errorf("%.40q: %.80s, want %s", text, got, want)
			}
		}
	}
}

func allLines(r io.Reader) (all string) {
	lines := newLexer(r)
	for {
		line, err := lines.line()
		switch {
		case err == io.EOF:
			return all
		case err != nil:
			return fmt.Sprintf("%serror: %v", all, err)
		}
		all += fmt.Sprintf("%q", line)
	}
}

// FuzzToken checks that a token of any bytes is read back unchanged.
func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "/pros/name", "it's", "a b", "''", "a\nb\r", "+,", "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, err := newLexer(strings.NewReader("GET " + quoted(s) + " 0\n")).line()
		if err != nil || len(line) != 3 || line[1] != s {
			if len(s) <= maxLine-10 {
				t.Errorf("%q is written %s and read as %q, %v", s, quoted(s), line, err)
			}
		}
	})
}

// FuzzReply checks that a reply of any bytes causes only errors of this package, that the URLs in
// it are valid, and that reading it whole or in parts gives the same result.
func FuzzReply(f *testing.F) {
	f.Add([]byte("LINK  L EXTERNAL x INTERNET-D H.EXAMPLE(7) ASCII '/a b' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY\nFAILURE NOT-FOUND\n"))
	f.Add([]byte("ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 47' bytes'\nFORWARDED INTERNET-D H(1) ASCII x 0\nID REMOTE 1"))
	f.Add([]byte("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'a''b\n'\n"))
	f.Add([]byte("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE TAGGED t 'x'\r\n"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		rep, err := readReport(bytes.NewReader(reply))
		if err != nil && !errors.Is(err, fetchers.ErrProtocol) {
			t.Errorf("error %v", err)
		}
		if rep != nil && rep.forwarded != nil {
			if o, ok := rep.forwarded.object(); ok && o.url() != nil {
				if again, err := objectOf(o.url()); err != nil || again.name != o.name || again.addr() != o.addr() {
					t.Errorf("forwarded to %+v, whose URL means %+v, %v", o, again, err)
				}
			}
		}
		for e, err := range parse(bytes.NewReader(reply)) {
			if err == nil && e.URL != nil && (e.URL.Scheme == "file" || e.URL.User != nil || strings.ContainsAny(e.URL.String(), "\r\n\x00 ")) {
				t.Errorf("an entry leads to %s", e.URL)
			}
		}
		whole, wholeErr := contentsOf(bytes.NewReader(reply))
		parts, partsErr := contentsOf(iotest.OneByteReader(bytes.NewReader(reply)))
		if !bytes.Equal(whole, parts) || fmt.Sprint(wholeErr) != fmt.Sprint(partsErr) {
			t.Errorf("contents: %q, %v; in pieces %q, %v", whole, wholeErr, parts, partsErr)
		}
	})
}

// contentsOf returns the file in a reply.
func contentsOf(r io.Reader) ([]byte, error) {
	c := &contents{reply: io.NopCloser(nil), lines: newLexer(r), got: func(string) {}, size: -1}
	if err := c.open(); err != nil {
		return nil, err
	}
	return io.ReadAll(c)
}

func TestContents(t *testing.T) {
	const before = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE "
	for reply, want := range map[string]string{
		before + "DATA ''\n":                              "",
		before + "DATA x":                                 "x",
		before + "DATA  x \n":                             "x",
		before + "DATA a' b\n''c''\x00'\n":                "a b\n'c'\x00",
		"ATTRIBUTE OBJECT FIELD CONTENTS DATA x\n":        "x",
		"WARNING MESSAGE hello\n" + before + "DATA x\n":   "x",
		before + "DATA a\n\n" + before + "DATA b\n":       "ab",
		before + "TAGGED Title 'a text'\n":                "Title: a text\n",
		before + "TAGGED A a\n" + before + "TAGGED B b\n": "A: a\nB: b\n",

		before + "DATA\n":                          "error: reply makes no sense: contents without a value",
		before + "DATA":                            "error: reply makes no sense: contents without a value",
		before + "TAGGED x\n":                      "x: error: reply makes no sense: contents without a value",
		before + "TAGGED\n":                        "error: reply makes no sense: contents without a tag",
		before + "DATA a b\n":                      "aerror: reply makes no sense: contents of more than one value",
		before + "DATA 'a":                         "aerror: reply makes no sense: the message ends inside a quoted token",
		before + "DATA a\nFAILURE SERVER-FAILED\n": "aerror: FAILURE SERVER-FAILED",
		before + "DATA a\nERROR no more\n":         "aerror: ERROR no more",
		"FAILURE NOT-AUTHORIZED\n":                 "error: FAILURE NOT-AUTHORIZED",
		"NONE-FOUND\n":                             "error: NONE-FOUND",
		"":                                         "error: reply makes no sense: no contents in the reply",
		"FORWARDED INTERNET-D h ASCII x 0\n":       "error: reply makes no sense: forwarded where there should be contents",
		"VERSION-NOT-SUPPORTED TRY 1":              "error: reply makes no sense: not a Prospero version 5 server: VERSION-NOT-SUPPORTED TRY 1",
		"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1' bytes'\n": "error: reply makes no sense: no contents in the reply",
	} {
		for _, r := range []io.Reader{strings.NewReader(reply), iotest.OneByteReader(strings.NewReader(reply))} {
			body, err := contentsOf(r)
			got := string(body)
			if err != nil {
				got += "error: " + err.Error()
			}
			if got != want {
				t.Errorf("%q: %q, want %q", reply, got, want)
			}
		}
	}
}
