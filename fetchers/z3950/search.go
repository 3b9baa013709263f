package z3950

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

// search creates the result set of a query, and returns the number of its records.
func (s *session) search(databases []string, q z3950.Query) (int64, error) {
	m := &z3950.Search{ReferenceID: s.reference(), ResultSet: resultSet, Databases: databases, Large: 1, Query: q}
	if err := s.send("Search "+strings.Join(databases, "+")+": "+told(q), m); err != nil {
		return 0, err
	}
	if err := s.await(z3950.SearchResponseTag, maxReply); err != nil {
		return 0, err
	}
	r, err := s.response(s.d)
	if err == nil {
		err = s.whole(nil)
	}
	if err != nil {
		return 0, err
	}
	return r.Count, s.found(r)
}

// found checks the answer to a search.
func (s *session) found(r *z3950.Response) error {
	line := fmt.Sprintf("SearchResponse: %d records match", r.Count)
	for _, d := range r.Diagnostics {
		line += ", " + refused(d).Error()
	}
	s.trace.Got(line)
	switch {
	case len(r.Diagnostics) > 0 && !r.Found:
		return refused(r.Diagnostics[0])
	case !r.Found:
		return &fetchers.StatusError{Reply: fetchers.Reply{Text: "the search has failed, and the server does not say why"}}
	case r.Count < 0:
		return s.nonsense(fmt.Errorf("%d records match", r.Count))
	}
	return nil
}

// told returns a query in the notation of YAZ, for a Trace.
func told(q z3950.Query) string {
	text := strings.Repeat("@and ", max(len(q)-1, 0))
	var operands []string
	for _, o := range q {
		operand := ""
		for _, a := range o.Attributes {
			operand += fmt.Sprintf("@attr %d=%d ", a.Type, a.Value)
		}
		operands = append(operands, operand+fmt.Sprintf("%q", o.Term))
	}
	return text + strings.Join(operands, " ")
}

// find searches for the text of a z39.50s URL: as a docid, and if there is no such record, or the
// server has no docids, as words. byDocID tells which search succeeded.
func (s *session) find(what url.Z3950) (count int64, byDocID bool, err error) {
	if oneWord(what.DocID) && !s.noDocIDs {
		count, err = s.search(what.Databases, docID(what.DocID))
		switch {
		case ofAttributes(err):
			s.noDocIDs = true
			s.trace.Note("the server has no docids, so these are words")
		case err != nil || count > 0:
			return count, true, err
		default:
			s.trace.Note("no record has that docid, so these are words")
		}
	}
	count, err = s.search(what.Databases, words(what.DocID))
	return count, false, err
}

// positioned fetches a record by its position in the results of a search.
func (s *session) positioned(req *fetchers.Request, what url.Z3950) (*fetchers.Resource, error) {
	count, _, err := s.find(what)
	if err != nil {
		return nil, err
	}
	if int64(what.Position) > count {
		return nil, missing(fmt.Sprintf("record %d of %d", what.Position, count))
	}
	return s.present(req, what, int64(what.Position))
}

// missing returns the error for a record that does not exist.
func missing(text string) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Text: text}, Class: fs.ErrNotExist}
}
