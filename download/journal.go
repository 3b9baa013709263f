package download

import (
	"encoding/json"
	"errors"
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
}

// A record is the content of a journal.
type record struct {
	URL      string    `json:"url"` // without its password
	Size     int64     `json:"size"`
	ETag     string    `json:"etag,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Done     int64     `json:"done"` // how many octets from the beginning are there
}

// maxJournal bounds what is read of a journal.
const maxJournal = 64 << 10

// openJournal reads the journal of the part that has a name.
func openJournal(part string) (*journal, error) {
	f, err := os.OpenFile(part+".json", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	j := &journal{File: f}
	text, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err == nil {
		err = json.Unmarshal(text, &j.record)
	}
	if err == nil && j.URL == "" {
		err = errors.New("not a journal")
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
	return j, j.note(0)
}

// note writes down that the first done octets are on the disk. The text never
// gets shorter, so that nothing of an older one is left behind it.
func (j *journal) note(done int64) error {
	j.Done = done
	text, err := json.Marshal(j.record)
	if err == nil {
		_, err = j.WriteAt(append(text, '\n'), 0)
	}
	return err
}

// about reports whether j is about a part of what u names, and there is something
// to go on with.
func (j *journal) about(u *url.URL) bool {
	return j.URL == u.Redacted() && 0 < j.Done && j.Done <= j.Size && j.validator().Strong()
}

// next returns where to go on: at the octet that is missing, and at the last one
// if none is, since to ask for nothing proves nothing.
func (j *journal) next() int64 { return min(j.Done, j.Size-1) }

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
