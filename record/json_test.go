package record

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

func TestMarshal(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{"a&b<c>d", `"a&b<c>d"`},
		{"café", `"café"`},
		{"a\u202eb", `"a\u202eb"`},
		{"a\u200db", `"a\u200db"`},
		{"👩\u200d👧", `"👩\u200d👧"`}, // even a joiner that joins something
		{"tag \U000e0041", `"tag \udb40\udc41"`},
		{"\x7f\u009b", `"\u007f\u009b"`},
		{"line\nline\u2028", `"line\nline\u2028"`},
		{"\xff", `"\ufffd"`},
		{map[string]int{"a\ufeff": 1}, `{"a\ufeff":1}`},
		{json.RawMessage("{ \"a\" : \"\u00ad\" }"), `{"a":"\u00ad"}`},
		{nil, `null`},
	} {
		if got, err := Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("%+q: %s, %v; want %s", c.v, got, err, c.want)
		}
	}
	if text, err := Marshal(func() {}); err == nil || text != nil {
		t.Errorf("a function is %q, %v", text, err)
	}
}

func TestStamp(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for _, c := range []struct {
		t    time.Time
		want string
	}{
		{time.Date(2026, 11, 21, 11, 0, 0, 1, zone), "2026-11-21T10:00:00.000000001Z"},
		{time.Date(2026, 11, 21, 10, 0, 0, 100_000_000, time.UTC), "2026-11-21T10:00:00.1Z"},
		{time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), "2026-11-21T10:00:00Z"},
	} {
		if got := Stamp(c.t); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// FuzzMarshal: a program reads the same value from a line, which is one line and has no
// deceptive character.
func FuzzMarshal(f *testing.F) {
	f.Add("http://h.example/a&b", "text/plain", "caf\u00e9\u202e\U000e0041\x7f", int64(3), 0.25)
	f.Add("\u2028\n\r\t\x00", "\xff\xc0", "👩\u200d👧", int64(-1), 1e300)
	f.Add(`"\u202e"`, `\`, "\ufffd\uffff", int64(0), math.Copysign(0, -1))
	f.Fuzz(func(t *testing.T, name, mediaType, text string, size int64, seconds float64) {
		// JSON has U+FFFD in place of each octet that is not UTF-8.
		name, mediaType, text = string([]rune(name)), string([]rune(mediaType)), string([]rune(text))
		entry := Entry{Name: name, URL: &name, Kind: text, Attributes: map[string]string{text: mediaType}}
		r := &Record{
			URL: name, Scheme: text, MediaType: &mediaType, Size: &size, Seconds: seconds,
			Reply: &Reply{Code: int(size), Text: text}, Redirects: []string{text, name}, Complete: Confirmed,
			Error: &Failure{Class: ClassRead, Exit: ExitReceive, Text: text},
		}
		event := Event{Name: EventRecord, ID: 1, From: text, Wait: &seconds, Have: &size, Record: r}
		same(t, entry)
		same(t, *r)
		same(t, event)
	})
}

// same writes a value and reads it again.
func same[T any](t *testing.T, v T) {
	t.Helper()
	line, err := Marshal(v)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	before := rune(0)
	for _, r := range string(line) {
		if url.Deceptive(before, r) || url.Deceptive(0, r) {
			t.Errorf("%+q has the deceptive character %+q", line, r)
		}
		before = r
	}
	if strings.ContainsAny(string(line), "\n\r") {
		t.Errorf("%q has a line end", line)
	}
	var read T
	if err := json.Unmarshal(line, &read); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if !reflect.DeepEqual(read, v) {
		t.Errorf("%s is read as %+v, want %+v", line, read, v)
	}
}
