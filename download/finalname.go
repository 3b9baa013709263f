package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A spot describes the file, link, directory or other object that already has the name of a file to
// be written.
type spot struct {
	mode    fs.FileMode // of the object itself
	planted bool        // another user made it in a shared directory
	end     fs.FileMode // of the target of a link, or else mode
	lost    error       // the error of following a link; fs.ErrNotExist if the target does not exist yet
}

// A treatment is the way to write a file at a spot.
type treatment int

const (
	replaced  treatment = iota // the new file replaces the object
	followed                   // the target of the link is written
	writtenTo                  // the content is written to the pipe or device
)

// treatment decides how to write a file at a spot. It does not access the file system.
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

// resolve returns the name of the file that a download to name replaces: the target of a symbolic
// link, whether it exists or not. If the target is a pipe or device, special is true.
func resolve(name string) (_ string, special bool, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return name, false, nil // the file does not exist, or creating it will return the error
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

// look returns the spot at a name with the given info.
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

// follow is resolve for a link to a file or to a name that does not exist yet. The target is
// appended to the directory of the link unchanged: "x/.." cannot be shortened if x is a link too.
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

// FinalName returns the absolute name of the file that a download to name creates or replaces. It
// follows links, also in the directories of name. The file need not exist.
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
