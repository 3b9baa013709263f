package download

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A journal is NAME.part.json. It says what the part is a part of, and how much of
// it is certain to be on the disk. It ends in a checksum, and each new one replaces the one
// before as a whole. One whose checksum does not fit counts as empty: its part is begun
// again.
type journal struct {
	name string      // of its file
	file fs.FileInfo // of the one that was read or written last; nil if there is none yet
	record
}

// A record is the content of a journal.
type record struct {
	URL      string    `json:"url"` // without its password; empty if the journal is damaged
	Size     int64     `json:"size"`
	ETag     string    `json:"etag,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Sum      string    `json:"sum,omitempty"` // what the whole hashes to, if it may be from several places
	Have     []span    `json:"have"`          // what is on the disk
}

// maxJournal bounds the length of a journal.
const maxJournal = 64 << 10

// A journal begins with recordBegin. Its last field, checkBegin, is the SHA-256 of what is
// before it, in hexadecimal digits.
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

// unseal returns what the text of a journal says. That is nothing if the text is not as it
// was written.
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

// The two ends of a journal, by which it is told from another file.
var (
	urlField   = regexp.MustCompile(`^\{"url":"(?:[^"\\]|\\.)*`)
	sizeField  = `","size":`
	checkField = regexp.MustCompile(`,"check":"[0-9a-f]{64}"\}\n$`)
)

// isJournal reports whether a text is that of a journal, since it begins with the fields of
// one.
func isJournal(text []byte) bool {
	rest := text[len(urlField.Find(text)):]
	return len(rest) < len(text) && bytes.HasPrefix(rest, []byte(sizeField))
}

// isTorn reports whether a text may be the beginning of a journal, be it nothing, which a
// crash left, with zeros in the place of the rest.
func isTorn(text []byte) bool {
	text = bytes.TrimRight(text, "\x00")
	rest := bytes.TrimSuffix(text[len(urlField.Find(text)):], []byte(`\`))
	if len(rest) == len(text) {
		return strings.HasPrefix(recordBegin, string(text))
	}
	return strings.HasPrefix(sizeField, string(rest))
}

// openJournal reads the journal that has a name. The error is fs.ErrNotExist if there is
// none, and errForeign if the file is not ours or no journal. A torn NAME.part.json counts as
// a damaged journal, and so does a private file that was altered elsewhere than in its
// checksum.
func openJournal(name string) (*journal, error) {
	f, err := openOwn(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err == nil && !isJournal(text) {
		private := isPrivate(f) // as every journal is
		torn := isTorn(text) && (private || strings.HasSuffix(name, journalEnd))
		if !torn && !(private && checkField.Match(text)) {
			err = errForeign
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	file, err := f.Stat()
	return &journal{name, file, unseal(text)}, err
}

// newJournal begins the journal of a part of which nothing is there yet.
func newJournal(part string, u *url.URL, res *fetchers.Resource) (*journal, error) {
	j := &journal{journalName(part), nil, record{
		URL: u.Redacted(), Size: res.Size, ETag: res.Validator.ETag, Modified: res.Validator.ModTime,
	}}
	return j, j.note(nil)
}

// note writes down what is on the disk.
func (j *journal) note(have []span) error {
	j.Have = have
	short := j.record
	text, err := short.seal()
	for err == nil && len(text) > maxJournal && len(short.Have) > 0 { // what is left out is fetched again
		short.Have = short.Have[:len(short.Have)/2]
		text, err = short.seal()
	}
	if err != nil {
		return err
	}
	return j.replace(text, len(have) > 0)
}

// replace puts a text in the place of the journal that is there. If it is lasting, it is on
// the disk before it has the name, so that a crash leaves either of them. The file is for
// its owner only, since URLs may hold secrets.
func (j *journal) replace(text []byte, lasting bool) error {
	f, err := createNext(strings.TrimSuffix(j.name, journalEnd), 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && lasting {
		err = f.Sync()
	}
	file, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err == nil {
		err = os.Rename(f.Name(), j.name)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	j.file = file
	return nil
}

// createNext makes the file that is to replace the journal of a part. If another file has
// its name, which another user may have made to stop the journal, it gets one that nobody
// can guess.
func createNext(part string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(nextJournal(part), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	dir, base := filepath.Split(part)
	return os.OpenFile(dir+cut(base, sure)+"."+rand.Text()+nextEnd, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// isDamaged reports whether nothing is known of what the part is a part of.
func (j *journal) isDamaged() bool { return j.URL == "" }

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

// removeJournals removes the journals of a part that got its name or was removed. The error
// is errForeign if the name of one is that of a file that is none.
func removeJournals(part string) error {
	for _, name := range []string{journalName(part), nextJournal(part)} {
		j, err := openJournal(name)
		if err == nil {
			err = j.remove()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// remove removes the journal, if there is one, and not one that has its name by now.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	if there, err := os.Lstat(j.name); err == nil && j.file != nil && !os.SameFile(there, j.file) {
		return nil
	}
	if err := os.Remove(j.name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
