package wais

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// overhead is what stands around a text in an answer besides the document-id:
	// about 40 octets, and room for what we do not know.
	overhead = 300

	// minChunk is the least that is asked for; a server that has no room for that
	// has none for anything.
	minChunk = 256
)

// A document is read in chunks. There is no mark on the last one, and the length
// that a hit or a URL tells is that of another type of the document, or of another
// day. So it ends where the server says that nothing is left: by the diagnostic SF,
// or by an answer without a text (freeWAIS has both). A chunk that is merely
// shorter than it should be proves nothing.
type document struct {
	s        *session
	lease    *lease
	database string
	id, kind string
	chunk    int64
	at       int64  // what comes next
	data     []byte // what has come and was not read
	last     bool   // nothing comes after data
	err      error  // how it has ended
}

// document fetches a document.
func (s *session) document(req *fetchers.Request, what url.WAIS) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: mediaType(what.WType)}
	d, err := s.retrieve(what.Database, what.WPath, what.WType)
	if err != nil {
		return nil, err
	}
	return d.deliver(req, res), nil
}

// retrieve begins to read a document, so that we know whether it is there.
func (s *session) retrieve(database, id, kind string) (*document, error) {
	chunk := s.f.Chunk
	if chunk <= 0 {
		chunk = usualChunk
	}
	d := &document{
		s: s, lease: s.lease, id: id, kind: kind,
		// In a search, and nowhere else, servers take off an ".src" by themselves.
		database: strings.TrimSuffix(database, ".src"),
		chunk:    int64(min(chunk, max(minChunk, s.size-len(id)-overhead))),
	}
	return d, d.next()
}

// deliver makes d the Body of res.
func (d *document) deliver(req *fetchers.Request, res *fetchers.Resource) *fetchers.Resource {
	res.Size = -1
	if d.last {
		res.Size = int64(len(d.data))
	}
	if req.Describe {
		d.lease.Done()
		res.SetBody(nil)
		return res
	}
	d.s.body = true
	res.SetBody(d)
	return res
}

func (d *document) Read(p []byte) (int, error) {
	for len(d.data) == 0 {
		switch {
		case d.err != nil:
			return 0, d.err
		case d.last:
			d.err = io.EOF
			d.lease.Done()
		default:
			if err := d.next(); err != nil {
				d.err = cut(err)
				d.Close()
			}
		}
	}
	n := copy(p, d.data)
	d.data = d.data[n:]
	return n, nil
}

// Close abandons the document, and the connection with it, unless all has come.
func (d *document) Close() error { return d.lease.Close() }

// next asks for the next chunk, for a smaller one if the server has no room for it.
func (d *document) next() error {
	for {
		from, to := d.at, d.at+d.chunk
		d.s.trace.Sent(fmt.Sprintf("Search %q: octets %d to %d of a document of type %s", d.database, from, to-1, d.kind))
		r, err := d.s.search(&apdu.Search{Database: d.database, ReferenceID: "3", Retrieve: &apdu.Retrieve{
			DocumentID: d.id, Type: d.kind, Start: from, End: to,
		}})
		if errors.Is(err, errEmpty) && d.chunk > minChunk {
			d.chunk = max(d.chunk/2, minChunk)
			d.s.trace.Note(fmt.Sprintf("perhaps that was too much at once, so %d octets are tried", d.chunk))
			continue
		}
		if err != nil {
			return err
		}
		return d.take(r)
	}
}

// take understands the answer for a chunk.
func (d *document) take(r *apdu.Response) error {
	for _, g := range r.Diagnostics {
		if g.Code != "SF" {
			return refused(g)
		}
	}
	var data []byte
	switch {
	case len(r.Texts) > 1:
		return d.s.nonsense(fmt.Errorf("%d texts for one question", len(r.Texts)))
	case len(r.Texts) == 1 && r.Texts[0].DocumentID != "" && r.Texts[0].DocumentID != d.id:
		return d.s.nonsense(fmt.Errorf("the text of the document %.100q", r.Texts[0].DocumentID))
	case len(r.Texts) == 1:
		data = r.Texts[0].Data
	case len(r.Diagnostics) == 0 && d.at == 0:
		return d.s.nonsense(errors.New("neither a text nor a diagnostic"))
	}
	if int64(len(data)) > d.chunk {
		return d.s.nonsense(fmt.Errorf("a text of %d octets, and %d were asked for", len(data), d.chunk))
	}
	if len(r.Diagnostics) > 0 && len(data) == 0 {
		if g := r.Diagnostics[0]; d.at == 0 && !beyond(g) || vanished(g) {
			return refused(g)
		}
	}
	d.data = data
	d.at += int64(len(data))
	d.last = len(r.Diagnostics) > 0 || len(data) == 0
	return nil
}

// cut returns err as the reason why a document has ended too early, if it is the
// server that ends it.
func cut(err error) error {
	var status *fetchers.StatusError
	if errors.Is(err, errHungUp) || errors.As(err, &status) {
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return err
}
