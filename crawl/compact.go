package crawl

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// compact rewrites the log with one state record for each URL, and replaces the old log. A symbolic
// link to the log is kept.
func (f *Frontier) compact(name string) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return err
	}
	file, err := f.log.successor(name + ".new")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if mine, err := filelock.Lock(file, false); !mine {
		return errors.Join(ErrInUse, err)
	}
	l := &log{file: file, key: f.log.key}
	if err := l.begin(); err != nil {
		return err
	}
	f.told = 0
	for id := range ID(f.index.size) {
		if err := f.copyTo(l, id); err != nil {
			return err
		}
	}
	if err := errors.Join(l.flush(), file.Sync(), os.Rename(file.Name(), name)); err != nil {
		return err
	}
	f.log.file.Close()
	f.log = l
	return nil
}

// successor creates the new log. It removes a file that an earlier process left when it was killed
// during compact. Any other file of that name stays, and is an error.
func (l *log) successor(name string) (*os.File, error) {
	if l.began(name) {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// began reports whether a file begins like the log, whose key is unique, or is a prefix of that
// beginning.
func (l *log) began(name string) bool {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, int64(headSize)))
	return err == nil && strings.HasPrefix(l.header(), string(head))
}

// copyTo adds the records of a URL to another log.
func (f *Frontier) copyTo(l *log, id ID) error {
	k := f.index.at(id)
	record, err := f.log.read(k.added, f.buf)
	if err != nil {
		return err
	}
	if k.added, err = l.add(record); err != nil || k.last == 0 {
		return err
	}
	if record, err = f.log.read(k.last, f.buf); err != nil {
		return err
	}
	s, ok := parseState(record)
	if !ok {
		return ErrDamaged
	}
	again := binary.AppendUvarint([]byte{stateRecord}, uint64(id))
	again = binary.AppendVarint(append(again, byte(*f.index.state(id))), s.time)
	f.told++
	k.last, err = l.add(append(again, s.note...))
	return err
}
