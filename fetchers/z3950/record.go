package z3950

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

// The default element sets: all elements of a record, and those for a list.
const (
	full  = "F"
	brief = "B"
)

// An order tells in which form records are requested.
type order struct {
	elements string
	chosen   bool // the element set is from the URL
	syntaxes []string
}

// orderOf returns the order of a URL; elements is the default element set.
func orderOf(what url.Z3950, elements string) (order, error) {
	list, err := wanted(what.Syntaxes)
	o := order{elements: elements, syntaxes: list}
	if what.ElementSet != "" {
		o.elements, o.chosen = what.ElementSet, true
	}
	return o, err
}

// elementSet returns the element set to request. For XML, servers read it as a schema, and "F" and
// "B" are not schemas.
func (o order) elementSet() string {
	if !o.chosen && o.syntaxes[0] == xmlSyntax {
		return ""
	}
	return o.elements
}

// fallBack returns the next order after a refusal, or false if there is none.
func (o order) fallBack(err error) (order, bool) {
	switch {
	case ofElements(err) && o.elementSet() != "" && !o.chosen:
		o.elements = ""
		return o, true
	case ofSyntax(err) && len(o.syntaxes) > 1:
		o.syntaxes = o.syntaxes[1:]
		return o, true
	}
	return o, false
}

// retrieve fetches the record with a docid (RFC 2056, section 4). The answer to the search may
// contain it.
func (s *session) retrieve(req *fetchers.Request, what url.Z3950) (*fetchers.Resource, error) {
	o, err := orderOf(what, full)
	if err != nil {
		return nil, err
	}
	m := &z3950.Search{
		ReferenceID: s.reference(), ResultSet: resultSet, Databases: what.Databases, Query: docID(what.DocID),
		Small: 1, Large: 2, ElementSet: o.elementSet(), Syntax: o.syntaxes[0],
	}
	if err := s.send("Search "+strings.Join(what.Databases, "+")+": "+told(m.Query)+", and "+o.String(), m); err != nil {
		return nil, err
	}
	if err := s.await(z3950.SearchResponseTag, recordSize+excess); err != nil {
		return nil, err
	}
	r, err := s.response(s.d)
	if err != nil {
		return nil, err
	}
	err = s.found(r)
	switch {
	case err != nil:
		return nil, s.after(err)
	case r.Count == 0:
		return nil, s.after(missing("no record has this docid"))
	case r.Count > 1:
		return nil, s.after(fmt.Errorf("%w: %d records have this docid: a z39.50s URL lists them", fetchers.ErrProtocol, r.Count))
	}
	res, err := s.deliver(req, r)
	switch next, again := o.fallBack(err); {
	case again && !s.broken:
		return s.presentBy(req, next, 1)
	case res == nil && err == nil:
		return s.presentBy(req, o, 1)
	}
	return res, err
}

// present fetches a record of the result set.
func (s *session) present(req *fetchers.Request, what url.Z3950, position int64) (*fetchers.Resource, error) {
	o, err := orderOf(what, full)
	if err != nil {
		return nil, err
	}
	return s.presentBy(req, o, position)
}

// presentBy fetches a record of the result set with an order, or with the next ones if the server
// does not support it.
func (s *session) presentBy(req *fetchers.Request, o order, position int64) (*fetchers.Resource, error) {
	var res *fetchers.Resource
	err := s.settle(o, func(o order) (err error) {
		res, err = s.presentOnce(req, o, position)
		return err
	})
	return res, err
}

// settle calls ask with an order, and with the next ones as long as the server refuses them. If it
// refuses all, it returns the first refusal.
func (s *session) settle(o order, ask func(order) error) error {
	var first error
	for {
		err := ask(o)
		next, again := o.fallBack(err)
		switch {
		case s.broken, !ofSyntax(err) && !ofElements(err):
			return err
		case first == nil:
			first = err
		}
		if !again {
			return first
		}
		o = next
	}
}

func (s *session) presentOnce(req *fetchers.Request, o order, position int64) (*fetchers.Resource, error) {
	if err := s.ask(o, position, 1); err != nil {
		return nil, err
	}
	if err := s.await(z3950.PresentResponseTag, recordSize+excess); err != nil {
		return nil, err
	}
	r, err := s.response(s.d)
	if err != nil {
		return nil, err
	}
	res, err := s.deliver(req, r)
	if err == nil && res == nil {
		err = s.nonsense(errors.New("neither a record nor a diagnostic"))
	}
	return res, err
}

// ask sends a Present.
func (s *session) ask(o order, position, count int64) error {
	told := fmt.Sprintf("Present record %d: ", position)
	if count > 1 {
		told = fmt.Sprintf("Present records %d to %d: ", position, position+count-1)
	}
	return s.send(told+o.String(), &z3950.Present{
		ReferenceID: s.reference(), ResultSet: resultSet, Start: position, Count: count, ElementSet: o.elementSet(), Syntax: o.syntaxes[0],
	})
}

// String describes the order.
func (o order) String() string {
	name, _ := describe(o.syntaxes[0])
	if name == "" {
		name = "any syntax"
	}
	if o.elementSet() == "" {
		return name
	}
	return name + ", elements " + o.elementSet()
}

// deliver returns the record of an answer as a Resource. Without a record it returns the
// diagnostic, or nil if there is none either.
func (s *session) deliver(req *fetchers.Request, r *z3950.Response) (*fetchers.Resource, error) {
	if len(r.Diagnostics) > 0 {
		return nil, s.refusal(r.Diagnostics[0])
	}
	record, size, err := s.d.NextRecord()
	switch {
	case err != nil:
		return nil, s.failed(err)
	case record == nil:
		return nil, s.whole(nil)
	case record.Diagnostic != nil:
		return nil, s.refusal(*record.Diagnostic)
	}
	name, mediaType := describe(record.Syntax)
	s.trace.Got(fmt.Sprintf("a record: %s, %d bytes", name, size))
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: mediaType, Size: size}
	s.conn.Flow()
	body := &body{s: s, lease: s.lease}
	if !req.Describe {
		res.SetBody(body)
		return res, nil
	}
	if size >= 0 && size <= excess {
		err = body.end()
	}
	body.Close()
	res.SetBody(nil)
	return res, err
}

// refusal returns the error for a diagnostic after it has read the rest of the answer.
func (s *session) refusal(d z3950.Diagnostic) error {
	err := refused(d)
	s.trace.Got(err.Error())
	return s.after(err)
}

// after reads the rest of an answer and returns err, unless reading fails.
func (s *session) after(err error) error {
	if failed := s.whole(nil); failed != nil {
		return failed
	}
	return err
}

// A body is the content of a record as it arrives.
type body struct {
	s     *session
	lease *lease
	err   error // the end or error
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.s.d.Read(p)
	switch {
	case err == io.EOF:
		if b.err = b.end(); b.err == nil {
			b.err = io.EOF
		}
	case err != nil:
		b.err = b.s.failed(err)
		b.Close()
	}
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// end reads the rest of the answer, after which the session can be reused.
func (b *body) end() error {
	err := b.s.whole(nil)
	if err == nil {
		b.lease.Done()
	} else {
		b.Close()
	}
	return err
}

// Close ends the transfer, and also the connection unless the record is complete.
func (b *body) Close() error { return b.lease.Close() }
