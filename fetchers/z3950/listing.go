package z3950

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

// pieceSize is how many records are requested at once.
const pieceSize = 20

// hits lists the results of a search. The Body has the unmodified answers with the records.
func (s *session) hits(req *fetchers.Request, what url.Z3950) (*fetchers.Resource, error) {
	o, err := orderOf(what, brief)
	if err != nil {
		return nil, err
	}
	count, byDocID, err := s.find(what)
	if err != nil {
		return nil, err
	}
	last := min(count, s.f.maxHits())
	if count > last {
		s.trace.Note(fmt.Sprintf("%d records match, and %d of them are listed", count, last))
	}
	link := what
	link.Retrieval = byDocID && count == 1
	res := &fetchers.Resource{
		URL: req.URL, Kind: fetchers.Listing, Size: -1,
		Parse: func(in io.Reader) iter.Seq2[fetchers.Entry, error] { return entries(in, link) },
	}
	if req.Describe || last == 0 {
		s.lease.Done()
		res.SetBody(nil)
		return res, nil
	}
	p := &pieces{s: s, lease: s.lease, next: 1, last: last}
	err = s.settle(o, func(o order) error {
		p.order = o
		return p.piece()
	})
	if err != nil {
		return nil, err
	}
	res.SetBody(p)
	return res, nil
}

// A pieces is the Body of a listing: the answers with its records. The next answer is requested
// after the last one has been read.
type pieces struct {
	s          *session
	lease      *lease
	order      order
	next, last int64 // the numbers of the remaining records
	data       []byte
	err        error // the end or error
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 && p.err == nil {
		switch {
		case p.next > p.last:
			p.err = io.EOF
			p.lease.Done()
		default:
			if p.err = p.piece(); p.err != nil {
				p.Close()
			}
		}
	}
	if len(p.data) == 0 {
		return 0, p.err
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	return n, nil
}

// Close ends the transfer, and also the connection unless all records have arrived.
func (p *pieces) Close() error { return p.lease.Close() }

// piece requests the next piece.
func (p *pieces) piece() error {
	s := p.s
	if err := s.ask(p.order, p.next, min(pieceSize, p.last-p.next+1)); err != nil {
		return err
	}
	s.conn.AwaitList()
	octets, err := s.d.Message(messageSize + excess)
	if err != nil {
		if err == io.EOF {
			s.broken = true
			return errHungUp
		}
		return s.failed(err)
	}
	s.heard, s.asked = true, false
	n, err := s.check(octets, p.next == 1)
	if err != nil {
		return err
	}
	s.trace.Got(fmt.Sprintf("PresentResponse: records %d to %d", p.next, p.next+n-1))
	p.data = octets
	p.next += n
	return nil
}

// check reads an answer with records and returns their number. It is an error if the first answer
// has only diagnostics.
func (s *session) check(octets []byte, first bool) (n int64, err error) {
	in := bufio.NewReader(bytes.NewReader(octets))
	d := z3950.NewDecoder(in)
	tag, err := d.Begin(int64(len(octets)))
	if err != nil {
		return 0, s.failed(err)
	}
	switch tag {
	case z3950.PresentResponseTag:
	case z3950.CloseTag:
		s.d = d
		return 0, s.closed()
	default:
		return 0, s.nonsense(errors.New("an APDU that does not answer the request"))
	}
	r, err := s.response(d)
	if err != nil {
		return 0, err
	}
	if len(r.Diagnostics) > 0 {
		err := refused(r.Diagnostics[0])
		s.trace.Got(err.Error())
		return 0, err
	}
	var refusal error
	refusals := int64(0)
	for err == nil {
		var record *z3950.Record
		if record, _, err = d.NextRecord(); record == nil || err != nil {
			break
		}
		if record.Diagnostic != nil {
			refusal = refused(*record.Diagnostic)
			refusals++
		}
		n++
		err = d.EndRecord()
	}
	if err == nil {
		err = d.Finish()
	}
	switch {
	case err != nil:
		return 0, s.failed(err)
	case first && refusals == n && n > 0:
		s.trace.Got(refusal.Error())
		return 0, refusal
	case n == 0:
		return 0, s.nonsense(errors.New("no records, and no diagnostic"))
	}
	return n, nil
}

// entries parses the entries of a listing. Their numbers begin at 1.
func entries(in io.Reader, what url.Z3950) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		d := z3950.NewDecoder(bufio.NewReader(in))
		for position := 1; ; {
			_, err := d.Begin(messageSize + excess)
			if err == io.EOF {
				return
			}
			if err == nil {
				_, err = d.Response()
			}
			for err == nil {
				var record *z3950.Record
				if record, _, err = d.NextRecord(); record == nil || err != nil {
					break
				}
				e := entry(d, record, what, position)
				position++
				if err = d.EndRecord(); err == nil && !yield(e, nil) {
					return
				}
			}
			if err == nil {
				err = d.Finish()
			}
			if errors.Is(err, z3950.ErrMalformed) {
				err = fmt.Errorf("%w: %w", fetchers.ErrProtocol, err)
			}
			if err != nil {
				yield(fetchers.Entry{}, err)
				return
			}
		}
	}
}
