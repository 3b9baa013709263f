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
	// overhead is the size of an answer besides the text and the document-id: about 40 bytes, and a
	// reserve.
	overhead = 300

	// minChunk is the minimum size of a requested chunk.
	minChunk = 256
)

// A document is read in chunks. The last chunk has no mark. The length in a hit or a URL may be
// that of another type or version of the document. The document therefore ends where the server
// reports its end: with the diagnostic SF, or with an answer without a text (freeWAIS does both). A
// chunk that is shorter than requested proves nothing.
type document struct {
	s        *session
	lease    *lease
	database string
	id, kind string
	chunk    int64
	at       int64  // offset of the next chunk
	data     []byte // received and not read yet
	last     bool   // data is the end
	err      error  // the end or error
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

// retrieve requests the first chunk of a document, which shows whether it exists.
func (s *session) retrieve(database, id, kind string) (*document, error) {
	chunk := s.f.Chunk
	if chunk <= 0 {
		chunk = usualChunk
	}
	d := &document{
		s: s, lease: s.lease, id: id, kind: kind,
		// In requests other than searches, servers do not remove an ".src" themselves.
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

// Close ends the transfer, and also the connection unless the document is complete.
func (d *document) Close() error { return d.lease.Close() }

// next requests the next chunk, and smaller ones if the server cannot send it.
func (d *document) next() error {
	for {
		from, to := d.at, d.at+d.chunk
		d.s.trace.Sent(fmt.Sprintf("Search %q: bytes %d to %d of a document of type %s", d.database, from, to-1, d.kind))
		r, err := d.s.search(&apdu.Search{Database: d.database, ReferenceID: "3", Retrieve: &apdu.Retrieve{
			DocumentID: d.id, Type: d.kind, Start: from, End: to,
		}})
		if errors.Is(err, errEmpty) && d.chunk > minChunk {
			d.chunk = max(d.chunk/2, minChunk)
			d.s.trace.Note(fmt.Sprintf("the range may be too large, so %d bytes are requested", d.chunk))
			continue
		}
		if err != nil {
			return err
		}
		return d.take(r)
	}
}

// take evaluates the answer for a chunk.
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
		return d.s.nonsense(fmt.Errorf("a text of %d bytes, and %d were requested", len(data), d.chunk))
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

// cut returns err as io.ErrUnexpectedEOF if the server has ended a document too early.
func cut(err error) error {
	var status *fetchers.StatusError
	if errors.Is(err, errHungUp) || errors.As(err, &status) {
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return err
}
