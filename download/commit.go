package download

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// finish closes the file, and calls move, which gives it its name. Some file systems report
// only then that what was written is lost. A file that took long enough for its journal to
// speak of it is on the disk when it gets its name; for others that would cost more than
// fetching them again. Until the file has its name it is locked and has its journal, so that
// nobody takes it over meanwhile, and it is known as ours if the program is killed. Where an
// open file cannot be renamed, the journal goes first. Permissions and times that the file
// system does not keep are no failure.
func (p *Part) finish(replaces bool, move func() error) error {
	if p.name == "" {
		return p.Close()
	}
	if p.replaced() {
		p.Close()
		return &fs.PathError{Op: "commit", Path: p.Name(), Err: errTaken}
	}
	err := p.lost
	if err == nil && p.journal != nil && len(p.journal.Have) > 0 {
		err = p.sync()
	}
	if !p.modified.IsZero() {
		os.Chtimes(p.Name(), time.Time{}, p.modified)
	}
	if mode, known := p.permissions(replaces); known {
		p.Chmod(mode)
	}
	if release, held := hold(p.File); held {
		defer release()
	} else {
		err = errors.Join(err, p.journal.remove())
	}
	err = errors.Join(err, p.Close())
	if err == nil {
		err = move()
	}
	if err != nil {
		os.Remove(p.Name())
	}
	p.journal.remove()
	return err
}

// appear gives the file the first of its names that is free.
func (p *Part) appear() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.name, n)
		err := renameNew(p.Name(), name) // so that the file never has two names, as if others had given it one
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if err = os.Link(p.Name(), name); err == nil { // unlike Rename, it never replaces a file
				os.Remove(p.Name())
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
func (p *Part) renameBeside() (string, error) {
	for n := 0; ; n = next(n, p.taken) {
		name := numbered(p.name, n)
		claim, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			claim.Close()
			if err := os.Rename(p.Name(), name); err != nil {
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
func (p *Part) taken(n int) bool { return isThere(numbered(p.name, n)) }

// commit gives the part its name, and returns it.
func (to Target) commit(ctx context.Context, part *Part) (string, error) {
	switch {
	case part.unnamed:
		return to.appear(ctx, part)
	case to.Beside:
		return part.CommitBeside()
	}
	return to.Name, part.Commit()
}

// appear gives an unnamed part its name. If somebody has that, or nobody can, it is
// for a part with a name to find out.
func (to Target) appear(ctx context.Context, part *Part) (string, error) {
	defer part.Close()
	if linkUnnamed(part.File, to.Name) == nil {
		return to.Name, nil
	}
	named, err := to.createNamed(ctx)
	if err != nil {
		return "", err
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		named.Discard()
		return "", err
	}
	if _, err := io.Copy(named, part); err != nil {
		named.Discard()
		return "", err
	}
	return to.commit(ctx, named)
}
