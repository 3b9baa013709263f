package download

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
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

// commit gives the file its final name, in place of a file that has it, or beside that.
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

// finish closes the file, and calls name, which gives it its name. Some file systems report
// only then that what was written is lost. A file that took long enough for its journal to
// speak of it is on the disk when it gets its name; for others that would cost more than
// fetching them again. Until the file has its name it is locked and has its journal, so that
// nobody takes it over meanwhile, and it is known as ours if the program is killed. Where an
// open file cannot be renamed, the journal goes first. Permissions and times that the file
// system does not keep are no failure.
func (p *partial) finish(how finish, name func() error) error {
	if p.replaced() {
		p.file.Close()
		return &fs.PathError{Op: "commit", Path: p.path(), Err: errTaken}
	}
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
	if release, held := hold(p.file); held {
		defer release()
	} else {
		err = errors.Join(err, p.journal.remove())
	}
	err = errors.Join(err, p.file.Close())
	if err == nil {
		err = name()
	}
	if err != nil {
		os.Remove(p.path())
	}
	p.journal.remove()
	return err
}

// appear gives the file the first of its names that is free.
func (p *partial) appear() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.final, n)
		err := renameNew(p.path(), name) // so that the file never has two names, as if others had given it one
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

// renameBeside is for file systems without links. Each name is claimed with an
// empty file first, which the rename then replaces.
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

// taken reports whether there is a file with the nth of the names that p may get.
func (p *partial) taken(n int) bool { return isThere(numbered(p.final, n)) }
