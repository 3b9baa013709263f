package fetchers

import (
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A fileInfo describes a file of an FS.
type fileInfo struct {
	name     string
	mode     fs.FileMode
	size     int64
	modTime  time.Time
	resource *Resource // nil for a symbolic link
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() fs.FileMode  { return i.mode }
func (i *fileInfo) ModTime() time.Time { return i.modTime }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *fileInfo) String() string     { return fs.FormatFileInfo(i) }

func (i *fileInfo) Sys() any {
	if i.resource == nil {
		return nil
	}
	return i.resource
}

// A dirEntry is an entry of a directory of an FS.
type dirEntry struct {
	fs   *FS
	url  *url.URL
	name string
	mode fs.FileMode // type bits only
	link *fileInfo   // information about a symbolic link; nil for other entries, which are described by a request
}

func (e *dirEntry) Name() string      { return e.name }
func (e *dirEntry) IsDir() bool       { return e.mode.IsDir() }
func (e *dirEntry) Type() fs.FileMode { return e.mode }
func (e *dirEntry) String() string    { return fs.FormatDirEntry(e) }

func (e *dirEntry) Info() (fs.FileInfo, error) {
	if e.link != nil {
		return e.link, nil
	}
	info, err := e.fs.describe(e.name, e.url)
	if err != nil {
		return nil, pathError("stat", e.name, err)
	}
	return info, nil
}

// A directory is an open directory of an FS.
type directory struct {
	fs   *FS
	name string
	info *fileInfo
	read bool          // whether the listing was requested
	rest []fs.DirEntry // entries that ReadDir has not returned yet
	err  error         // error at the end of the listing
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *directory) Read([]byte) (int, error)   { return 0, pathError("read", d.name, errDirectory) }
func (d *directory) Close() error               { return nil }

// ReadDir reads the directory in the server's order. The first call reads the whole listing.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.read {
		d.rest, d.err = d.fs.entries(d.info.resource.URL)
		d.err, d.read = pathError("readdir", d.name, d.err), true
	}
	if n <= 0 {
		all, err := d.rest, d.err
		d.rest, d.err = nil, nil
		return all, err
	}
	if len(d.rest) == 0 && d.err != nil {
		return nil, d.err
	}
	if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	some := d.rest[:n:n]
	d.rest = d.rest[n:]
	return some, nil
}

// A file is an open file of an FS.
type file struct {
	fs     *FS
	name   string
	info   *fileInfo
	next   int64     // offset of the next byte
	body   *Resource // with its Body at next; nil if none is open
	closed atomic.Bool
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *file) Read(p []byte) (int, error) {
	switch {
	case f.closed.Load():
		return 0, pathError("read", f.name, fs.ErrClosed)
	case len(p) == 0:
		return 0, nil
	case f.info.size >= 0 && f.next >= f.info.size:
		return 0, io.EOF
	}
	if f.body == nil {
		res, err := f.from(Range{Offset: f.next})
		if err != nil {
			return 0, pathError("read", f.name, err)
		}
		f.body = res
	}
	n, err := f.body.Body.Read(p)
	f.next += int64(n)
	if err != nil && err != io.EOF {
		err = pathError("read", f.name, err)
	}
	return n, err
}

func (f *file) Close() error {
	f.closed.Store(true)
	return f.leave()
}

// leave closes the open Body, if there is one.
func (f *file) leave() error {
	res := f.body
	f.body = nil
	return res.Close()
}

// from fetches the file from the offset of r. The Body may be longer than r.
func (f *file) from(r Range) (*Resource, error) {
	known := f.info.resource
	req := &Request{URL: known.URL, Range: r}
	if r != (Range{}) && known.Validator.Strong() {
		req.Have = known.Validator
	}
	res, err := fetchWithin(f.fs.ctx, f.fs.fetcher, req, f.fs.root)
	if err != nil {
		return nil, err
	}
	if err := f.same(res); err != nil {
		res.Close()
		return nil, err
	}
	if before := r.Offset - res.Range.Offset; before < 0 {
		err = fmt.Errorf("%w: it begins at %d, and not at %d", ErrRange, res.Range.Offset, r.Offset)
	} else {
		_, err = io.CopyN(io.Discard, res.Body, before)
	}
	if err != nil {
		res.Close()
		return nil, err
	}
	return res, nil
}

// same returns an error if res is certainly of another version than the one that f was opened with.
func (f *file) same(res *Resource) error {
	then, now := f.info.resource.Validator, res.Validator
	told := !then.IsZero() && !now.IsZero() && (then.ETag == "") == (now.ETag == "")
	if kindOf(res) != Document || told && !now.Same(then) || res.Size >= 0 && f.info.size >= 0 && res.Size != f.info.size {
		return fmt.Errorf("%w since it was opened", ErrChanged)
	}
	return nil
}

// A seekable is an open file of known size.
type seekable struct{ file }

func (f *seekable) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.next
	case io.SeekEnd:
		offset += f.info.size
	default:
		offset = -1
	}
	switch {
	case f.closed.Load():
		return 0, pathError("seek", f.name, fs.ErrClosed)
	case offset < 0:
		return 0, pathError("seek", f.name, fs.ErrInvalid)
	case offset != f.next:
		f.leave()
		f.next = offset
	}
	return offset, nil
}

func (f *seekable) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case f.closed.Load():
		return 0, pathError("read", f.name, fs.ErrClosed)
	case offset < 0:
		return 0, pathError("read", f.name, fs.ErrInvalid)
	case len(p) == 0:
		return 0, nil
	case offset >= f.info.size:
		return 0, io.EOF
	}
	part := p[:min(int64(len(p)), f.info.size-offset)]
	res, err := f.from(Range{Offset: offset, Length: int64(len(part))})
	if err != nil {
		return 0, pathError("read", f.name, err)
	}
	n, err := io.ReadFull(res.Body, part)
	res.discard()
	switch {
	case err != nil:
		return n, pathError("read", f.name, err)
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}
