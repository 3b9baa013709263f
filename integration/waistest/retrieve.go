package waistest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// fields writes a document-id: for each field its tag, its length and its value.
func fields(all ...url.DocField) string {
	var b []byte
	for _, f := range all {
		b = append(b, byte(f.Tag))
		if n := len(f.Value); n > 127 {
			b = append(b, byte(n>>7)|0x80, byte(n)&0x7F)
		} else {
			b = append(b, byte(n))
		}
		b = append(b, f.Value...)
	}
	return string(b)
}

// Where databases and documents are, as far as a client can see.
const (
	inDB   = "/wais/db/"
	inDocs = "/wais/docs/"
)

// A location is the meaning of a document-id: a range of a file. An end of 0 is that of the file.
type location struct {
	database, path string
	start, end     int64
}

// file returns the name in the file system for a document.
func (l location) file() string {
	rel, ok := strings.CutPrefix(l.path, inDocs)
	if !ok {
		return ""
	}
	return l.database + "/" + rel
}

// errMissing is a document-id that leads nowhere.
var errMissing = errors.New("missing")

// place reads a document-id, of which the fields of a copy count before those of
// the original. The server comes down over one without a database, or without a
// local-id.
func place(id string) (l location, err error) {
	all := (url.WAIS{WPath: id}).Fields()
	if all == nil && id != "" {
		return l, errMissing
	}
	field := func(tags ...uint32) string {
		for _, tag := range tags {
			for _, f := range all {
				if f.Tag == tag {
					return f.Value
				}
			}
		}
		return ""
	}
	l.database = path.Base(field(5, 2))
	local := field(6, 3)
	if l.database == "." || local == "" {
		return l, errDown
	}
	parts := strings.SplitN(local, " ", 3)
	if len(parts) != 3 {
		return l, errMissing
	}
	var err2 error
	l.start, err = strconv.ParseInt(parts[0], 10, 64)
	l.end, err2 = strconv.ParseInt(parts[1], 10, 64)
	l.path = parts[2]
	if err != nil || err2 != nil || l.start < 0 || l.end < 0 {
		return l, errMissing
	}
	return l, nil
}

// A part is the document of a document-id.
type part struct {
	from io.ReaderAt
	size int64
	open bool // the id leaves the end to the file
}

// read returns octets from start to before end, as far as there are any.
func (p part) read(start, end int64) []byte {
	b := make([]byte, max(0, min(end, p.size)-start))
	n, _ := p.from.ReadAt(b, start)
	return b[:n]
}

func whole(text string) part { return part{strings.NewReader(text), int64(len(text)), true} }

// part returns the document of an id in a type.
func (s *Server) part(id, kind string) (part, error) {
	l, err := place(id)
	if err != nil {
		return part{}, err
	}
	docs, _ := s.documents(l.database)
	switch l.path {
	case inDB + l.database + ".src":
		return whole(s.description(l.database)), nil
	case inDB + l.database + ".cat":
		return whole(s.catalogOf(docs)), nil
	}
	for _, doc := range docs {
		if doc.files[0] != l.file() {
			continue
		}
		for i, t := range doc.types {
			if t == kind && i > 0 { // its length is not that in the id
				return s.section(doc.files[i], 0, 0)
			}
		}
		return s.section(doc.files[0], l.start, l.end)
	}
	return part{}, errMissing
}

// section returns a part of a file; an end of 0 is that of the file.
func (s *Server) section(name string, start, end int64) (part, error) {
	info, err := fs.Stat(s.fsys, name)
	if err != nil {
		return part{}, errMissing
	}
	size, open := info.Size(), end == 0
	if open || end > size {
		end = size
	}
	start = min(start, end)
	return part{section{s.fsys, name, start}, end - start, open}, nil
}

// A section reads a file from some octet on. It is opened for each read, so that
// nothing is open in between.
type section struct {
	fsys  fs.FS
	name  string
	start int64
}

func (s section) ReadAt(b []byte, at int64) (int, error) {
	f, err := s.fsys.Open(s.name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if r, ok := f.(io.ReaderAt); ok {
		return r.ReadAt(b, s.start+at)
	}
	if _, err := io.CopyN(io.Discard, f, s.start+at); err != nil {
		return 0, err
	}
	return io.ReadFull(f, b)
}

// retrieve answers a query for a part of a document.
func (c *session) retrieve(m *apdu.Search) (*apdu.Response, error) {
	q := m.Retrieve
	c.record(Request{Command: Retrieve, Database: m.Database, Type: q.Type, Start: q.Start, End: q.End})
	if q.Type == "" || q.End < q.Start {
		return nil, errDown
	}
	r := &apdu.Response{Returned: 1, ReferenceID: m.ReferenceID}
	if _, known := c.server.documents(m.Database); !known {
		r.Returned = 0
		c.complain(r, "S1", "The following database is not available: "+m.Database, false)
		return r, nil
	}
	p, err := c.server.part(q.DocumentID, q.Type)
	if errors.Is(err, errDown) {
		return nil, err
	}
	if err != nil {
		c.complain(r, "SF", "Missing DocID in request", true)
		return r, nil
	}
	if !q.Ranged() {
		return r, nil
	}
	if q.Lines {
		c.deliver(r, q, lineRange(p.read(0, p.size), q.Start, q.End))
		return r, nil
	}
	switch {
	case p.size == 0, q.Start < 0, q.Start > p.size, q.Start == p.size && p.open && q.End > p.size: // no text at all
	default:
		c.deliver(r, q, p.read(q.Start, q.End))
	}
	if q.Start < 0 || q.End > p.size {
		c.complain(r, "SF", "Request out of range", true)
		r.Returned = len(r.Texts) + 1
	}
	return r, nil
}

func (c *session) deliver(r *apdu.Response, q *apdu.Retrieve, data []byte) {
	r.Texts = []apdu.Text{{DocumentID: q.DocumentID, Data: data}}
}

// lineRange returns the lines from one number to before another, as far as there
// are any.
func lineRange(text []byte, start, end int64) []byte {
	var got []byte
	n := int64(0)
	for line := range bytes.Lines(text) {
		if n >= start && n < end {
			got = append(got, line...)
		}
		n++
	}
	return got
}
