package download

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A record is the content of a journal: the URL of its partial file, and the spans that are certain
// to be on the disk.
type record struct {
	URL      string    `json:"url"` // without its password; empty if the journal is damaged
	Size     int64     `json:"size"`
	ETag     string    `json:"etag,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Sum      string    `json:"sum,omitempty"` // required sum of the whole file, if its bytes may be from several mirrors
	Have     []span    `json:"have"`          // on the disk
}

// The text of a journal begins with recordBegin. Its last field, checkBegin, is the SHA-256 of the
// text before it, in hexadecimal.
const (
	recordBegin = `{"url":"`
	checkBegin  = `,"check":"`
	checkEnd    = "\"}\n"
)

// seal returns the text of a journal.
func (r record) seal() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	return fmt.Appendf(text, "%s%x%s", checkBegin, sha256.Sum256(text), checkEnd), nil
}

// unseal returns the record in the text of a journal. It is the zero record if the checksum does
// not match.
func unseal(text []byte) (r record) {
	at := bytes.LastIndex(text, []byte(checkBegin))
	if at < 0 {
		return record{}
	}
	sealed, check := text[:at], text[at:]
	if string(check) != fmt.Sprintf("%s%x%s", checkBegin, sha256.Sum256(sealed), checkEnd) {
		return record{}
	}
	if json.Unmarshal(append(bytes.Clone(sealed), '}'), &r) != nil {
		return record{}
	}
	return r
}

// The beginning and the end of a journal, which distinguish it from other files.
var (
	urlField   = regexp.MustCompile(`^\{"url":"(?:[^"\\]|\\.)*`)
	sizeField  = `","size":`
	checkField = regexp.MustCompile(`,"check":"[0-9a-f]{64}"\}\n$`)
)

// isJournal reports whether a text begins with the fields of a journal.
func isJournal(text []byte) bool {
	rest := text[len(urlField.Find(text)):]
	return len(rest) < len(text) && bytes.HasPrefix(rest, []byte(sizeField))
}

// isTorn reports whether a text may be a journal after a crash: the beginning of one, or empty,
// with zeros in place of the rest.
func isTorn(text []byte) bool {
	text = bytes.TrimRight(text, "\x00")
	rest := bytes.TrimSuffix(text[len(urlField.Find(text)):], []byte(`\`))
	if len(rest) == len(text) {
		return strings.HasPrefix(recordBegin, string(text))
	}
	return strings.HasPrefix(sizeField, string(rest))
}

// isDamaged reports whether the file that the partial file belongs to is unknown.
func (r *record) isDamaged() bool { return r.URL == "" }

// about reports whether a partial file of size bytes can be resumed: its record is of the URL u, or
// of another URL with the same sum, and the file contains the spans.
func (r *record) about(u *url.URL, sum Sum, size int64) bool {
	switch {
	case len(r.Have) == 0 || size > r.Size || !r.validator().Strong():
		return false
	case r.Sum == "" || sum == (Sum{}):
		if r.URL != u.Redacted() {
			return false
		}
	case r.Sum != sum.String():
		return false
	}
	if _, err := ParseSum(r.Sum); err != nil && r.Sum != "" {
		return false
	}
	for _, s := range r.Have {
		if s.to > size {
			return false
		}
	}
	return true
}

// newer reports whether the record is about another version of the resource than have, the version
// that the user has.
func (r *record) newer(have fetchers.Validator) bool {
	switch {
	case have.ETag != "":
		return r.ETag != "" && r.ETag != have.ETag
	case !have.ModTime.IsZero():
		return r.Modified.After(have.ModTime)
	}
	return true
}

// moveTo changes the URL of the record to u. The validator at u is not known yet.
func (r *record) moveTo(u *url.URL) {
	if r.URL != u.Redacted() {
		r.URL, r.ETag, r.Modified = u.Redacted(), "", time.Time{}
	}
}

// missing returns the gaps. If there are none, it returns the last byte, since an empty request
// would prove nothing.
func (r *record) missing() []span {
	gaps := complement(r.Have, r.Size)
	if len(gaps) == 0 {
		return []span{{r.Size - 1, r.Size}}
	}
	return gaps
}

// goesOn records that res brings a span of the file. Existing bytes of the span are removed from
// the record, since they will be received again.
func (r *record) goesOn(res *fetchers.Resource, s span) {
	if res.Validator.ModTime.IsZero() {
		res.Validator.ModTime = r.Modified // the server need not repeat it
	}
	r.ETag, r.Modified = res.Validator.ETag, res.Validator.ModTime
	r.Have = complement(append(complement(r.Have, r.Size), s), r.Size)
}

// total returns the number of bytes that exist.
func (r *record) total() (n int64) {
	for _, s := range r.Have {
		n += s.len()
	}
	return n
}

// validator returns the validator of the resource.
func (r *record) validator() fetchers.Validator {
	return fetchers.Validator{ETag: r.ETag, ModTime: r.Modified}
}
