package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// Marshal returns v as JSON in one line, without the line end. Two things differ from
// json.Marshal: "&", "<" and ">", which URLs have, stand as they are, and each character
// that is deceptive at a terminal (see url.Deceptive) is an escape. A program reads the
// same text from either.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return harmless(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// harmless escapes each deceptive character in JSON, even a joiner that joins something.
func harmless(text []byte) []byte {
	if !bytes.ContainsFunc(text, deceptive) {
		return text
	}
	safe := make([]byte, 0, len(text)+16)
	for _, r := range string(text) {
		switch high, low := utf16.EncodeRune(r); {
		case !deceptive(r):
			safe = utf8.AppendRune(safe, r)
		case r > 0xFFFF:
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, high, low)
		default:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		}
	}
	return safe
}

func deceptive(r rune) bool { return url.Deceptive(0, r) }

// Stamp returns a time as Started of a Record and Time of an Event have it: RFC 3339, in
// UTC, to the nanosecond.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// orNull returns nil for a zero value, which JSON shows as null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func sizeOrNull(size int64) *int64 {
	if size < 0 {
		return nil
	}
	return &size
}

func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
