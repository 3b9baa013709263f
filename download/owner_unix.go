//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// partMode is the mode of a partial file while it is written. No other user can open it, and so
// none can keep it open or locked.
const partMode = 0o600

// noFollow makes os.OpenFile refuse a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// openOwn is openMine, but the error is errForeign also if the group or others can write the file,
// or if the process cannot.
func openOwn(name string) (*os.File, error) {
	f, err := openMine(name)
	if err == nil && !isOwn(f) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errForeign}
	}
	return f, err
}

// openMine opens a file of the current user for reading, and for writing if its mode allows that.
// The error is fs.ErrNotExist if it does not exist. The error is errForeign if another user may
// have created it: if it is a link, belongs to another user, or has a second name. openMine does
// not wait for the writer of a pipe.
func openMine(name string) (*os.File, error) {
	refuse := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	fd, err, how := -1, error(syscall.EINTR), syscall.O_RDWR
	for err == syscall.EINTR {
		fd, err = syscall.Open(name, how|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err == syscall.EACCES && how == syscall.O_RDWR { // it may already have the mode of the file that it was to replace
			err, how = syscall.EINTR, syscall.O_RDONLY
		}
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
	if _, mine := modeOfMine(f); !mine {
		f.Close()
		return refuse(errForeign)
	}
	return f, nil
}

// modeOfMine returns the permissions of an open file. mine is true if it is a regular file of the
// effective user with a single name.
func modeOfMine(f *os.File) (mode fs.FileMode, mine bool) {
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm(), ok && info.Mode().IsRegular() && isMine(info) && stat.Nlink == 1
}

// isOwn reports whether an open file belongs to the current user, and no other user can write it.
func isOwn(f *os.File) bool {
	mode, mine := modeOfMine(f)
	return mine && mode&0o622 == 0o600
}

// isPrivate reports whether an open file belongs to the current user and has the mode of a partial
// file or journal in use.
func isPrivate(f *os.File) bool {
	mode, mine := modeOfMine(f)
	return mine && mode == partMode
}

// isBare reports whether an open file is empty and private, as a download leaves it that was killed
// before its first write.
func isBare(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Size() == 0 && isPrivate(f)
}

// isMine reports whether a file belongs to the effective user.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}

// isPlanted reports whether a link, pipe or device is in a world-writable sticky directory and
// belongs neither to the effective user nor to the owner of the directory. Linux has the same rule
// (fs.protected_symlinks), but it is not always enabled, and does not cover reading a link in order
// to replace its target.
func isPlanted(name string, info fs.FileInfo) bool {
	dir, shared := sharedDir(name)
	if !shared || isMine(info) {
		return false
	}
	owner, ok1 := info.Sys().(*syscall.Stat_t)
	of, ok2 := dir.Sys().(*syscall.Stat_t)
	return !ok1 || !ok2 || owner.Uid != of.Uid
}

// isOfAnother is isPlanted for an open file. It is also true if a regular file in such a directory
// has a second name, which any user can create.
func isOfAnother(name string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if _, shared := sharedDir(name); shared && info.Mode().IsRegular() && (!ok || stat.Nlink > 1) {
		return true
	}
	return isPlanted(name, info)
}

// sharedDir returns the directory of a file, and whether it is world-writable and sticky.
func sharedDir(name string) (fs.FileInfo, bool) {
	dir, err := os.Stat(filepath.Dir(name))
	return dir, err == nil && dir.Mode()&fs.ModeSticky != 0 && dir.Mode().Perm()&0o002 != 0
}

// permissions returns the final permissions of a partial file: those of the file that it replaces,
// if this belongs to the current user. A file of another user has no influence on who can read the
// new one. Otherwise they are those of a new file in this directory, or private ones.
func (p *partial) permissions(how finish) (fs.FileMode, bool) {
	if !how.beside {
		if info, err := os.Lstat(p.final); err == nil && info.Mode().IsRegular() && isMine(info) {
			return info.Mode().Perm(), true
		}
	}
	if how.private {
		return partMode, true
	}
	if mode, known := newMode(filepath.Dir(p.path())); known {
		return mode, true
	}
	probe, err := createNext(p.path(), 0o666)
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
