package wais

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// words sends a search (query type 3) for words and for similar documents.
func (s *session) words(database, words string, like []string, most int64) (*apdu.Response, error) {
	told := fmt.Sprintf("Search %q: %q, up to %d hits", database, words, most)
	if len(like) > 0 {
		told += fmt.Sprintf(", like %d documents", len(like))
	}
	s.trace.Sent(told)
	return s.search(&apdu.Search{Database: database, Words: &apdu.Words{
		SeedWords: words, Documents: like, DateFactor: 1, MaxDocuments: most,
	}})
}

// index fetches the description of a database. If there is none, there is no Body: the server may
// not have the database at all.
func (s *session) index(req *fetchers.Request, what url.WAIS) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Index, Size: -1, Query: func(words string) *url.URL {
		what.Search, what.SearchSet = words, true
		return what.URL()
	}}
	r, err := s.words(what.Database, "", nil, max(2, s.f.maxHits())) // the catalog may come first
	if err != nil {
		return nil, err
	}
	if len(r.Diagnostics) > 0 {
		return nil, refused(r.Diagnostics[0])
	}
	i := slices.IndexFunc(r.Hits, func(h apdu.Hit) bool { return slices.Contains(h.Types, "WSRC") })
	if i < 0 {
		s.trace.Note("the server does not describe the database; it may not have it")
		s.lease.Done()
		res.SetBody(nil)
		return res, nil
	}
	res.MediaType = mediaType("WSRC")
	d, err := s.retrieve(what.Database, r.Hits[i].DocumentID, "WSRC")
	if err != nil {
		return nil, err
	}
	return d.deliver(req, res), nil
}

// hits searches for words, and for documents similar to those of the document-ids in like. The
// Body is the unmodified answer.
func (s *session) hits(req *fetchers.Request, what url.WAIS, like []string) (*fetchers.Resource, error) {
	most := s.f.maxHits()
	r, err := s.words(what.Database, what.Search, like, most)
	if err != nil {
		return nil, err
	}
	found := r.Hits
	if isCatalog(found) {
		s.trace.Note("there are no hits; in their place the server offers " + entryURL(what, found[0], typesOf(found[0])[0]).String())
		found = nil
	}
	if len(r.Diagnostics) > 0 && len(found) == 0 {
		return nil, refused(r.Diagnostics[0])
	}
	if int64(len(found)) >= most {
		s.trace.Note("the number of hits has reached its limit; there may be more")
	}
	res := &fetchers.Resource{
		URL: req.URL, Kind: fetchers.Listing, Size: -1,
		Parse: func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return entries(body, what, most) },
	}
	if req.Describe {
		res.SetBody(nil)
	} else {
		res.SetBody(io.NopCloser(bytes.NewReader(slices.Clone(s.buf))))
	}
	s.lease.Done()
	return res, nil
}

// isCatalog reports whether a search has found nothing: freeWAIS then returns one hit with the
// score 0, which is the catalog of the database.
func isCatalog(hits []apdu.Hit) bool { return len(hits) == 1 && hits[0].Score == 0 }

// entries reads at most most entries of a listing from an APDU. A diagnostic among the hits comes
// after them.
func entries(body io.Reader, what url.WAIS, most int64) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		b, err := io.ReadAll(body)
		if err != nil {
			yield(fetchers.Entry{}, err)
			return
		}
		if len(b) == 0 {
			return // it was read before
		}
		r, err := apdu.ParseResponse(b)
		if err != nil {
			yield(fetchers.Entry{}, fmt.Errorf("%w: %w", fetchers.ErrProtocol, err))
			return
		}
		if !isCatalog(r.Hits) {
			for _, h := range r.Hits[:min(int64(len(r.Hits)), most)] {
				for i, kind := range typesOf(h) {
					if !yield(entry(what, h, kind, i == 0), nil) {
						return
					}
				}
			}
		}
		if len(r.Diagnostics) > 0 {
			yield(fetchers.Entry{}, refused(r.Diagnostics[0]))
		}
	}
}

// entry returns the entry for a hit in one of its types. The length of the hit is that of the first
// type.
func entry(what url.WAIS, h apdu.Hit, kind string, first bool) fetchers.Entry {
	when := date(h.Date)
	e := fetchers.Entry{
		Name: h.Headline, Kind: fetchers.Document, MediaType: mediaType(kind), Size: -1, Score: int(h.Score),
		ModTime: when, DateOnly: !when.IsZero(), Attributes: map[string]string{"wais.type": kind}, Sys: h,
	}
	if first {
		e.Size = h.DocumentLength
	}
	if h.Score < 0 {
		e.Score = 0
	}
	if h.Lines >= 0 && first {
		e.Attributes["wais.lines"] = strconv.FormatInt(h.Lines, 10)
	}
	if h.Source != "" {
		e.Attributes["wais.source"] = h.Source
	}
	u := entryURL(what, h, kind)
	if w, err := question(u); err != nil || w.WPath != h.DocumentID || w.WType != kind {
		e.Kind = fetchers.Unparsed // a type that cannot be in a URL
		return e
	}
	e.URL = u
	return e
}

// entryURL returns the URL of a hit, in the form of RFC 1738. It ignores the server name in the
// document-id.
func entryURL(what url.WAIS, h apdu.Hit, kind string) *url.URL {
	return url.WAIS{Authority: what.Authority, Database: what.Database, WType: kind, WPath: h.DocumentID}.URL()
}

// typesOf returns the types of a hit. The default is TEXT.
func typesOf(h apdu.Hit) []string {
	if len(h.Types) == 0 {
		return []string{"TEXT"}
	}
	return h.Types
}

// date parses yymmdd or yyyymmdd; any other text, such as 0, is no date.
func date(s string) time.Time {
	for _, layout := range []string{"060102", "20060102"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
