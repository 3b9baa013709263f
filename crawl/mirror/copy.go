package mirror

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
)

// A Copy is the directory of a Mirror, for a program that shows it. It is an [fs.FS] of the files
// that can be part of the mirror: regular files and directories whose names are those of
// [download.SafeName]. The file of the Frontier, partial files with their journals, names with a
// dot in front and symbolic links are not there. A run of the Mirror may go on meanwhile. Its
// methods may be called by several goroutines.
type Copy struct {
	root  *os.Root
	seed  maphash.Seed
	types map[uint64]string // media types by the hash of the path
}

// OpenCopy opens the copy in a directory, and reads the media types that earlier runs have noted.
// Of each file it holds a hash. The error is ErrDamaged, or fs.ErrNotExist for a directory that no
// Mirror has written. The caller closes the Copy.
func OpenCopy(dir string) (*Copy, error) {
	if _, err := os.Stat(filepath.Join(dir, stateName)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: it is no copy of a mirror: %w", dir, err)
		}
		return nil, err
	}
	c := &Copy{seed: maphash.MakeSeed(), types: make(map[uint64]string)}
	if err := c.load(dir); err != nil {
		return nil, err
	}
	var err error
	c.root, err = os.OpenRoot(dir)
	return c, err
}

// load reads the media types from a copy of the Frontier, which a run may have locked.
func (c *Copy) load(dir string) (err error) {
	r := &run{Mirror: &Mirror{Dir: dir}}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.openCopy(); err != nil {
		return err
	}
	texts := make(map[string]string) // each media type once in memory
	for e, err := range r.frontier.All() {
		if err != nil {
			return err
		}
		n := readNote(e.Note)
		if n.Path == "" || n.Type == "" || n.Gone {
			continue
		}
		text, known := texts[n.Type]
		if !known && len(texts) < 1000 { // a server may have any number of them
			texts[n.Type], text = n.Type, n.Type
		}
		if text != "" {
			c.types[c.hash(n.Path)] = text
		}
	}
	return nil
}

func (c *Copy) hash(name string) uint64 { return maphash.String(c.seed, name) }

// MediaType returns the media type that the server has declared for a file, or "" if none is
// noted, as for a file that came after OpenCopy.
func (c *Copy) MediaType(name string) string { return c.types[c.hash(name)] }

// Close closes the directory. Files that are open stay so.
func (c *Copy) Close() error { return c.root.Close() }

// Open opens a file or a directory, as [fs.FS] says. Files are io.ReadSeekers.
func (c *Copy) Open(name string) (fs.File, error) {
	info, err := c.find(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := c.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) { // another file has taken its place
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if info.IsDir() {
		return folder{f}, nil
	}
	return f, nil
}

// find returns the file at a path, without following a symbolic link.
func (c *Copy) find(name string) (info fs.FileInfo, err error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if name == "." {
		return c.root.Lstat(".")
	}
	at := ""
	for element := range strings.SplitSeq(name, "/") {
		if !ofMirror(element) || info != nil && !info.IsDir() {
			return nil, fs.ErrNotExist
		}
		at = path.Join(at, element)
		if info, err = c.root.Lstat(filepath.FromSlash(at)); err != nil {
			return nil, fs.ErrNotExist
		}
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	return info, nil
}

// ofMirror reports whether a mirror can have given a name to a file.
func ofMirror(name string) bool { return name == download.SafeName(name) }

// A folder is an open directory of a Copy.
type folder struct{ fs.ReadDirFile }

// ReadDir returns the entries that are part of the copy, as [fs.ReadDirFile] says.
func (d folder) ReadDir(n int) (list []fs.DirEntry, err error) {
	for {
		all, err := d.ReadDirFile.ReadDir(n)
		for _, e := range all {
			if ofMirror(e.Name()) && (e.IsDir() || e.Type().IsRegular()) {
				list = append(list, e)
			}
		}
		switch {
		case n <= 0 || err != nil && err != io.EOF || len(list) > 0:
			if err == io.EOF && len(list) > 0 {
				err = nil
			}
			return list, err
		case err == io.EOF:
			return nil, io.EOF
		}
	}
}
