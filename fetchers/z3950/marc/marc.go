// Package marc reads bibliographic records in the format of ISO 2709, such as MARC 21 and UNIMARC
// (application/marc, RFC 2220):
//
//	00366nam  22001698a 4500         the leader: length, kind of record, where the data begin
//	001001300000…245003000117…       the directory: tag, length and place of each field
//	10␟aHow to program a computer␞   a field: indicators, subfields with their codes
//	…␝
//
// Texts are returned in UTF-8. Records without the UTF-8 mark are in MARC-8, of which ASCII and the
// extended Latin of ANSEL are supported. Other bytes become U+FFFD.
package marc

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrMalformed means that bytes are not a MARC record.
var ErrMalformed = errors.New("malformed MARC record")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// A Record is a parsed record.
type Record struct {
	Leader string // 24 characters
	Fields []Field
}

// A Field is a field of a record. It has either Data or Subfields.
type Field struct {
	Tag        string // three characters, such as "245" for the title
	Data       string // of a control field, such as "001"
	Indicators string // usually two characters
	Subfields  []Subfield
}

// A Subfield is a part of a field.
type Subfield struct {
	Code  byte
	Value string
}

const (
	leaderSize = 24
	entrySize  = 12 // of the directory: three characters of tag, four of length, five of place

	subfieldMark = "\x1F"
	fieldMark    = '\x1E'
	recordMark   = '\x1D'
)

// Read reads the next record, of at most 99,999 bytes. At the end of r the error is io.EOF, and
// within a record io.ErrUnexpectedEOF. Blank lines between records are skipped.
func Read(r io.Reader) (*Record, error) {
	head := make([]byte, leaderSize)
	if err := begin(r, head); err != nil {
		return nil, err
	}
	size, ok := number(head[:5])
	if !ok || size <= leaderSize {
		return nil, malformed("it does not begin with a length")
	}
	octets := append(head, make([]byte, size-leaderSize)...)
	if _, err := io.ReadFull(r, octets[leaderSize:]); err != nil {
		return nil, cut(err)
	}
	return Parse(octets)
}

// begin reads the leader of a record, after any blank lines.
func begin(r io.Reader, head []byte) error {
	for {
		if _, err := io.ReadFull(r, head[:1]); err != nil {
			return err
		}
		if head[0] != '\n' && head[0] != '\r' {
			break
		}
	}
	_, err := io.ReadFull(r, head[1:])
	return cut(err)
}

func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Parse parses a record.
func Parse(octets []byte) (*Record, error) {
	if len(octets) <= leaderSize {
		return nil, malformed("%d bytes", len(octets))
	}
	base, ok := number(octets[12:17])
	if !ok || base <= leaderSize || base > len(octets) || octets[base-1] != fieldMark {
		return nil, malformed("the leader does not give the start of the data")
	}
	indicators, ok := number(octets[10:11])
	if !ok {
		indicators = 2 // some leave it blank
	}
	r := &Record{Leader: printable(octets[:leaderSize])}
	directory, data := octets[leaderSize:base-1], octets[base:]
	left := len(data) // no byte may belong to two fields; otherwise the result could be larger than the record
	for ; len(directory) >= entrySize; directory = directory[entrySize:] {
		size, sized := number(directory[3:7])
		at, placed := number(directory[7:12])
		if left -= size; !sized || !placed || at+size > len(data) || left < 0 {
			return nil, malformed("field %.3q is after the end, or overlaps another field", directory[:3])
		}
		r.Fields = append(r.Fields, field(printable(directory[:3]), data[at:at+size], indicators, octets[9] == 'a'))
	}
	if len(directory) > 0 {
		return nil, malformed("a directory of %d bytes more than it has entries", len(directory))
	}
	return r, nil
}

// field parses a field. Fields without a subfield are control fields.
func field(tag string, data []byte, indicators int, utf8 bool) Field {
	text := strings.TrimRight(string(data), string(fieldMark)+string(recordMark))
	decode := marc8
	if utf8 {
		decode = strings.Clone
	}
	before, rest, parted := strings.Cut(text, subfieldMark)
	if strings.HasPrefix(tag, "00") || !parted {
		return Field{Tag: tag, Data: valid(decode(text))}
	}
	f := Field{Tag: tag, Indicators: printable([]byte(before[:min(len(before), indicators)]))}
	for part := range strings.SplitSeq(rest, subfieldMark) {
		if part != "" {
			f.Subfields = append(f.Subfields, Subfield{part[0], valid(decode(part[1:]))})
		}
	}
	return f
}

// number parses digits.
func number(digits []byte) (n int, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(digits) > 0
}

// printable returns text that should be ASCII, with other bytes replaced by "?".
func printable(octets []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, string(octets))
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// String formats the record with a line for its leader and for each field, such as "245 10 $a How
// to program a computer". Control characters in texts are unchanged.
func (r *Record) String() string {
	var b strings.Builder
	b.WriteString(r.Leader + "\n")
	for _, f := range r.Fields {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// String returns the field as a line.
func (f Field) String() string {
	if f.Subfields == nil {
		return strings.TrimRight(fmt.Sprintf("%s    %s", f.Tag, f.Data), " ")
	}
	line := fmt.Sprintf("%s %-2s", f.Tag, f.Indicators)
	for _, s := range f.Subfields {
		line += " $" + printable([]byte{s.Code}) + " " + s.Value
	}
	return line
}

// Subfield returns the values of the first field with a tag and at least one of the subfield codes,
// joined with blanks, or "".
func (r *Record) Subfield(tag, codes string) string {
	for _, f := range r.Fields {
		if f.Tag != tag {
			continue
		}
		var values []string
		for _, s := range f.Subfields {
			if strings.IndexByte(codes, s.Code) >= 0 {
				values = append(values, strings.TrimSpace(s.Value))
			}
		}
		return strings.Join(values, " ")
	}
	return ""
}

// Title returns the title, without the punctuation before the next subfield, or "". It is in field
// 245 of MARC 21, and in field 200 of UNIMARC.
func (r *Record) Title() string {
	title := r.Subfield("245", "abnp")
	if title == "" {
		title = r.Subfield("200", "ae")
	}
	return strings.TrimRight(title, " /:;=,")
}

// Author returns the first author in MARC 21, or "".
func (r *Record) Author() string {
	for _, tag := range []string{"100", "110", "111", "700"} {
		if author := r.Subfield(tag, "a"); author != "" {
			return strings.TrimRight(author, " ,")
		}
	}
	return ""
}
