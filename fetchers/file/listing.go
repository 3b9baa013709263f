package file

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// directory describes an open directory. Its Body lists the entries. It has no Validator: the time
// of a directory changes with its names, not with the content of its files.
func (f *Fetcher) directory(ctx context.Context, req *fetchers.Request, dir *os.File, where url.File) *fetchers.Resource {
	res := &fetchers.Resource{
		URL:       req.URL,
		Kind:      fetchers.Listing,
		MediaType: "text/uri-list",
		Size:      -1,
		Parse:     f.parse,
	}
	if !strings.HasSuffix(where.Path, "/") {
		where.Path += "/"
	}
	res.SetBody(&list{ctx: ctx, dir: dir, where: where})
	return res
}

// batch is how many entries are sorted and held in memory at once. It limits the memory for a
// directory of any size.
const batch = 4096

// A list reads an open directory as lines of text/uri-list.
type list struct {
	ctx   context.Context
	dir   *os.File
	where url.File
	lines bytes.Buffer // the unread lines of the last batch
}

func (l *list) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for l.lines.Len() == 0 {
		if err := l.ctx.Err(); err != nil {
			return 0, err
		}
		entries, err := l.dir.ReadDir(batch)
		if err != nil {
			return 0, reason(err)
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			entry := url.File{Host: l.where.Host, Path: l.where.Path + e.Name()}
			if e.IsDir() {
				entry.Path += "/"
			}
			l.lines.WriteString(entry.URL().String())
			l.lines.WriteString("\r\n")
		}
	}
	return l.lines.Read(p)
}

// Close closes the directory.
func (l *list) Close() error { return l.dir.Close() }

// parse parses text/uri-list (RFC 2483, section 5), and examines the file of each line.
func (f *Fetcher) parse(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			line := lines.Text()
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(f.entry(line), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(fetchers.Entry{}, err)
		}
	}
}

// entry examines the file of the URL in line. If it no longer exists, only its name is known. A
// symbolic link has the attribute unix.link with its target, as in FTP listings, and otherwise
// describes the target if that exists.
func (f *Fetcher) entry(line string) fetchers.Entry {
	unparsed := fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
	u, err := url.Parse(line)
	if err != nil {
		return unparsed
	}
	where, err := u.File()
	if err != nil {
		return unparsed
	}
	name, err := f.locate(where)
	if err != nil {
		return unparsed
	}
	path := strings.TrimSuffix(where.Path, "/")
	e := fetchers.Entry{URL: u, Name: path[strings.LastIndexByte(path, '/')+1:], Size: -1}
	info, err := os.Lstat(name)
	if err != nil {
		return e
	}
	e.Attributes = make(map[string]string)
	if info.Mode()&fs.ModeSymlink != 0 {
		e.Attributes["unix.link"], _ = os.Readlink(name)
		if info, err = os.Stat(name); err != nil {
			return e
		}
	}
	e.ModTime = info.ModTime()
	e.Attributes["unix.mode"] = unixMode(info.Mode())
	switch {
	case info.IsDir():
		where.Path = path + "/"
		e.Kind, e.URL = fetchers.Listing, where.URL()
	case info.Mode().IsRegular():
		e.Kind, e.Size, e.MediaType = fetchers.Document, info.Size(), fetchers.TypeByName(e.Name)
	}
	return e
}

// unixMode formats the twelve bits of chmod in octal.
func unixMode(mode fs.FileMode) string {
	bits := mode.Perm()
	for i, special := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if mode&special != 0 {
			bits |= 1 << (9 + i)
		}
	}
	return fmt.Sprintf("%04o", uint32(bits))
}
