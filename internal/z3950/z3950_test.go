package z3950

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

func hex(t testing.TB, s string) []byte {
	var b []byte
	for _, f := range strings.Fields(s) {
		var c byte
		if _, err := fmt.Sscanf(f, "%02x", &c); err != nil {
			t.Fatal(f, err)
		}
		b = append(b, c)
	}
	return b
}

// A message is the same after encoding and decoding.
func TestRoundTrip(t *testing.T) {
	login := &Login{User: "joe", Password: "s3cret", PasswordSet: true}
	for _, m := range []any{
		&Init{Versions: Versions, Options: OptionSearch | OptionPresent, PreferredMessageSize: 1 << 20, ExceptionalRecordSize: 1 << 40, Login: login, ImplementationName: "x"},
		&Init{Versions: Versions, Login: &Login{User: "token"}},
		&InitResponse{Accepted: true, Init: Init{Versions: Version3, Options: OptionNamedSets}},
		&InitResponse{Diagnostics: []Diagnostic{{Set: bib1Diagnostics, Condition: 1012, Detail: "no"}}},
		&Search{ReferenceID: "7", ResultSet: "default", Databases: []string{"a", "b"}, Small: 1, Large: 2, ElementSet: "F", Syntax: SUTRS, Query: Query{{Term: "x"}}},
		&Search{Databases: []string{"a"}, Query: Query{{[]Attribute{{1, 4}, {5, 1}}, "red"}, {[]Attribute{{1, 1003}}, "wine"}, {Term: ""}}},
		&Present{ReferenceID: "8", ResultSet: "default", Start: 11, Count: 10, ElementSet: "B", Syntax: RecordSyntax + "10"},
		&Response{Tag: SearchResponseTag, ReferenceID: "7", Count: 1 << 33, Found: true},
		&Response{Tag: SearchResponseTag, Status: 5, Diagnostics: []Diagnostic{{bib1Diagnostics, 114, "1=7"}, {bib1Diagnostics, 2, ""}}},
		&Response{Tag: PresentResponseTag, Returned: 3, Next: 4, Records: []Record{
			{Database: "a", Syntax: RecordSyntax + "10", Content: bytes.Repeat([]byte("x"), 70000)},
			{Syntax: RecordSyntax + "105", Element: true, Content: appendGroup(nil, tagSequence, appendInt(nil, tagInteger, -129))},
			{Syntax: SUTRS, Element: true, Content: []byte("text")},
			{Diagnostic: &Diagnostic{bib1Diagnostics, 14, "broken"}},
		}},
		&Close{Reason: 3, Text: "too long"},
	} {
		got, err := decode(encode(m))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v became %+v, %v", m, got, err)
		}
	}
}

// BER allows elements without lengths, and strings in segments.
func TestIndefinite(t *testing.T) {
	record := `30 80 80 01 64 A1 80 A1 80 28 80 06 06 2A 86 48 CE 13 05 %s 00 00 00 00 00 00 00 00`
	response := func(content string) []byte {
		return hex(t, "B9 80 98 01 01 99 01 00 9B 01 00 BC 80 "+fmt.Sprintf(record, content)+" 00 00 00 00")
	}
	for _, c := range []struct{ content, want string }{
		{"81 02 41 42", "AB"},
		{"A1 80 04 01 41 04 02 42 43 00 00", "ABC"},
		{"A1 07 04 01 41 04 02 42 43", "ABC"},
		{"A0 04 30 02 05 00", "\x30\x02\x05\x00"},
		{"A0 80 30 80 05 00 00 00 00 00", "\x30\x80\x05\x00\x00\x00"},
	} {
		m, err := decode(response(c.content))
		if err != nil {
			t.Errorf("%s: %v", c.content, err)
			continue
		}
		if got := string(m.(*Response).Records[0].Content); got != c.want {
			t.Errorf("%s: %q, want %q", c.content, got, c.want)
		}
	}
}

