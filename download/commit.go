package download

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// commit turns the output into the file.
func (a *attempt) commit(ctx context.Context) error {
	how := finish{beside: a.to.Beside}
	if a.to.Times {
		how.modified = a.answer.Validator.ModTime
	}
	name, err := a.out.commit(ctx, how)
	if err != nil {
		return err
	}
	if !how.beside {
		name = a.name // which may be that of a symbolic link
	}
	a.saved.Name = name
	return nil
}

// commit renames the partial file to its final name, or to the next free one with beside.
func (p *partial) commit(_ context.Context, how finish) (name string, err error) {
	if !how.beside {
		return p.final, p.finish(how, func() error { return os.Rename(p.path(), p.final) })
	}
	err = p.finish(how, func() (err error) {
		name, err = p.appear()
		return err
	})
	return name, err
}

// finish closes the partial file and calls rename. Until then the file is locked and has its
// journal: no other download takes it over, and after a kill the next download recognizes it. On
// systems that cannot rename an open file, the journal is removed first.
func (p *partial) finish(how finish, rename func() error) error {
	if p.replaced() {
		p.file.Close()
		return &fs.PathError{Op: "commit", Path: p.path(), Err: errTaken}
	}
	err := p.settle(how)
	if release, held := filelock.Hold(p.file); held {
		defer release()
	} else {
		err = errors.Join(err, p.journal.remove())
	}
	err = errors.Join(err, p.file.Close()) // some file systems report lost data only on close
	if err == nil {
		err = rename()
	}
	if err != nil {
		os.Remove(p.path())
	}
	p.journal.remove()
	return err
}

// settle prepares the file for its final name. If the download took long enough for the journal to
// list a span, the content is synced to the disk first; for a shorter download that would cost more
// than another fetch. It is no failure if the file system does not support permissions and times.
func (p *partial) settle(how finish) error {
	err := p.lost
	if err == nil && p.journal != nil && len(p.journal.Have) > 0 {
		err = p.sync()
	}
	if !how.modified.IsZero() {
		os.Chtimes(p.path(), time.Time{}, how.modified)
	}
	if mode, known := p.permissions(how); known {
		p.file.Chmod(mode)
	}
	return err
}

// appear renames the partial file to the first free one of its final names.
func (p *partial) appear() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.final, n)
		err := renameNew(p.path(), name) // an atomic rename; a file with two names would look as if another user had linked it
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if err = os.Link(p.path(), name); err == nil { // Link, unlike Rename, never replaces a file
				os.Remove(p.path())
				return name, nil
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return p.renameBeside()
		}
	}
}

// renameBeside replaces appear on file systems without links. It reserves each name with an empty
// file, which the rename then replaces.
func (p *partial) renameBeside() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.final, n)
		claim, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			claim.Close()
			if err := os.Rename(p.path(), name); err != nil {
				os.Remove(name)
				return "", err
			}
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// taken reports whether a file has the nth candidate name.
func (p *partial) taken(n int) bool { return isThere(numbered(p.final, n)) }
