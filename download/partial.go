package download

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/filelock"
	"github.com/seed1ea3422f/fetch/url"
)

// A partial is a partial file: NAME.part, beside the final NAME, with its journal NAME.part.json if
// it is large enough. It is locked while it is open, so that no other download writes to it.
type partial struct {
	handle
	final   string   // the final name; unlike Target.Name, never a link
	journal *journal // nil if there is none
	unclear bool     // the file system reports another owner or mode; such a file gets no journal and is not resumed
	lost    error    // the error of a failed sync or write
}

var (
	// ErrBusy means that another download writes the partial file. Its class is fetchers.ErrBusy,
	// and it is not fetchers.ErrTemporary.
	ErrBusy = fmt.Errorf("%w: another download is writing it", fetchers.ErrBusy)

	// errForeign means that a file with the name of a partial file was not created by this program.
	errForeign = errors.New("the file exists and is not a partial file of this program")

	// errNameless means that the file has no name.
	errNameless = errors.New("the file to be written has no name")

	// errPlanted means that a link, pipe or device is not followed or written to.
	errPlanted = errors.New("another user made it in a world-writable directory; not following it")

	// errTaken means that another file has replaced the partial file.
	errTaken = errors.New("it was replaced while it was written")
)

// beginFor creates the partial file of a file: NAME.part, or else NAME.1.part, NAME.2.part and so
// on. With beside, it also skips a partial file that another download writes.
func beginFor(name string, beside bool, replaces func(n int, j *record) bool) (output, error) {
	taken := func(n int) bool {
		part := partName(numbered(name, n))
		return isThere(part) || isThere(journalName(part)) || isThere(nextJournal(part))
	}
	for n := 0; ; n = next(n, taken) {
		p, err := begin(numbered(name, n), func(j *record) bool { return replaces(n, j) })
		if err == nil {
			p.final = name
			return p, nil
		}
		if !errors.Is(err, errForeign) && !(beside && errors.Is(err, ErrBusy)) {
			return nil, err
		}
	}
}

// begin creates an empty NAME.part and locks it. It first removes the partial file of an
// interrupted download, if replaces is true for its journal.
func begin(name string, replaces func(*record) bool) (*partial, error) {
	if name == "" {
		return nil, errNameless
	}
	for {
		f, err := os.OpenFile(partName(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, partMode)
		switch {
		case err == nil:
			if p, err := own(f, name); !errors.Is(err, errTaken) {
				return p, err
			}
		case errors.Is(err, fs.ErrExist):
			if err := removeLeftover(name, replaces); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

// own locks f, a new NAME.part, and removes the journal of an earlier NAME.part. The error is
// errTaken if another download removed or used f before the lock, and errForeign if a file with the
// name of a journal is not one.
func own(f *os.File, name string) (*partial, error) {
	if _, err := filelock.Lock(f, true); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	p := &partial{handle: handle{f}, final: name, unclear: !isOwn(f)}
	if p.replaced() || p.size() > 0 {
		f.Close()
		return nil, errTaken
	}
	if err := removeJournals(f.Name()); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return p, nil
}

// removeLeftover removes NAME.part if an interrupted download left it and replaces is true for its
// journal. The error is errForeign if the file has to stay.
func removeLeftover(name string, replaces func(*record) bool) error {
	p, err := reopen(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it was renamed in the meantime
	case err != nil:
		return err
	case p.journal != nil && !replaces(&p.journal.record):
		p.leave()
		return errForeign
	}
	return p.remove()
}

// reopen opens and locks the partial file that an interrupted download of this program left. If
// other users can write it, it is unclear. The error is fs.ErrNotExist if it does not exist,
// ErrBusy if its download is still running, and errForeign if another program created it.
func reopen(name string) (*partial, error) {
	f, err := openMine(partName(name))
	if err != nil {
		return nil, err
	}
	p := &partial{handle: handle{f}, final: name, unclear: !isOwn(f)}
	if err = p.claim(); err == nil {
		err = p.readJournal()
	}
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return p, nil
}

// claim locks an existing partial file. If other users can open the file, one of them may hold the
// lock: it does not prove that a download of this program is running.
func (p *partial) claim() error {
	mine, err := filelock.Lock(p.file, false)
	switch {
	case !mine && !isPrivate(p.file):
		return errors.Join(errForeign, err)
	case !mine:
		return errors.Join(ErrBusy, err)
	case p.replaced(): // its download has just ended
		return ErrBusy
	}
	return nil
}

// readJournal reads the journal of an existing partial file. If a download was killed before it
// renamed the next journal, that one is used, as a damaged journal. A partial file without any
// journal belongs to this program if it is empty and private. Otherwise the error is errForeign.
func (p *partial) readJournal() error {
	j, err := openJournal(journalName(p.path()))
	next, noNext := openJournal(nextJournal(p.path()))
	switch {
	case err == nil:
		p.journal = j
		if noNext == nil {
			next.remove()
		}
	case !errors.Is(err, fs.ErrNotExist):
		return errForeign
	case noNext == nil:
		next.record = record{}
		p.journal = next
	case !isBare(p.file):
		return errForeign
	}
	return nil
}

// path returns the name of the partial file itself.
func (p *partial) path() string { return p.file.Name() }

func (p *partial) readable() bool { return true }

// replaced reports whether the partial file no longer has its name.
func (p *partial) replaced() bool {
	mine, err := p.file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(p.path())
	return err != nil || !os.SameFile(mine, there)
}

// sync waits until all written bytes are on the disk. The system reports lost data only once, and
// success after that, so that sync keeps the first error.
func (p *partial) sync() error {
	if p.lost == nil {
		p.lost = p.file.Sync()
	}
	return p.lost
}

// discard removes the partial file and its journal.
func (p *partial) discard() { p.remove() }

// remove is discard with an error if the partial file still exists. The journal is removed last:
// after a kill, the next download still recognizes the partial file.
func (p *partial) remove() error {
	if p.replaced() {
		p.file.Close()
		return nil
	}
	release, held := filelock.Hold(p.file)
	p.file.Close()
	err := os.Remove(p.path())
	if held {
		defer release()
	}
	return errors.Join(err, p.journal.remove())
}

// leave closes the partial file, if there is one, and keeps it and its journal.
func (p *partial) leave() {
	if p != nil {
		p.file.Close()
	}
}

// beginJournal creates the journal, unless there is one, with the URL and the validator of res. A
// write error is ignored: the partial file is then neither recognized nor resumed.
func (p *partial) beginJournal(u *url.URL, res *fetchers.Resource) {
	if p.journal != nil || p.unclear {
		return
	}
	if j, err := newJournal(p.path(), u, res); err == nil {
		p.journal = j
	}
}

// mark creates a journal that only marks the partial file as created by this program: after a kill,
// the next download replaces the file. A write error is ignored.
func (p *partial) mark() {
	if p.journal != nil || p.unclear {
		return
	}
	j := &journal{name: journalName(p.path())}
	if j.note(nil) == nil {
		p.journal = j
	}
}

// record writes the spans that have returns to the journal, at each tick until stop is called, and
// then once more unless the file is whole. The journal never lists a span that is not on the disk.
func (p *partial) record(tick <-chan time.Time, have func() []span) (stop func(whole bool)) {
	note := func() {
		spans := have()
		if p.sync() == nil {
			p.journal.note(spans)
		}
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-tick:
				note()
			case <-ended:
				return
			}
		}
	})
	return func(whole bool) {
		close(ended)
		wg.Wait()
		if !whole {
			note()
		}
	}
}