// A hostile message is an error, and takes no more memory than its size.
func TestMalformed(t *testing.T) {
	deep := bytes.Repeat([]byte{0x30, 0x80}, 10000)
	for _, c := range []struct {
		name   string
		octets []byte
		words  string
	}{
		{"a primitive message", hex(t, "94 00"), "a message of tag"},
		{"a message of 4 GiB", hex(t, "B4 84 FF FF FF FF"), "longer than what it is in"},
		{"a message of more than can be counted", hex(t, "B4 88 FF FF FF FF FF FF FF FF"), "a length of"},
		{"a length of nine bytes", hex(t, "B4 89 01 01 01 01 01 01 01 01 01"), "a length of 9 bytes"},
		{"an element longer than the message", hex(t, "B4 02 83 7F"), "longer than what it is in"},
		{"a header that ends with the message", hex(t, "B4 01 83"), "longer than what it is in"},
		{"a tag without an end", append(hex(t, "B4 20"), bytes.Repeat([]byte{0xFF}, 32)...), "a tag"},
		{"a primitive element without a length", hex(t, "B4 02 83 80"), "has no length"},
		{"an end where there is a length", hex(t, "B4 02 00 00"), "a mark of the end"},
		{"a number of nine bytes", hex(t, "B4 0B 85 09 01 01 01 01 01 01 01 01 01"), "a number of 9 bytes"},
		{"a number of none", hex(t, "B4 02 85 00"), "a number of 0 bytes"},
		{"depth", append(hex(t, "B4 80"), deep...), "within each other"},
		{"depth in a request", append(append(hex(t, "B6 80 B5 80 A1 80"), bytes.Repeat([]byte{0xA1, 0x80}, 5000)...), 0), "within each other"},
		{"depth in a diagnostic", append(append(hex(t, "B5 80"), 0xAB, 0x80), deep...), "within each other"},
		{"a text of 100,000 bytes", append(hex(t, "B4 83 01 86 A6 9F 6E 83 01 86 A0"), make([]byte, 100_000)...), "a text of more than"},
		{"a record that is none", hex(t, "B9 08 BC 06 30 04 A1 02 A5 00"), "neither a record nor"},
		{"a session neither accepted nor rejected", hex(t, "B5 00"), "without a result"},
		{"a query of type 2", hex(t, "B6 05 B5 03 82 01 41"), "not of type 1"},
	} {
		_, err := decode(c.octets)
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", c.name, err, c.words)
		}
	}
	whole := encode(&Response{Tag: PresentResponseTag, Records: []Record{{Syntax: RecordSyntax + "10", Content: []byte("abc")}}})
	for n := range whole {
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if _, err := decode(whole[:n]); err != want {
			t.Errorf("the first %d bytes: %v, want %v", n, err, want)
		}
	}
}

// FuzzDecode checks that bytes are a message that survives encoding and decoding, or an error, and
// that time and memory are limited by their number.
func FuzzDecode(f *testing.F) {
	for _, messages := range captures(f) {
		for _, c := range messages {
			f.Add(c.Octets)
		}
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		if len(octets) > 1<<16 {
			return
		}
		m, err := decode(octets)
		if err != nil {
			return
		}
		if s, ok := m.(*Search); ok && (len(s.Query) == 0 || len(s.Query) > maxOperands) {
			return
		}
		if r, ok := m.(*Response); ok && (len(r.Diagnostics) > 0 || hasElement(r.Records)) {
			return
		}
		again, err := decode(encode(m))
		if err != nil {
			t.Fatalf("%x: %+v is written as %x: %v", octets, m, encode(m), err)
		}
		if !bytes.Equal(encode(again), encode(m)) {
			t.Fatalf("%x: %+v became %+v", octets, m, again)
		}
	})
}

// hasElement reports whether a record is an element, which the test would have to wrap
// again, or of a syntax that is not an identifier.
func hasElement(records []Record) bool {
	for _, r := range records {
		if r.Element || r.Syntax == "" || r.Diagnostic != nil {
			return true
		}
	}
	return false
}
