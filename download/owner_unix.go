//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// partMode is the mode of a partial file while it is written. No other user can open it, and
// so none can keep it open, or locked.
const partMode = 0o600

// noFollow has os.OpenFile refuse a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// openOwn is openMine, but the error is errForeign too if the group or others can write the
// file, or if we cannot.
func openOwn(name string) (*os.File, error) {
	f, err := openMine(name)
	if err == nil && !isOwn(f) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errForeign}
	}
	return f, err
}

// openMine opens a file of ours, to read it, and to write it if its mode allows that. The
// error is fs.ErrNotExist if there is none, and errForeign if another user may have made the
// file: it is a link, belongs to another user, or has a second name. openMine does not wait
// for the writer of a pipe.
func openMine(name string) (*os.File, error) {
	refuse := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	fd, err, how := -1, error(syscall.EINTR), syscall.O_RDWR
	for err == syscall.EINTR {
		fd, err = syscall.Open(name, how|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err == syscall.EACCES && how == syscall.O_RDWR { // it may have the mode of a file that it was to replace
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

// modeOfMine returns the permissions of an open file, if it is a regular one of our
// effective user with one name.
func modeOfMine(f *os.File) (mode fs.FileMode, mine bool) {
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm(), ok && info.Mode().IsRegular() && isMine(info) && stat.Nlink == 1
}

// isOwn reports whether an open file is ours, and no other user can write it.
func isOwn(f *os.File) bool {
	mode, mine := modeOfMine(f)
	return mine && mode&0o622 == 0o600
}

// isPrivate reports whether an open file is ours, and has the mode that partial files and
// journals have while they are written.
func isPrivate(f *os.File) bool {
	mode, mine := modeOfMine(f)
	return mine && mode == partMode
}

// isBare reports whether a download may have left an open file that was killed before it wrote
// anything: it is empty and private.
func isBare(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Size() == 0 && isPrivate(f)
}

// isMine reports whether a file belongs to our effective user.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}

// isPlanted reports whether a file, which is a link, pipe or device, is in a directory where
// every user can make files, and belongs neither to us nor to the owner of the directory. It
// is the rule of Linux for links and pipes there (fs.protected_symlinks). That is not always
// in force, and does not cover a link that is read in order to replace the file that it leads
// to.
func isPlanted(name string, info fs.FileInfo) bool {
	dir, shared := sharedDir(name)
	if !shared || isMine(info) {
		return false
	}
	owner, ok1 := info.Sys().(*syscall.Stat_t)
	of, ok2 := dir.Sys().(*syscall.Stat_t)
	return !ok1 || !ok2 || owner.Uid != of.Uid
}

// isOfAnother is isPlanted for an open file, and reports true too if that has a second name
// in such a directory, which any user can give it.
func isOfAnother(name string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if _, shared := sharedDir(name); shared && info.Mode().IsRegular() && (!ok || stat.Nlink > 1) {
		return true
	}
	return isPlanted(name, info)
}

// sharedDir returns the directory of a file, and whether every user can make files in it but
// remove only their own.
func sharedDir(name string) (fs.FileInfo, bool) {
	dir, err := os.Stat(filepath.Dir(name))
	return dir, err == nil && dir.Mode()&fs.ModeSticky != 0 && dir.Mode().Perm()&0o002 != 0
}

// permissions returns the permissions that a partial file gets with its final name. They are
// those of the file that it replaces, if that is ours: the file of another user does not
// decide who can read the new one. Otherwise they are those that the system gives a new file
// in this directory, unless the file is to be private.
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
