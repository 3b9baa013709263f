package mirror

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A note is what the Frontier keeps with each URL. Of the fields most are empty, and left out.
type note struct {
	Path string `json:"p,omitempty"` // of the file; "" if there is none
	Size int64  `json:"s,omitempty"` // of the file, as it was left
	Time int64  `json:"t,omitempty"` // of the file, as it was left, in nanoseconds; 0 with a Path is no file yet

	Meant bool `json:"i,omitempty"` // the file was about to be written; Size and Time are those of the one before

	ETag     string `json:"e,omitempty"` // of the resource
	Modified int64  `json:"m,omitempty"` // of the resource, in seconds
	Vague    bool   `json:"v,omitempty"`
	Asked    int64  `json:"a,omitempty"` // when it was last asked for, in seconds
	Type     string `json:"y,omitempty"` // media type
	Base     string `json:"b,omitempty"` // where it came from, if that is not its URL

	Listed *facts `json:"l,omitempty"` // by the listing that led here; nil if it was none
	Gone   bool   `json:"g,omitempty"`
	Moved  string `json:"r,omitempty"` // where it redirects
	Plain  bool   `json:"c,omitempty"` // links of the page were converted
	Kept   bool   `json:"o,omitempty"` // there is the page as it came, beside the file
}

// facts are those that a listing tells of a file.
type facts struct {
	Size int64 `json:"s"`           // -1 if unknown
	Time int64 `json:"t,omitempty"` // in seconds; 0 if unknown
	Day  bool  `json:"d,omitempty"` // Time is a day
	At   int64 `json:"a,omitempty"` // when it was listed, in seconds
}

func readNote(b []byte) (n note) {
	if json.Unmarshal(b, &n) != nil {
		return note{} // nothing is known to be ours
	}
	for _, text := range n.texts() {
		*text = url.Unescape(*text)
	}
	return n
}

// maxText is how long a text from a server may be, in octets. It is left out if it is longer.
const maxText = 4 << 10

func (n note) bytes() []byte {
	for _, text := range n.texts() {
		*text = escaped(*text)
	}
	b, _ := json.Marshal(n) // no field can fail
	return b
}

// texts returns the fields that may have octets which are no UTF-8, and so no JSON.
func (n *note) texts() []*string { return []*string{&n.Path, &n.ETag, &n.Type, &n.Base, &n.Moved} }

// escaped escapes the octets of a text that are no UTF-8, and the sign for that.
func escaped(text string) string {
	text = strings.ReplaceAll(text, "%", "%25")
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%%%02X", text[i])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// short returns a text, or "" if it is too long for a note.
func short(text string) string {
	if len(text) > maxText {
		return ""
	}
	return text
}

// factsOf returns the facts of an entry.
func factsOf(e *fetchers.Entry, at int64) *facts {
	f := &facts{Size: e.Size, Day: e.DateOnly, At: at}
	if !e.ModTime.IsZero() {
		f.Time = e.ModTime.Unix()
	}
	return f
}

// Steps in which listings tell the time of a file.
const (
	second = 1
	minute = 60
	day    = 24 * 60 * 60
)

// same reports whether a file whose facts were f when it was asked for is the same now. If it was changed
// just before that, a second change may show no other time.
func (f *facts) same(now *facts, asked int64) bool {
	if f == nil || f.Size < 0 || f.Time == 0 || f.Size != now.Size || now.Time == 0 {
		return false
	}
	step := int64(2 * second)
	switch {
	case f.Day:
		step = 2 * day
	case f.Time%minute == 0:
		step = 2 * minute
	}
	if f.Time > min(asked, f.At)-step {
		return false
	}
	if f.Day != now.Day {
		return f.Time/day == now.Time/day
	}
	return f.Time == now.Time
}

// left says how the file was left.
func (n *note) left(info fs.FileInfo) {
	n.Size, n.Time, n.Meant = info.Size(), info.ModTime().UnixNano(), false
}

// ours reports whether a file is as it was left.
func (n note) ours(info fs.FileInfo) bool {
	return n.Path != "" && n.Time != 0 && info != nil && info.Mode().IsRegular() &&
		info.Size() == n.Size && info.ModTime().UnixNano() == n.Time
}

// validator returns by what the server knows the resource that the file has.
func (n note) validator() fetchers.Validator {
	v := fetchers.Validator{ETag: n.ETag, Vague: n.Vague}
	if n.Modified != 0 {
		v.ModTime = time.Unix(n.Modified, 0).UTC()
	}
	return v
}

// came says what came, and from where.
func (n *note) came(res *fetchers.Resource, asked int64) {
	n.ETag, n.Vague, n.Modified, n.Type, n.Asked, n.Plain, n.Moved, n.Gone = short(res.Validator.ETag), res.Validator.Vague, 0, short(res.MediaType), asked, false, "", false
	if !res.Validator.ModTime.IsZero() {
		n.Modified = res.Validator.ModTime.Unix()
	}
}
