//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package download

import (
	"errors"
	"io/fs"
	"os"
)

// partMode is the mode of a partial file while it is written.
const partMode = 0o666

// noFollow is no flag here.
const noFollow = 0

// openOwn is openMine.
func openOwn(name string) (*os.File, error) { return openMine(name) }

// openMine opens a regular file, to read and to write it. The error is fs.ErrNotExist if
// there is none, and errForeign for anything else that has the name. The owner of a file does
// not matter: the system says which users may write to a directory.
func openMine(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errForeign}
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(errForeign, err)}
	}
	return f, err
}

// isOwn reports true: see openMine.
func isOwn(*os.File) bool { return true }

// isPrivate reports true: a mode tells nothing here.
func isPrivate(*os.File) bool { return true }

// isBare reports false: any user may have made an empty file here.
func isBare(*os.File) bool { return false }

// isPlanted reports false: see openMine.
func isPlanted(string, fs.FileInfo) bool { return false }

// isOfAnother reports false: see openMine.
func isOfAnother(string, fs.FileInfo) bool { return false }

// permissions returns nothing, as a partial file has the permissions of a new file from its
// beginning.
func (p *partial) permissions(finish) (fs.FileMode, bool) { return 0, false }
