package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A spot is the thing that stands at the name of a file that is to be written.
type spot struct {
	mode    fs.FileMode // of the thing itself
	planted bool        // another user made it in a directory that all users share
	end     fs.FileMode // of the file that a link leads to, or else mode
	lost    error       // why it is not known where a link leads; fs.ErrNotExist if that is not there yet
}

// A treatment is how a spot is written.
type treatment int

const (
	replaced  treatment = iota // by the new file
	followed                   // the file that the link leads to is written
	writtenTo                  // a pipe or device takes the content
)

// treatment decides how a spot is written. It looks at no file.
func (s spot) treatment() (treatment, error) {
	link := s.mode&fs.ModeSymlink != 0
	switch {
	case s.planted && !s.mode.IsRegular() && !s.mode.IsDir():
		return 0, errPlanted
	case s.lost != nil && !errors.Is(s.lost, fs.ErrNotExist):
		return 0, s.lost
	case s.lost != nil, link && s.end.IsRegular():
		return followed, nil
	case s.end.IsDir():
		return 0, errDirectory
	case s.end.IsRegular():
		return replaced, nil
	}
	return writtenTo, nil
}

var errDirectory = errors.New("is a directory")

// resolve returns the name of the file that a download to name replaces: the one that a
// symbolic link leads to, be it there or not. If that is a pipe or device, it is written to.
func resolve(name string) (_ string, special bool, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return name, false, nil // it is not there, or the attempt to make it says why not
	}
	how, err := look(name, info).treatment()
	switch {
	case errors.Is(err, errPlanted), errors.Is(err, errDirectory):
		return "", false, &fs.PathError{Op: "create", Path: name, Err: err}
	case err != nil:
		return "", false, err
	case how == followed:
		return follow(name)
	}
	return name, how == writtenTo, nil
}

// look returns the spot at a name that has the given info.
func look(name string, info fs.FileInfo) spot {
	s := spot{mode: info.Mode(), end: info.Mode()}
	if info.Mode().IsRegular() || info.IsDir() {
		return s
	}
	s.planted = isPlanted(name, info)
	if s.mode&fs.ModeSymlink != 0 {
		if info, s.lost = os.Stat(name); s.lost == nil {
			s.end = info.Mode()
		}
	}
	return s
}

// follow is resolve for a link that leads to a file, or to nothing yet. The target of the
// link is put behind its directory as it is, since "x/.." is another place if x is a link
// too.
func follow(link string) (_ string, special bool, err error) {
	to, err := os.Readlink(link)
	if err != nil {
		return "", false, err
	}
	if !filepath.IsAbs(to) {
		dir, _ := filepath.Split(link)
		to = dir + to
	}
	return resolve(to)
}

// FinalName returns the absolute name of the file that a download to name makes or
// replaces: links are followed, in its place and on the way there. The file need not be
// there.
func FinalName(name string) string {
	if to, _, err := resolve(name); err == nil {
		name = to
	}
	dir, base := filepath.Split(name)
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, base)
}
