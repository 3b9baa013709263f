package download

import (
	"errors"
	"io/fs"
	"os"
)

// OpenInPlace opens the file called name for writing, without a partial file, and truncates it. If
// it does not exist, OpenInPlace creates it, with access for its owner only. It also opens a pipe
// or device, and waits for the reader of a pipe. In a world-writable directory it refuses a file or
// link of another user, who could read the content or redirect it to another file of the user.
// There it also refuses a file with a second name.
func OpenInPlace(name string) (*os.File, error) {
	f, err := openInPlace(name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// openInPlace is OpenInPlace without truncation. The flags are those of os.OpenFile.
func openInPlace(name string, flags int) (*os.File, error) {
	name, special, err := resolve(name)
	if err != nil {
		return nil, err
	}
	if special {
		return openSame(name, flags)
	}
	f, err := os.OpenFile(name, flags|noFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(name, flags|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) { // another process created it in the meantime
			f, err = os.OpenFile(name, flags|noFollow, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && isOfAnother(name, info) {
		err = &fs.PathError{Op: "open", Path: name, Err: errPlanted}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openSame opens a pipe or device, and refuses a regular file that has replaced it.
func openSame(name string, flags int) (*os.File, error) {
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: name, Err: errPlanted})
	}
	return f, nil
}
