package download

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
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
	// ErrBusy says that another download writes the part of a file.
	ErrBusy = errors.New("another download is writing it")

	// errForeign says that a file has the name of a part and was not made by this program.
	errForeign = errors.New("the file exists and is not a partial file of this program")

	// errNameless says that there is no name for a file.
	errNameless = errors.New("the file to be written has no name")

	// errPlanted says that a link, pipe or device is not to be written through.
	errPlanted = errors.New("another user made it in a world-writable directory; not following it")

	// errTaken says that somebody else's file has the name of the part by now.
	errTaken = errors.New("it was replaced while it was written")
)

// beginFor begins the part of a file, as that of NAME or else of NAME.1, NAME.2 and so on.
// If it is to go beside others, the part that another download writes is passed over too.
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

// begin makes an empty NAME.part and locks it. One that is there already is removed
// if it is an interrupted download's that replaces says yes to.
func begin(name string, replaces func(*record) bool) (*partial, error) {
	if name == "" {
		return nil, errNameless
	}
	part := partName(name)
	for {
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, partMode)
		switch {
		case err == nil:
			if p, err := own(f, name); !errors.Is(err, errTaken) {
				return p, err
			}
			continue
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
		p, err := reopen(name)
		switch {
		case err == nil && p.journal != nil && !replaces(&p.journal.record):
			p.leave()
			return nil, errForeign
		case err == nil:
			if err := p.remove(); err != nil {
				return nil, err
			}
		case !errors.Is(err, fs.ErrNotExist): // or it has got its name meanwhile
			return nil, err
		}
	}
}

// own locks f, a new NAME.part, and removes the journal of an earlier NAME.part. The error is
// errTaken if another download removed or used f before it was locked, and errForeign if a
// file that is no journal has the name of one.
func own(f *os.File, name string) (*partial, error) {
	if _, err := lock(f, true); err != nil {
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

// reopen opens and locks what an interrupted download of ours left: NAME.part with a
// journal beside it. A part that has only the next journal is returned with that one, as
// damaged. One that has none is ours if it is empty and private; its journal is nil. A part
// that others can write is unclear. The error is fs.ErrNotExist if there is no part, ErrBusy
// if its download still goes on, and errForeign if it is not ours. A lock on a part that
// others can open does not count.
func reopen(name string) (*partial, error) {
	f, err := openMine(partName(name))
	if err != nil {
		return nil, err
	}
	refuse := func(err error) (*partial, error) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	p := &partial{handle: handle{f}, final: name, unclear: !isOwn(f)}
	if mine, err := lock(f, false); !mine {
		if !isPrivate(f) { // others can open it, and so can hold a lock on it
			return refuse(errors.Join(errForeign, err))
		}
		return refuse(errors.Join(ErrBusy, err))
	}
	if p.replaced() { // by its download, which is just done
		return refuse(ErrBusy)
	}
	p.journal, err = openJournal(journalName(f.Name()))
	next, noNext := openJournal(nextJournal(f.Name())) // its download was killed before that replaced the other
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return refuse(errForeign)
	case noNext == nil:
		p.journal, next.record = next, record{}
		return p, nil
	case isBare(f):
	default:
		return refuse(errForeign)
	}
	if noNext == nil {
		next.remove()
	}
	return p, nil
}

// sync waits until what was written is on the disk. If something is not, the system says so
// once, and of what comes later that it is there: so a part of which something is lost stays
// one.
func (p *partial) sync() error {
	if p.lost == nil {
		p.lost = p.file.Sync()
	}
	return p.lost
}

// replaced reports whether another file, or none, has the name of p by now.
func (p *partial) replaced() bool {
	mine, err := p.file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(p.path())
	return err != nil || !os.SameFile(mine, there)
}

// discard removes the partial file and its journal.
func (p *partial) discard() { p.remove() }

// remove is discard, and returns why the partial file is still there. Its journal goes last, so that
// the part is known as ours if the program is killed meanwhile.
func (p *partial) remove() error {
	if p.replaced() {
		p.file.Close()
		return nil
	}
	release, held := hold(p.file)
	p.file.Close()
	err := os.Remove(p.path())
	if held {
		defer release()
	}
	return errors.Join(err, p.journal.remove())
}

// path returns the name of the partial file itself.
func (p *partial) path() string { return p.file.Name() }

func (p *partial) readable() bool { return true }

// leave closes the partial file, if there is one, and keeps it and its journal.
func (p *partial) leave() {
	if p != nil {
		p.file.Close()
	}
}

// begin begins the journal of a part that is to be filled with res, unless there is
// one or none is worth it. That it cannot be written is no failure: then the part
// is not known as ours, and cannot be taken up.
func (p *partial) begin(u *url.URL, res *fetchers.Resource) {
	if p.journal != nil || p.unclear {
		return
	}
	if j, err := newJournal(p.path(), u, res); err == nil {
		p.journal = j
	}
}

// record keeps the journal of a part up to date with what have says, at each tick, until
// stop is called: a last time if what was begun is not whole. It never says more than what
// is on the disk.
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
