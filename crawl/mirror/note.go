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

// A note is the data that the Frontier stores with each URL. Empty fields are omitted.
type note struct {
	Path string `json:"p,omitempty"` // of the file; "" if there is none
	Size int64  `json:"s,omitempty"` // of the file after the last run
	Time int64  `json:"t,omitempty"` // of the file after the last run, in nanoseconds; 0 with a Path means that there is no file yet

	Meant bool `json:"i,omitempty"` // the file was about to be written; Size and Time are of its predecessor

	ETag     string `json:"e,omitempty"` // of the resource
	Modified int64  `json:"m,omitempty"` // of the resource, in seconds
	Vague    bool   `json:"v,omitempty"`
	Asked    int64  `json:"a,omitempty"` // time of the last request, in seconds
	Type     string `json:"y,omitempty"` // media type
	Base     string `json:"b,omitempty"` // the final URL, if it differs

	Listed *facts `json:"l,omitempty"` // data from the listing with the URL; nil if there is none
	Gone   bool   `json:"g,omitempty"`
	Moved  string `json:"r,omitempty"` // target of a redirection
	Plain  bool   `json:"c,omitempty"` // links of the page were converted
	Kept   bool   `json:"o,omitempty"` // the original page is kept beside the file
}

// facts holds the data of a file in a listing.
type facts struct {
	Size int64 `json:"s"`           // -1 if unknown
	Time int64 `json:"t,omitempty"` // in seconds; 0 if unknown
	Day  bool  `json:"d,omitempty"` // Time is only a date
	At   int64 `json:"a,omitempty"` // time of the listing, in seconds
}

func readNote(b []byte) (n note) {
	if json.Unmarshal(b, &n) != nil {
		return note{} // no file is known to be from this copy
	}
	for _, text := range n.texts() {
		*text = url.Unescape(*text)
	}
	return n
}

// maxText is the maximum length of a text from a server in bytes. A longer text is omitted.
const maxText = 4 << 10

func (n note) bytes() []byte {
	for _, text := range n.texts() {
		*text = escaped(*text)
	}
	b, _ := json.Marshal(n) // no field can fail
	return b
}

// texts returns the fields that may contain invalid UTF-8, which JSON cannot represent.
func (n *note) texts() []*string { return []*string{&n.Path, &n.ETag, &n.Type, &n.Base, &n.Moved} }

// escaped escapes the bytes of a text that are not valid UTF-8, and the escape character.
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

// Resolutions of the times in listings.
const (
	second = 1
	minute = 60
	day    = 24 * 60 * 60
)

// same reports whether a file with the facts f at the last request is unchanged. If it was modified
// just before the request, a second modification may have the same time.
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

// left records the state of the file.
func (n *note) left(info fs.FileInfo) {
	n.Size, n.Time, n.Meant = info.Size(), info.ModTime().UnixNano(), false
}

// ours reports whether a file is unchanged since the last run.
func (n note) ours(info fs.FileInfo) bool {
	return n.Path != "" && n.Time != 0 && info != nil && info.Mode().IsRegular() &&
		info.Size() == n.Size && info.ModTime().UnixNano() == n.Time
}

// validator returns the validator of the resource in the file.
func (n note) validator() fetchers.Validator {
	v := fetchers.Validator{ETag: n.ETag, Vague: n.Vague}
	if n.Modified != 0 {
		v.ModTime = time.Unix(n.Modified, 0).UTC()
	}
	return v
}

// came records a response and its URL.
func (n *note) came(res *fetchers.Resource, asked int64) {
	n.ETag, n.Vague, n.Modified, n.Type, n.Asked, n.Plain, n.Moved, n.Gone = short(res.Validator.ETag), res.Validator.Vague, 0, short(res.MediaType), asked, false, "", false
	if !res.Validator.ModTime.IsZero() {
		n.Modified = res.Validator.ModTime.Unix()
	}
}
