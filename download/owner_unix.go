//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// partMode is the mode of a part while it is written. Nobody else can open it, and so
// nobody else can keep it open, or locked.
const partMode = 0o600

// openOwn opens a file of ours, to read and to write it. The error is fs.ErrNotExist if
// there is none, and errForeign for a file that others may have made or may write to: a
// link, a file of another user, one with a second name, or one that its group or others
// can write. A pipe is not waited for.
func openOwn(name string) (*os.File, error) {
	refuse := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	fd, err := -1, error(syscall.EINTR)
	for err == syscall.EINTR {
		fd, err = syscall.Open(name, syscall.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	}
	switch err {
	case nil:
	case syscall.ENOENT, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
		return refuse(err)
	default:
		return refuse(errors.Join(errForeign, err))
	}
	syscall.SetNonblock(fd, false)
	f := os.NewFile(uintptr(fd), name)
	if !isOwn(f) {
		f.Close()
		return refuse(errForeign)
	}
	return f, nil
}

// isOwn reports whether an open file is a regular one of our effective user, with one
// name, and nobody else can write it.
func isOwn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && isMine(info) && stat.Nlink == 1 && info.Mode().Perm()&0o022 == 0
}

// isMine reports whether a file belongs to our effective user.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}

// isPlanted reports whether a file, which is a link, pipe or device, is in a directory where
// everybody can make files, and belongs neither to us nor to the owner of the directory. It
// is the rule of Linux for links and pipes there (fs.protected_symlinks), which is not
// always in force and does not know that a link was read to replace what it leads to.
func isPlanted(name string, info fs.FileInfo) bool {
	dir, err := os.Stat(filepath.Dir(name))
	if err != nil || dir.Mode()&fs.ModeSticky == 0 || dir.Mode().Perm()&0o002 == 0 || isMine(info) {
		return false
	}
	owner, ok1 := info.Sys().(*syscall.Stat_t)
	of, ok2 := dir.Sys().(*syscall.Stat_t)
	return !ok1 || !ok2 || owner.Uid != of.Uid
}

// permissions returns the permissions that a part gets with its final name. They are those
// of the file that it replaces, as far as others could not write that if it was somebody
// else's, or those that the system gives a new file in this directory, unless it is private.
func (p *Part) permissions(replaces bool) (fs.FileMode, bool) {
	if replaces {
		if info, err := os.Lstat(p.name); err == nil && info.Mode().IsRegular() {
			mode := info.Mode().Perm()
			if !isMine(info) {
				mode &^= 0o022
			}
			return mode, true
		}
	}
	if p.private {
		return partMode, true
	}
	if mode, known := newMode(filepath.Dir(p.Name())); known {
		return mode, true
	}
	probe, err := os.OpenFile(nextJournal(p.Name()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, false
	}
	defer os.Remove(probe.Name())
	defer probe.Close()
	info, err := probe.Stat()
	if err != nil {
		return 0, false
	}
	return info.Mode().Perm(), true
}
