package waistest

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/wais/apdu"
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

// place reads a document-id: the fields of the copy count before those of the
// original. The local-id in it is where in which file the document is; an end of 0
// is that of the file.
func place(id string) (start, end int64, name string, ok bool) {
	local := ""
	for _, f := range (url.WAIS{WPath: id}).Fields() {
		if f.Tag == 6 || f.Tag == 3 && local == "" {
			local = f.Value
		}
	}
	parts := strings.SplitN(local, " ", 3)
	if len(parts) != 3 {
		return 0, 0, "", false
	}
	start, err := strconv.ParseInt(parts[0], 10, 64)
	end, err2 := strconv.ParseInt(parts[1], 10, 64)
	return start, end, parts[2], err == nil && err2 == nil
}

// text returns the document of an id in a type; open is whether the id leaves the
// end to the file.
func (s *Server) text(id, kind string) (text []byte, open, ok bool) {
	start, end, name, ok := place(id)
	if !ok {
		return nil, false, false
	}
	base := strings.TrimSuffix(name, path.Ext(name))
	switch docs, known := s.documents(base); {
	case known && name == base+".src":
		return []byte(s.description(base)), true, true
	case known && name == base+".cat":
		return []byte(catalog(docs)), true, true
	}
	database, _, _ := strings.Cut(name, "/")
	docs, _ := s.documents(database)
	for _, doc := range docs {
		if doc.files[0] != name {
			continue
		}
		for i, t := range doc.types {
			if t == kind && i > 0 { // its length is not that in the id
				text, err := fs.ReadFile(s.fsys, doc.files[i])
				return text, true, err == nil
			}
		}
		if end == 0 || end > int64(len(doc.text)) {
			end, open = int64(len(doc.text)), end == 0
		}
		return doc.text[min(start, end):end], open, true
	}
	return nil, false, false
}

// retrieve answers a query for a part of a document.
func (c *session) retrieve(m *apdu.Search) (*apdu.Response, error) {
	q := m.Retrieve
	c.server.record(fmt.Sprintf("Retrieve %q %s %d-%d", m.Database, q.Type, q.Start, q.End))
	if q.Type == "" || (url.WAIS{WPath: q.DocumentID}).Fields() == nil && q.DocumentID == "" || q.End < q.Start {
		return nil, errDown
	}
	r := &apdu.Response{Returned: 1, ReferenceID: m.ReferenceID}
	if _, known := c.server.documents(m.Database); !known {
		r.Returned = 0
		c.complain(r, "S1", "The following database is not available: "+m.Database, false)
		return r, nil
	}
	text, open, ok := c.server.text(q.DocumentID, q.Type)
	if !ok {
		c.complain(r, "SF", "Missing DocID in request", true)
		return r, nil
	}
	if !q.Ranged() {
		return r, nil
	}
	if q.Lines {
		c.deliver(r, q, lineRange(text, q.Start, q.End))
		return r, nil
	}
	size := int64(len(text))
	switch {
	case size == 0, q.Start < 0, q.Start > size, q.Start == size && open && q.End > size: // no text at all
	default:
		c.deliver(r, q, text[q.Start:min(q.End, size)])
	}
	if q.Start < 0 || q.End > size {
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
