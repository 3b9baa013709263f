package fetchers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// An FS is an io/fs view of a directory and everything below it, in any protocol with listings. It
// implements [fs.ReadDirFS], [fs.ReadFileFS] and [fs.StatFS]. It is safe for concurrent use.
//
// A name is a path whose elements are those of [Entry.File]. If URLs are hierarchical, each element
// of the path is one of the URL, and no request is made for the directories of a path: files that
// no directory lists can be opened, too. Otherwise, as in menus, an FS looks up each element in the
// listing of the one before it.
//
// A directory contains the documents and directories of its listing that are below it. Other
// entries, and duplicates of a name, are left out. An entry that the listing shows to be a symbolic
// link is an fs.ModeSymlink in ReadDir, and is not followed by [fs.WalkDir]. Open and Stat follow
// it as the server does. An entry that the server does not describe is fs.ModeIrregular.
//
// Redirections are followed within the root only; any other is ErrRedirect. Errors are
// [*fs.PathError] values with the classes of the Fetcher: fs.ErrNotExist, fs.ErrPermission,
// ErrNotListing for a page in place of a directory, and so on.
//
// Stat, Open and the Info of an entry make a request, since listings may be less exact. The Size is
// -1 if the server does not report it. Sys is the [*Resource], which is closed. [Walk] yields the
// entries as the listings have them.
type FS struct {
	ctx     context.Context // io/fs passes no context
	fetcher Fetcher
	root    *url.URL
}

// NewFS returns the FS of the directory root, with the Fetcher f. All requests and Bodies of the FS
// end with ctx. NewFS makes no request. It panics if an argument is nil.
func NewFS(ctx context.Context, f Fetcher, root *url.URL) *FS {
	if ctx == nil || f == nil || root == nil {
		panic("fetchers: NewFS without a context, a Fetcher or a URL")
	}
	return &FS{ctx: ctx, fetcher: f, root: root.Directory()}
}

// errDirectory is the error of reading a directory as a file.
var errDirectory = errors.New("is a directory")

// Open opens a file or directory. It requests a description, and the first Read requests the
// content. A file of known size is an [io.Seeker], and an [io.ReaderAt] that is safe for concurrent
// use. Both request ranges, or discard the bytes before an offset if the server does not support
// ranges. If the server's description shows that the file has changed meanwhile, the error is
// ErrChanged. The caller closes the file.
func (f *FS) Open(name string) (fs.File, error) {
	info, err := f.stat(name)
	switch {
	case err != nil:
		return nil, pathError("open", name, err)
	case info.IsDir():
		return &directory{fs: f, name: name, info: info}, nil
	case info.Size() < 0:
		return &file{fs: f, name: name, info: info}, nil
	}
	return &seekable{file{fs: f, name: name, info: info}}, nil
}

// Stat describes a file or directory.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	info, err := f.stat(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return info, nil
}

// ReadDir reads a directory, sorted by name. With an error it returns the entries before the error.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	u, err := f.find(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	list, err := f.entries(u)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, pathError("readdir", name, err)
}

// ReadFile reads a file. If URLs are hierarchical, it makes a single request.
func (f *FS) ReadFile(name string) ([]byte, error) {
	content, err := f.readFile(name)
	return content, pathError("read", name, err)
}

func (f *FS) readFile(name string) ([]byte, error) {
	u, err := f.find(name)
	if err != nil {
		return nil, err
	}
	res, err := fetchWithin(f.ctx, f.fetcher, &Request{URL: u}, f.root)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if err := isFile(res); err != nil {
		return nil, err
	}
	return io.ReadAll(res.Body)
}

// isFile returns an error if res is not a file.
func isFile(res *Resource) error {
	switch kind := kindOf(res); kind {
	case Document:
		return nil
	case Listing:
		return errDirectory
	default:
		return fmt.Errorf("%w as a file: a %s", ErrNotRetrievable, kind)
	}
}

// find returns the URL of name.
func (f *FS) find(name string) (*url.URL, error) {
	switch {
	case !fs.ValidPath(name):
		return nil, fs.ErrInvalid
	case name == ".":
		return f.root, nil
	}
	u := f.root
	for element := range strings.SplitSeq(name, "/") {
		next, err := f.child(u, element)
		if err != nil {
			return nil, err
		}
		u = next
	}
	return u, nil
}

// child returns the URL of the file name in the directory dir.
func (f *FS) child(dir *url.URL, name string) (*url.URL, error) {
	if dir.Hierarchical() {
		octets := url.Unescape(name)
		u, err := dir.Child(octets)
		if err != nil || fileName(octets) != name {
			return nil, fs.ErrNotExist
		}
		return u, nil
	}
	list, err := f.entries(dir)
	for _, e := range list {
		if e.Name() == name {
			return e.(*dirEntry).url, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fs.ErrNotExist
}

// entries returns the entries of the directory u that can be files or directories.
func (f *FS) entries(u *url.URL) (list []fs.DirEntry, err error) {
	place, entries, err := readDirectory(f.ctx, f.fetcher, u, f.root)
	seen := make(map[string]bool)
	for _, e := range entries {
		d := &dirEntry{fs: f, url: e.URL, name: e.File()}
		switch {
		case d.name == "" || seen[d.name] || !e.isIn(place):
			continue
		case e.isLink():
			d.mode = fs.ModeSymlink
			d.link = &fileInfo{name: d.name, mode: fs.ModeSymlink | 0o777, modTime: e.ModTime, size: int64(len(e.Attributes["unix.link"]))}
		case e.Kind == Listing:
			d.mode = fs.ModeDir
		case e.Kind == Unknown:
			d.mode = fs.ModeIrregular
		case e.Kind != Document:
			continue
		}
		seen[d.name] = true
		list = append(list, d)
	}
	return list, err
}

// stat describes the file name.
func (f *FS) stat(name string) (*fileInfo, error) {
	u, err := f.find(name)
	if err != nil {
		return nil, err
	}
	return f.describe(path.Base(name), u)
}

// describe requests a description of u, whose file name is name.
func (f *FS) describe(name string, u *url.URL) (*fileInfo, error) {
	res, err := fetchWithin(f.ctx, f.fetcher, &Request{URL: u, Describe: true, ModTime: true, List: true}, f.root)
	if err != nil {
		return nil, err
	}
	res.Close()
	info := &fileInfo{name: name, mode: 0o444, size: res.Size, modTime: res.Validator.ModTime, resource: res}
	if err := isFile(res); err == errDirectory {
		info.mode = fs.ModeDir | 0o555
	} else if err != nil {
		return nil, err
	}
	return info, nil
}

// pathError returns err as an error of an operation on name, or nil if err is nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
