//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package download

import (
	"errors"
	"io/fs"
	"os"
)

// partMode is the mode of a partial file while it is written.
const partMode = 0o666

// noFollow is 0: the system has no such flag.
const noFollow = 0

// openOwn is the same as openMine on this system.
func openOwn(name string) (*os.File, error) { return openMine(name) }

// openMine opens a regular file for reading and writing. The error is fs.ErrNotExist if it does not
// exist, and errForeign if it is not a regular file. The owner does not matter: the system decides
// which users may write to a directory.
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

// isOwn is always true; see openMine.
func isOwn(*os.File) bool { return true }

// isPrivate is always true: file modes have no meaning on this system.
func isPrivate(*os.File) bool { return true }

// isBare is always false: any user may have created an empty file.
func isBare(*os.File) bool { return false }

// isPlanted is always false; see openMine.
func isPlanted(string, fs.FileInfo) bool { return false }

// isOfAnother is always false; see openMine.
func isOfAnother(string, fs.FileInfo) bool { return false }

// permissions returns false: a partial file has the permissions of a new file from the beginning.
func (p *partial) permissions(finish) (fs.FileMode, bool) { return 0, false }
