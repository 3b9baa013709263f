package download

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// commit makes the output the file.
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
		name = a.name // which may be that of a link
	}
	a.saved.Name = name
	return nil
}

// commit gives the partial file its final name, in place of a file that has it, or beside that.
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

// finish closes the partial file, and calls rename, which gives it its name. Until then it is
// locked and has its journal: no other download takes it over, and if the program is killed,
// it is known as ours. Where an open file cannot be renamed, the journal goes first.
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
	err = errors.Join(err, p.file.Close()) // some file systems report only then that something is lost
	if err == nil {
		err = rename()
	}
	if err != nil {
		os.Remove(p.path())
	}
	p.journal.remove()
	return err
}

// settle prepares the file for its name. If it took long enough for its journal to name a
// span, its content is on the disk first; for others that would cost more than to fetch them
// again. It is no failure if the file system does not keep permissions and times.
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

// appear gives the file the first of its names that is free.
func (p *partial) appear() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.final, n)
		err := renameNew(p.path(), name) // so that the file never has two names, as if another user had linked it
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if err = os.Link(p.path(), name); err == nil { // unlike Rename, it never replaces a file
				os.Remove(p.path())
				return name, nil
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return p.renameBeside()
		}
	}
}

// renameBeside is appear for file systems without links. It claims each name with an empty
// file first, which the rename then replaces.
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

// taken reports whether a file has the nth of the names that the file may get.
func (p *partial) taken(n int) bool { return isThere(numbered(p.final, n)) }
