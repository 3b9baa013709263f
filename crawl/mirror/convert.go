package mirror

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
)

// convertAll rewrites the links of all pages: to files of the copy if they exist, and to absolute
// URLs otherwise. It replaces a page atomically.
func (r *run) convertAll(ctx context.Context) error {
	for e, err := range r.frontier.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		n := readNote(e.Note)
		format, ok := links.FormatOf(n.Type)
		if !ok || n.Path == "" || n.Gone || e.State == crawl.Waiting {
			continue
		}
		if have, err := r.there(&n); err != nil || !have || n.Meant {
			continue // the file is no longer from this copy
		}
		if err := r.convert(e, n, format); err != nil {
			return err
		}
	}
	return r.frontier.Flush()
}

// convert converts one page.
func (r *run) convert(e crawl.Entry, n note, format links.Format) error {
	base := n.base(e.URL)
	if n.Plain { // relative links refer to files
		local, err := url.Parse("file:///" + escapePath(n.Path))
		if err != nil {
			return err
		}
		base = local
	}
	file, err := r.tree.read(n.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	if r.Backup && !n.Plain {
		if err := r.backup(&n, e, file); err != nil {
			return err
		}
	}
	part, err := download.Create(r.tree.abs(n.Path))
	if err != nil {
		return &download.FileError{Err: err}
	}
	changed := false
	err = format.Rewrite(part, file, base, func(l links.Link) (string, bool) {
		text, ok := r.local(n, l)
		changed = changed || ok && text != l.Text
		return text, ok
	})
	if err != nil || !changed {
		part.Discard()
		return err
	}
	modified := time.Unix(0, n.Time)
	meant := n
	meant.Meant = true
	if err := errors.Join(r.frontier.Set(e.ID, e.State, meant.bytes()), r.frontier.Flush()); err != nil {
		part.Discard()
		return err
	}
	if err := part.Commit(); err != nil {
		return &download.FileError{Err: err}
	}
	r.tree.date(n.Path, modified)
	info, err := r.tree.stat(n.Path)
	if err != nil || info == nil {
		return err
	}
	n.left(info)
	n.Plain = true
	return r.frontier.Set(e.ID, e.State, n.bytes())
}

// local returns the new text of a link of a page: the relative path of a file of the copy, or else
// the URL.
func (r *run) local(page note, l links.Link) (string, bool) {
	if to, fragment := r.fileOf(l.URL, page.Plain); to != "" {
		return relative(page.Path, to) + fragment, true
	}
	if l.URL.Scheme == "file" && page.Plain {
		return "", false
	}
	full := l.URL.String()
	return full, full != l.Text
}

// fileOf returns the path of the file of a URL, following redirections, or "". The fragment is from
// the URL, or else from the redirection (RFC 9110, section 10.2.2).
func (r *run) fileOf(u *url.URL, plain bool) (name, fragment string) {
	fragment = u.Fragment
	if plain && u.Scheme == "file" {
		name := strings.TrimPrefix(url.Unescape(u.Path), "/")
		if _, ok := r.names.owner(name); ok {
			return name, fragment
		}
		return "", ""
	}
	for range 10 {
		e, known, err := r.frontier.Lookup(bare(u))
		if !known || err != nil {
			return "", ""
		}
		n := readNote(e.Note)
		if n.Path != "" && n.Time != 0 && !n.Gone && !(n.Meant && n.Time == 1) {
			return n.Path, fragment
		}
		if n.Moved == "" {
			return "", ""
		}
		if u, err = url.Parse(n.Moved); err != nil {
			return "", ""
		}
		if fragment == "" {
			fragment = u.Fragment
		}
	}
	return "", ""
}

// relative returns a relative reference from the file of a page to another file.
func relative(from, to string) string {
	if from == to {
		return escapePath(path.Base(to))
	}
	dir, up := path.Dir(from), ""
	for dir != "." && !strings.HasPrefix(to, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir != "." {
		to = strings.TrimPrefix(to, dir+"/")
	}
	return up + escapePath(to)
}

// escapePath escapes special characters in the path of a reference.
func escapePath(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || c == '@' || c == '+' || c == '=' || c == '&' || c == ',' ||
			'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
	}
	return b.String()
}

// backup keeps the original of a page.
func (r *run) backup(n *note, e crawl.Entry, file io.ReadSeeker) error {
	name := n.Path + ".orig"
	info, err := r.tree.stat(name)
	if err != nil || info != nil && !n.Kept {
		return err // it exists and is not from this copy
	}
	part, err := download.Create(r.tree.abs(name))
	if err != nil {
		return &download.FileError{Err: err}
	}
	if _, err := io.Copy(part, file); err != nil {
		part.Discard()
		return err
	}
	n.Kept = true
	if err := errors.Join(r.frontier.Set(e.ID, e.State, n.bytes()), r.frontier.Flush()); err != nil {
		part.Discard()
		return err
	}
	if err := part.Commit(); err != nil {
		return &download.FileError{Err: err}
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}
