package download

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A journal is the file NAME.part.json with the record of NAME.part. It ends in a checksum, and
// each new journal replaces the last one atomically. If the checksum does not match, the record
// counts as empty, and the download restarts.
type journal struct {
	name string      // of the journal file
	file fs.FileInfo // the file that was last read or written; nil if there is none yet
	record
}

// maxJournal limits the size of a journal in bytes.
const maxJournal = 64 << 10

// openJournal reads a journal. The error is fs.ErrNotExist if the file does not exist, and
// errForeign if this program did not create it or it is not a journal. A torn NAME.part.json is a
// damaged journal. So is a private file whose contents, but not its checksum, were altered.
func openJournal(name string) (*journal, error) {
	f, err := openOwn(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err == nil && !isJournal(text) {
		private := isPrivate(f) // every journal is
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

// newJournal creates the journal of an empty partial file.
func newJournal(part string, u *url.URL, res *fetchers.Resource) (*journal, error) {
	j := &journal{journalName(part), nil, record{
		URL: u.Redacted(), Size: res.Size, ETag: res.Validator.ETag, Modified: res.Validator.ModTime,
	}}
	return j, j.note(nil)
}

// note writes the spans that are on the disk to the journal.
func (j *journal) note(have []span) error {
	j.Have = have
	short := j.record
	text, err := short.seal()
	for err == nil && len(text) > maxJournal && len(short.Have) > 0 { // spans that are left out are fetched again
		short.Have = short.Have[:len(short.Have)/2]
		text, err = short.seal()
	}
	if err != nil {
		return err
	}
	return j.replace(text, len(have) > 0)
}

// replace replaces the journal with text. If lasting is true, the text is synced to the disk before
// the rename, so that a crash leaves either the old or the new journal. Only the owner can read the
// file, since URLs may contain secrets.
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

// createNext creates the next journal of a partial file. If its name is taken, perhaps by another
// user who wants to block the journal, it gets a random name.
func createNext(part string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(nextJournal(part), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	dir, base := filepath.Split(part)
	return os.OpenFile(dir+cut(base, sure)+"."+rand.Text()+nextEnd, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// removeJournals removes the journals of a partial file that was renamed or removed. The error is
// errForeign if a file with the name of a journal is not one.
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

// remove removes the journal, if there is one, unless another file has replaced it.
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
