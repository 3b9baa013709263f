package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// resolve returns the name of the file that is to be replaced: where a symbolic
// link leads, be it to nothing yet. What is special is written to rather than replaced.
func resolve(name string) (_ string, special bool, err error) {
	info, err := os.Lstat(name)
	if err != nil { // none there, or the one to be created says why not
		return name, false, nil
	}
	link := info.Mode()&fs.ModeSymlink != 0
	if !info.Mode().IsRegular() && !info.IsDir() && isPlanted(name, info) {
		return "", false, &fs.PathError{Op: "create", Path: name, Err: errPlanted}
	}
	if link {
		info, err = os.Stat(name)
	}
	switch {
	case err != nil && !(link && errors.Is(err, fs.ErrNotExist)):
		return "", false, err
	case err != nil, link && info.Mode().IsRegular():
		return follow(name)
	case info.IsDir():
		return "", false, &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory")}
	}
	return name, !info.Mode().IsRegular(), nil
}

// follow is resolve for a link at whose end there is a file or nothing. The target of the
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
