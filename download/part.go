// Package download puts what was fetched on disk, in such a way that a file
// under its final name is always whole.
package download

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// A Part is a file that is being written: NAME.part, beside the final NAME.
// Write to it, then either Commit or Discard.
type Part struct {
	*os.File
	name string // empty for what is no regular file, and written to directly
}

// Create begins the file called name. A NAME.part that is already there belongs
// to somebody else, and is an error rather than overwritten. If name is a symbolic
// link, the file it leads to is begun. What is there and cannot be replaced, such
// as a device or a pipe, is opened and written to.
func Create(name string) (*Part, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil: // none there, or the one to be created says why not
	case info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &Part{File: f}, nil
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	return begin(name)
}

// begin opens NAME.part, unless there is one.
func begin(name string) (*Part, error) {
	f, err := os.OpenFile(name+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: another download writes it, or one was killed: remove it to start again", err)
	}
	if err != nil {
		return nil, err
	}
	return &Part{File: f, name: name}, nil
}

// CreateBeside is Create, but begins another NAME.part if somebody has that one.
// It goes with CommitBeside.
func CreateBeside(name string) (*Part, error) {
	for n := 0; ; n++ {
		p, err := begin(numbered(name, n))
		if err == nil {
			p.name = name
			return p, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// numbered returns NAME, NAME.1, NAME.2 and so on.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	return name + "." + strconv.Itoa(n)
}

// Commit gives the file its final name, in place of a file that has that name.
func (p *Part) Commit() error {
	if err := p.finish(); err != nil {
		return err
	}
	if p.name == "" {
		return nil
	}
	if err := os.Rename(p.Name(), p.name); err != nil {
		os.Remove(p.Name())
		return err
	}
	return nil
}

// CommitBeside is Commit, but spares a file that has the name: the new one is
// then called NAME.1, NAME.2 and so on. It returns the name.
func (p *Part) CommitBeside() (string, error) {
	if err := p.finish(); err != nil {
		return "", err
	}
	defer os.Remove(p.Name())
	for n := 0; ; n++ {
		name := numbered(p.name, n)
		err := os.Link(p.Name(), name) // unlike Rename, it never replaces a file
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return p.renameBeside()
		}
	}
}

// renameBeside is for file systems without links. Each name is claimed with an
// empty file first, which the rename then replaces.
func (p *Part) renameBeside() (string, error) {
	for n := 0; ; n++ {
		name := numbered(p.name, n)
		claim, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			claim.Close()
			return name, os.Rename(p.Name(), name)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// errTaken says that somebody else's file has the name of the part by now.
var errTaken = errors.New("it was replaced while it was written")

// finish closes the file. Some file systems report only then that what was
// written is lost.
func (p *Part) finish() error {
	mine, err := p.Stat()
	if cerr := p.Close(); err == nil {
		err = cerr
	}
	if p.name == "" {
		return err
	}
	if err != nil {
		os.Remove(p.Name())
		return err
	}
	if there, err := os.Lstat(p.Name()); err != nil || !os.SameFile(mine, there) {
		return &fs.PathError{Op: "commit", Path: p.Name(), Err: errTaken}
	}
	return nil
}

// Discard removes what was written.
func (p *Part) Discard() {
	p.Close()
	if p.name != "" {
		os.Remove(p.Name())
	}
}
