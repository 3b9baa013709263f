package gateway

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// maxLike is how many documents of relevance feedback a search may have.
const maxLike = 50

// A hitSearch is the form on a page of hits, for another search: for words, and for documents
// similar to the marked ones (relevance feedback of WAIS).
type hitSearch struct {
	Database string // its URL
	Words    string
	Like     int // how many documents the hits are similar to
}

// hitSearch returns the form for the hits of res, or nil if they are none.
func (x *exchange) hitSearch(res *fetchers.Resource) *hitSearch {
	w, err := res.URL.WAIS()
	if err != nil || x.proxied {
		return nil
	}
	database := url.WAIS{Authority: w.Authority, Database: w.Database}.URL()
	return &hitSearch{Database: database.Redacted(), Words: w.Search, Like: len(x.like)}
}

// likes reports whether u is one of the documents of relevance feedback.
func (q *question) likes(u *url.URL) bool {
	for _, l := range q.like {
		if l.Equal(u) {
			return true
		}
	}
	return false
}

// readLike reads the URLs of the documents of relevance feedback. The URL of the question is
// read before.
func (q *question) readLike(texts []string) *problem {
	if len(texts) > maxLike {
		return bad(fmt.Sprintf("The parameter like is there more than %d times.", maxLike))
	}
	for _, text := range texts {
		u, err := idn.Parse(url.Unwrap(text))
		if err != nil {
			return bad("The parameter like is no URL.")
		}
		if document, err := u.WAIS(); err != nil || document.WPath == "" {
			return bad("The parameter like is not the URL of a WAIS document.")
		}
		if search, err := q.url.WAIS(); err != nil || search.WPath != "" {
			return bad("The parameter like goes with a search of WAIS.")
		}
		if u.Addr() != q.url.Addr() {
			return bad("The parameter like is a document of another server, which this one does not know.")
		}
		q.like = append(q.like, u)
	}
	return nil
}
