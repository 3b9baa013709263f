package z3950

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/waistest"
)

// decode decodes one message of any type, with its records and their content.
func decode(octets []byte) (any, error) {
	d := NewDecoder(bufio.NewReaderSize(bytes.NewReader(octets), 16))
	tag, err := d.Begin(1 << 20)
	if err != nil {
		return nil, err
	}
	m, err := message(d, tag)
	if err != nil {
		return nil, err
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	if _, err := d.Begin(1 << 20); err != io.EOF {
		return nil, fmt.Errorf("behind the message: %v", err)
	}
	return m, nil
}

func message(d *Decoder, tag Tag) (any, error) {
	switch tag {
	case InitRequestTag:
		return d.Init()
	case InitResponseTag:
		return d.InitResponse()
	case SearchRequestTag:
		return d.Search()
	case PresentRequestTag:
		return d.Present()
	case CloseTag:
		return d.Close()
	case SearchResponseTag, PresentResponseTag:
		return response(d)
	}
	return nil, malformed("APDU %x", uint32(tag))
}

// response reads a Response with its records.
func response(d *Decoder) (*Response, error) {
	m, err := d.Response()
	for err == nil {
		var r *Record
		var size int64
		if r, size, err = d.NextRecord(); r == nil || err != nil {
			break
		}
		if r.Diagnostic == nil {
			r.Content, err = io.ReadAll(d)
			if size >= 0 && err == nil && int64(len(r.Content)) != size {
				err = fmt.Errorf("a record of %d bytes, and %d were announced", len(r.Content), size)
			}
		}
		if err == nil {
			err = d.EndRecord()
		}
		m.Records = append(m.Records, *r)
	}
	return m, err
}

func encode(m any) []byte { return m.(interface{ Append([]byte) []byte }).Append(nil) }

func captures(t testing.TB) map[string][]waistest.Captured {
	files, err := filepath.Glob("../../testdata/captures/z3950/*.hex")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := make(map[string][]waistest.Captured)
	for _, file := range files {
		if all[strings.TrimSuffix(filepath.Base(file), ".hex")], err = waistest.ReadCapture(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Each message between YAZ's client and YAZ's server is decoded. It is encoded again to the same
// bytes, except for lengths that YAZ omits, and services that this package does not name.
func TestCaptures(t *testing.T) {
	for name, messages := range captures(t) {
		for i, c := range messages {
			m, err := decode(c.Octets)
			if err != nil {
				t.Errorf("%s, message %d: %v", name, i+1, err)
				continue
			}
			again := encode(m)
			if back, err := decode(again); err != nil || !reflect.DeepEqual(m, back) {
				t.Errorf("%s, message %d: %+v became %+v, %v", name, i+1, m, back, err)
			}
			if c.Client && !bytes.Equal(again, c.Octets) {
				t.Errorf("%s, message %d is written as\n%x, want\n%x", name, i+1, again, c.Octets)
			}
		}
	}
}

func TestCapturedRecords(t *testing.T) {
	all := captures(t)
	for _, c := range []struct {
		capture string
		message int
		want    string
	}{
		{"usmarc", 5, `1.2.840.10003.5.10 "00366nam  22001698a 450000100130000000" | 1.2.840.10003.5.10 "00366nam  22001698a 450000100130000000" | 1.2.840.10003.5.10 "01369cam  2200265 i 450000100180000000"`},
		{"xml", 5, `1.2.840.10003.5.109.10 "<record xmlns=\"http://www.loc.gov/MARC"`},
		{"sutrs", 5, `1.2.840.10003.5.101 "This is dummy SUTRS record number 1\n" | 1.2.840.10003.5.101 "This is dummy SUTRS record number 2\n"`},
		{"no-record", 5, `14 "" | 14 ""`},
		{"grs1", 5, `1.2.840.10003.5.105 "0\x800\x13\x81\x01\x03\xa2\x05\x81\x03001\xa4\a\x1b\x05rec-30@\x81\x01\x03\xa2\x05\x81\x03100\xa44\xa6"`},
		{"in-search", 3, `1.2.840.10003.5.10 "00366nam  22001698a 450000100130000000"`},
	} {
		m, err := decode(all[c.capture][c.message].Octets)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range m.(*Response).Records {
			if r.Diagnostic != nil {
				got = append(got, fmt.Sprintf("%d %q", r.Diagnostic.Condition, r.Diagnostic.Detail))
				continue
			}
			got = append(got, fmt.Sprintf("%s %q", r.Syntax, r.Content[:min(len(r.Content), 38)]))
		}
		if got := strings.Join(got, " | "); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.capture, got, c.want)
		}
	}
}

func TestCapturedDiagnostics(t *testing.T) {
	all := captures(t)
	for _, c := range []struct {
		capture string
		message int
		want    string
	}{
		{"no-database", 3, `[{1.2.840.10003.4.1 109 nope}]`},
		{"no-syntax", 5, `[{1.2.840.10003.4.1 239 1.2.840.10003.5.109.3}]`},
		{"no-use", 3, `[{1.2.840.10003.4.1 114 7777}]`},
		{"out-of-range", 5, `[{1.2.840.10003.4.1 13 10}]`},
	} {
		m, err := decode(all[c.capture][c.message].Octets)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m.(*Response).Diagnostics); got != c.want {
			t.Errorf("%s: %s, want %s", c.capture, got, c.want)
		}
	}
}

// The reason for a rejected session is nested in the user information.
func TestCapturedRejection(t *testing.T) {
	m, err := decode(captures(t)["rejected"][1].Octets)
	if err != nil {
		t.Fatal(err)
	}
	r := m.(*InitResponse)
	if got := fmt.Sprint(r.Accepted, r.Diagnostics); got != "false [{1.2.840.10003.4.1 1011 fetch}]" {
		t.Error(got)
	}
}
