package marc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
	"github.com/seed1ea3422f/fetch/integration/waistest"
)

// build returns a record of fields "TAG DATA"; "$" begins a subfield.
func build(coding byte, fields ...string) []byte {
	var directory, data strings.Builder
	for _, f := range fields {
		text := strings.ReplaceAll(f[4:], "$", "\x1F") + "\x1E"
		fmt.Fprintf(&directory, "%s%04d%05d", f[:3], len(text), data.Len())
		data.WriteString(text)
	}
	base := 24 + directory.Len() + 1
	return fmt.Appendf(nil, "%05dnam %c22%05d a 4500%s\x1E%s\x1D", base+data.Len()+1, coding, base, &directory, &data)
}

func TestRecord(t *testing.T) {
	octets := build('a', "001 42", "100 1 $aKnuth, Donald E.,$d1938-", "245 10$aThe art of computer programming /$cDonald Knuth.", "500   $aGrüße")
	r, err := marc.Parse(octets)
	if err != nil {
		t.Fatal(err)
	}
	want := "00171nam a2200073 a 4500\n001    42\n100 1  $a Knuth, Donald E., $d 1938-\n245 10 $a The art of computer programming / $c Donald Knuth.\n500    $a Grüße\n"
	if r.String() != want {
		t.Errorf("got\n%swant\n%s", r, want)
	}
	if r.Title() != "The art of computer programming" || r.Author() != "Knuth, Donald E." {
		t.Errorf("%q by %q", r.Title(), r.Author())
	}
}

// The record of a real server, read repeatedly.
func TestRead(t *testing.T) {
	messages, err := waistest.ReadCapture("../../../testdata/captures/z3950/in-search.hex")
	if err != nil {
		t.Fatal(err)
	}
	octets := messages[3].Octets
	octets = octets[bytes.Index(octets, []byte("00366nam")):][:366]
	in := bytes.NewReader(bytes.Join([][]byte{octets, octets, nil}, []byte("\r\n")))
	for range 2 {
		r, err := marc.Read(in)
		if err != nil || r.Title() != "How to program a computer" || r.Author() != "Jack Collins" {
			t.Fatalf("%v, %v", r, err)
		}
	}
	if _, err := marc.Read(in); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for _, n := range []int{1, 23, 24, 365} {
		if _, err := marc.Read(bytes.NewReader(octets[:n])); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestMARC8(t *testing.T) {
	for in, want := range map[string]string{
		"plain":              "plain",
		"M\xE8uller":         "Mu\u0308ller",
		"\xA5gir \xB2":       "Ægir ø",
		"\xF2\xE2a":          "a\u0323\u0301",
		"Gr\u00fc\u00dfe":    "Grüße",
		"x\x1B(NABC\x1B(By":  "x\uFFFD\uFFFD\uFFFDy",
		"\x1B(3AB\x1B(B ok":  "\uFFFD\uFFFD ok",
		"H\x1Bb2\x1BsO":      "H\uFFFDO",
		"\x80\xE8":           "\uFFFD\u0308",
		"a\x1B":              "a",
		"\xC7":               "ß",
		"caf\xE2e":           "cafe\u0301",
		"\x1B(B\x1B)!E\xE1a": "a\u0300",
	} {
		r, err := marc.Parse(build(' ', "500   $a"+in))
		if err != nil || r.Subfield("500", "a") != want {
			t.Errorf("%q: %q, %v, want %q", in, r.Subfield("500", "a"), err, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	good := string(build('a', "245 10$aTitle"))
	shared := strings.Replace(string(build('a', "245 10$aTitle", "246 10$aTitle")), "246001000010", "246002000000", 1)
	for name, octets := range map[string]string{
		"two fields that share bytes":    shared,
		"nothing":                        "",
		"a page":                         "<!DOCTYPE html><title>404 Not found</title>",
		"a base behind the end":          good[:12] + "99999" + good[17:],
		"a base that is none":            good[:12] + "    1" + good[17:],
		"a field behind the end":         strings.Replace(good, "2450010", "2459999", 1),
		"a place that is no number":      strings.Replace(good, "00000\x1E", "0000x\x1E", 1),
		"a directory with half an entry": strings.Replace(good, "245001000000", "24500100000", 1),
	} {
		if _, err := marc.Parse([]byte(octets)); !errors.Is(err, marc.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, octets := range []string{"no digits, and a long text after it", "00024 that is less than a leader"} {
		if _, err := marc.Read(strings.NewReader(octets)); !errors.Is(err, marc.ErrMalformed) {
			t.Errorf("%q: %v", octets, err)
		}
	}
}

// FuzzRead checks that a record consists of UTF-8 texts whose length is limited by the input, or is
// an error.
func FuzzRead(f *testing.F) {
	f.Add(build('a', "001 42", "245 10$aTitle$cAuthor"))
	f.Add(build(' ', "245 10$aMu\xE8ller\x1B(NABC"))
	f.Fuzz(func(t *testing.T, octets []byte) {
		r, err := marc.Read(bytes.NewReader(octets))
		if err != nil {
			return
		}
		text := r.String()
		if !utf8.ValidString(text) {
			t.Fatalf("%q: %q", octets, text)
		}
		// A byte becomes a character of at most three bytes; in a subfield it may become five.
		if len(text) > 5*len(octets) {
			t.Fatalf("%d bytes became %d", len(octets), len(text))
		}
		r.Title()
		r.Author()
	})
}
