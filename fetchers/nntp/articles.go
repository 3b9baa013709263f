package nntp

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// articles lists the articles of the current group, or of a range.
func (s *session) articles(req *fetchers.Request, what target) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, MediaType: "text/nntp-overview", Size: -1, Parse: overviewParser(what)}
	if req.Describe {
		return s.done(res), nil
	}
	first, last := s.low, s.high
	if what.First != 0 {
		first, last = what.First, what.Last
		if s.low <= s.high { // articles outside these marks do not exist
			first, last = max(first, s.low), min(last, s.high)
		}
	}
	first = max(first, 1)
	if last > first && last-first > fewArticles {
		if err := s.compress(); err != nil {
			return nil, err
		}
	}
	found, err := s.overviews(first, last)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		res.Reply = s.last
		res.SetBody(found)
	case what.First != 0:
		return nil, fmt.Errorf("%w: no articles in %d-%d", fs.ErrNotExist, what.First, what.Last)
	default:
		return s.done(res), nil
	}
	return res, nil
}

// overviews returns the overview of the articles from first to last, one line each, or nil if there
// are none. It uses OVER (RFC 3977, section 8.3), else XOVER, else HEAD.
func (s *session) overviews(first, last uint64) (io.ReadCloser, error) {
	var err error
	for _, command := range []string{"OVER", "XOVER"} {
		if s.overview != "" && s.overview != command || first > last {
			continue
		}
		r := &ranges{s: s, lease: s.lease, command: command, next: first, last: last, span: span, lines: -1}
		if err = r.begin(); err == nil || !refused(err) {
			s.overview = command
			return r.source(), err
		}
	}
	if first > last {
		return nil, nil
	}
	s.trace.Note("the server has no overview, so each header is requested")
	s.overview = "HEAD"
	return s.heads(first, last)
}

const (
	// span is how many articles are requested at once, so that a caller that closes the Body early
	// does not have to wait for long.
	span = 5000

	// sparse is the number of lines below which the next range is doubled. Numbers may have 16
	// digits, with few articles between them.
	sparse = span / 4

	// maxSpan exceeds the number of all article numbers.
	maxSpan = 1 << 54
)

// ranges is the overview of a group, requested by ranges of numbers. The next range is requested
// before the answer to the last one is read.
type ranges struct {
	s          *session
	lease      *lease
	command    string
	next, last uint64 // range that was not requested yet
	span       uint64
	lines      int                  // in the last answer; -1 before the first
	text       *transport.DotReader // current answer
	listed     numbering            // checks the numbers of its lines
	more       bool                 // another range was requested
	from       uint64               // first number of the requested range
	err        error                // final error
}

// source returns r, or nil if there are no articles.
func (r *ranges) source() io.ReadCloser {
	if r.text == nil {
		return nil
	}
	return r
}

// begin advances to the first non-empty answer.
func (r *ranges) begin() error {
	if err := r.ask(); err != nil {
		return err
	}
	return r.advance()
}

// ask requests the next range.
func (r *ranges) ask() error {
	switch {
	case r.lines >= sparse:
		r.span = span
	case r.lines >= 0:
		r.span = min(2*r.span, maxSpan)
	}
	end := r.last
	if r.last-r.next >= r.span {
		end = r.next + r.span - 1
	}
	if err := r.s.send(fmt.Sprintf("%s %d-%d", r.command, r.next, end)); err != nil {
		return err
	}
	r.from, r.next, r.more = r.next, end+1, true
	return nil
}

// advance advances to the next non-empty answer. Without one r.text is nil.
func (r *ranges) advance() error {
	r.text = nil
	for r.more {
		r.more = false
		r.listed = numbering{first: r.from, last: r.next - 1}
		reply, err := r.s.receive()
		if err != nil {
			return err
		}
		some := reply.Code == 224
		if reply.Code != 423 && reply.Code != 420 { // leafnode sends 420
			if err := r.s.want(reply, 224); err != nil {
				return err
			}
		}
		if r.next <= r.last {
			if err := r.ask(); err != nil {
				return err
			}
		}
		r.lines = 0
		if some {
			if text := r.s.text(); !text.Empty() {
				r.text = text
				r.s.conn.Flow()
				return nil
			}
		}
	}
	return nil
}

func (r *ranges) Read(p []byte) (int, error) {
	for r.err == nil {
		n, err := r.text.Read(p)
		r.lines += bytes.Count(p[:n], []byte("\n"))
		strange := r.listed.check(p[:n])
		switch {
		case strange != nil:
			err = strange
		case n > 0:
			return n, nil
		case err == nil:
			return 0, nil
		case err == io.EOF:
			err = r.advance()
		}
		switch {
		case err != nil:
			r.err = r.s.breaks(err)
			r.Close()
		case r.text == nil:
			r.err = io.EOF
			r.lease.Done()
		}
	}
	return 0, r.err
}

// Close closes the connection if the listing was not read to its end. It may be called during a
// Read. After the end it does nothing.
func (r *ranges) Close() error { return r.lease.Close() }
