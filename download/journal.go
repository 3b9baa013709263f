package download

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A journal is NAME.part.json. It says what the part is a part of, and how much of
// it is certain to be on the disk. It is only ever written to in one piece, and
// what cannot be read counts as nothing.
type journal struct {
	*os.File
	record
	length int // of the longest text so far
}

// A record is the content of a journal.
type record struct {
	URL      string    `json:"url"` // without its password
	Size     int64     `json:"size"`
	ETag     string    `json:"etag,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Sum      string    `json:"sum,omitempty"` // what the whole hashes to, if it may be from several places
	Have     []span    `json:"have"`          // what is on the disk
}

var errNoJournal = errors.New("not a journal")

// maxJournal bounds what is read of a journal.
const maxJournal = 64 << 10

// openJournal reads the journal of the part that has a name.
func openJournal(part string) (*journal, error) {
	if info, err := os.Lstat(part + ".json"); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errNoJournal) // a pipe would be waited for
	}
	f, err := os.OpenFile(part+".json", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	j := &journal{File: f}
	text, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err == nil {
		j.length = len(bytes.TrimRight(text, "\n"))
		err = json.Unmarshal(text, &j.record)
	}
	if err == nil && j.URL == "" {
		err = errNoJournal
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// newJournal begins the journal of a part of which nothing is there yet. The file
// is for its owner only, since URLs may hold secrets.
func newJournal(part string, u *url.URL, res *fetchers.Resource) (*journal, error) {
	f, err := os.OpenFile(part+".json", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{File: f, record: record{
		URL: u.Redacted(), Size: res.Size, ETag: res.Validator.ETag, Modified: res.Validator.ModTime,
	}}
	if err := j.note(nil); err != nil {
		j.remove()
		return nil, err
	}
	return j, nil
}

// note writes down what is on the disk. The text is never shorter than before, so
// that nothing of an older one is left behind it.
func (j *journal) note(have []span) error {
	j.Have = have
	short := j.record
	text, err := json.Marshal(short)
	for err == nil && len(text) >= maxJournal && len(short.Have) > 0 { // what is left out is fetched again
		short.Have = short.Have[:len(short.Have)/2]
		text, err = json.Marshal(short)
	}
	if err != nil {
		return err
	}
	j.length = max(j.length, len(text))
	_, err = fmt.Fprintf(io.NewOffsetWriter(j, 0), "%-*s\n", j.length, text)
	return err
}

// about reports whether j is about a part of what u names, or of what is somewhere
// else and hashes to the same, and there is something to go on with in size octets
// that are there.
func (j *journal) about(u *url.URL, sum Sum, size int64) bool {
	switch {
	case len(j.Have) == 0 || size > j.Size || !j.validator().Strong():
		return false
	case j.Sum == "" || sum == (Sum{}):
		if j.URL != u.Redacted() {
			return false
		}
	case j.Sum != sum.String():
		return false
	}
	if _, err := ParseSum(j.Sum); err != nil && j.Sum != "" {
		return false
	}
	for _, s := range j.Have {
		if s.to > size {
			return false
		}
	}
	return true
}

// newer reports whether what j is about is something else than what somebody has, who
// wants it only then.
func (j *journal) newer(have fetchers.Validator) bool {
	switch {
	case have.ETag != "":
		return j.ETag != "" && j.ETag != have.ETag
	case !have.ModTime.IsZero():
		return j.Modified.After(have.ModTime)
	}
	return true
}

// moveTo makes j one about what u names, of which it is not known yet in which state
// it is there.
func (j *journal) moveTo(u *url.URL) {
	if j.URL != u.Redacted() {
		j.URL, j.ETag, j.Modified = u.Redacted(), "", time.Time{}
	}
}

// missing returns what is not there yet. It is the last octet if nothing is
// missing, since to ask for nothing proves nothing.
func (j *journal) missing() []span {
	gaps := complement(j.Have, j.Size)
	if len(gaps) == 0 {
		return []span{{j.Size - 1, j.Size}}
	}
	return gaps
}

// goesOn makes j one that goes on with res, which is a span of the file. What is
// there of that is taken out of j, since it will be sent anyway.
func (j *journal) goesOn(res *fetchers.Resource, s span) {
	if res.Validator.ModTime.IsZero() {
		res.Validator.ModTime = j.Modified // it need not say that again
	}
	j.ETag, j.Modified = res.Validator.ETag, res.Validator.ModTime
	j.Have = complement(append(complement(j.Have, j.Size), s), j.Size)
}

// total returns how much is there.
func (j *journal) total() (n int64) {
	for _, s := range j.Have {
		n += s.len()
	}
	return n
}

// proves reports whether res is a span of a file of the given size, and of the given
// state of it, unless that is zero.
func proves(res *fetchers.Resource, want span, size int64, state fetchers.Validator) bool {
	return resumable(res) && res.Size == size && (state.IsZero() || res.Validator.Same(state)) &&
		res.Range == fetchers.Range{Offset: want.from, Length: want.len()}
}

func (j *journal) validator() fetchers.Validator {
	return fetchers.Validator{ETag: j.ETag, ModTime: j.Modified}
}

// Close closes the journal, if there is one.
func (j *journal) Close() error {
	if j == nil {
		return nil
	}
	return j.File.Close()
}

// remove closes the journal and removes it, if there is one.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.File.Close(), os.Remove(j.Name()))
}
