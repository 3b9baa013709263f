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

// A partial is a partial file: NAME.part, beside the final NAME, with its journal
// NAME.part.json if it is worth one. It is locked while it is open, so that no other download
// writes to it.
type partial struct {
	handle
	final   string   // the name that the file is to get; unlike Target.Name, never that of a link
	journal *journal // nil if it has none
	unclear bool     // the file system reports another owner or mode; the partial file gets no journal, and is not resumed
	lost    error    // why something that was written is not on the disk
}

var (
	// ErrBusy says that another download writes the partial file. It is of class
	// fetchers.ErrBusy, and no fetchers.ErrTemporary.
	ErrBusy = fmt.Errorf("%w: another download is writing it", fetchers.ErrBusy)

	// errForeign says that a file has the name of a partial file and was not made by this
	// program.
	errForeign = errors.New("the file exists and is not a partial file of this program")

	// errNameless says that there is no name for a file.
	errNameless = errors.New("the file to be written has no name")

	// errPlanted says that a link, pipe or device is not to be written through.
	errPlanted = errors.New("another user made it in a world-writable directory; not following it")

	// errTaken says that another file has the name of the partial file by now.
	errTaken = errors.New("it was replaced while it was written")
)

// beginFor begins the partial file of a file: that of NAME, or else that of NAME.1, NAME.2
// and so on. If the file goes beside others, it passes over a partial file that another
// download writes, too.
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

// begin makes an empty NAME.part and locks it. The partial file of an interrupted download is
// removed first, if replaces says so of its journal.
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
// errTaken if another download removed or used f before it was locked, and errForeign if a
// file that is no journal has the name of one.
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

// removeLeftover removes NAME.part if an interrupted download left it and replaces says so of
// its journal. The error is errForeign if it stays.
func removeLeftover(name string, replaces func(*record) bool) error {
	p, err := reopen(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it has got its name meanwhile
	case err != nil:
		return err
	case p.journal != nil && !replaces(&p.journal.record):
		p.leave()
		return errForeign
	}
	return p.remove()
}

// reopen opens and locks the partial file that an interrupted download of this program left.
// If others can write it, it is unclear. The error is fs.ErrNotExist if there is none, ErrBusy
// if its download still goes on, and errForeign if this program did not make it.
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

// claim locks a partial file that was there before. A lock that others hold on a file that
// they can open does not say that a download of ours goes on.
func (p *partial) claim() error {
	mine, err := filelock.Lock(p.file, false)
	switch {
	case !mine && !isPrivate(p.file):
		return errors.Join(errForeign, err)
	case !mine:
		return errors.Join(ErrBusy, err)
	case p.replaced(): // its download is just done
		return ErrBusy
	}
	return nil
}

// readJournal reads the journal of a partial file that was there before. If its download was
// killed before the next journal became the journal, that one counts, as damaged. Without
// both, the partial file is ours if it is empty and private, and has no journal. Otherwise
// the error is errForeign.
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

// replaced reports whether another file, or none, has the name of the partial file by now.
func (p *partial) replaced() bool {
	mine, err := p.file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(p.path())
	return err != nil || !os.SameFile(mine, there)
}

// sync waits until all that was written is on the disk. The system reports only once that
// something is lost, and later that all is well: so once lost, a partial file stays lost.
func (p *partial) sync() error {
	if p.lost == nil {
		p.lost = p.file.Sync()
	}
	return p.lost
}

// discard removes the partial file and its journal.
func (p *partial) discard() { p.remove() }

// remove is discard, and returns why the partial file is still there. Its journal goes last:
// if the program is killed meanwhile, the partial file is still known as ours.
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

// beginJournal begins the journal, unless there is one, with the URL and the state of res. It
// is no failure if that cannot be written: the partial file is then not known as ours, and is
// not resumed.
func (p *partial) beginJournal(u *url.URL, res *fetchers.Resource) {
	if p.journal != nil || p.unclear {
		return
	}
	if j, err := newJournal(p.path(), u, res); err == nil {
		p.journal = j
	}
}

// mark begins a journal that says no more than that the partial file is ours: if the program is
// killed, the next download replaces the file. It is no failure if that cannot be written.
func (p *partial) mark() {
	if p.journal != nil || p.unclear {
		return
	}
	j := &journal{name: journalName(p.path())}
	if j.note(nil) == nil {
		p.journal = j
	}
}

// record writes the spans that have returns to the journal, at each tick until stop is
// called, and then once more unless the file is whole. The journal never names a span that is
// not on the disk.
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
