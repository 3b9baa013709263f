package dict

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// define asks for the definitions of a word; n is which one, or 0 for all (RFC 2229, section
// 3.2).
func (s *session) define(req *fetchers.Request, res *fetchers.Resource, command []string, n int) (*fetchers.Resource, error) {
	r, err := s.ask(command, 150)
	if err != nil {
		return nil, err
	}
	res.Reply = r
	count, err := countOf(r)
	if err != nil {
		return nil, s.breaks(err)
	}
	if err := checkNumber(r, n, count); err != nil {
		return nil, err
	}
	d := &definitions{s: s, lease: s.lease, count: count, only: n}
	if err := d.next(); err != nil && err != io.EOF {
		return nil, err
	}
	return deliver(req, res, d), nil
}

// deliver makes body the Body of res, but for a request that wants none.
func deliver(req *fetchers.Request, res *fetchers.Resource, body io.ReadCloser) *fetchers.Resource {
	if req.Describe {
		body.Close()
		body = nil
	}
	res.SetBody(body)
	return res
}

// A definitions is the source of a Body: definitions, each below a line that says where it
// is from, or one alone. At its end the session is free for another fetch.
type definitions struct {
	s     *session
	lease *lease
	count int // as announced
	only  int // the one that is wanted; 0 is all
	seen  int
	head  string               // what comes before text
	text  *transport.DotReader // of the definition; nil before the first one
	err   error                // how it has ended
}

// next goes to the next definition that is wanted, or to the end.
func (d *definitions) next() error {
	for d.err == nil {
		r, err := d.s.want(151, 250)
		switch {
		case err != nil:
			d.fail(err)
		case r.Code == 250 && d.seen != d.count:
			d.fail(fmt.Errorf("%w: %d definitions were announced, and %d have come", fetchers.ErrProtocol, d.count, d.seen))
		case r.Code == 250:
			d.lease.Done()
			d.err = io.EOF
		case d.seen == d.count:
			d.fail(fmt.Errorf("%w: more definitions than %d", fetchers.ErrProtocol, d.count))
		default:
			d.seen++
			d.s.conn.Flow()
			d.text = transport.NewDotReader(d.s.in)
			if d.only == 0 {
				d.head = heading(r.Text, d.seen > 1)
				return nil
			}
			if d.only == d.seen {
				return nil
			}
			if _, err := io.Copy(io.Discard, d.text); err != nil {
				d.fail(err)
			}
		}
	}
	return d.err
}

// heading is the line before a definition, of which 151 says the word, the database and what
// that is called.
func heading(text string, further bool) string {
	_, rest := cutWord(text)
	from, rest := cutWord(rest)
	if title := described(rest); title != "" {
		from = title + " [" + from + "]"
	}
	line := "From " + strings.Join(strings.Fields(from), " ") + ":\r\n\r\n"
	if further {
		line = "\r\n" + line
	}
	return line
}

// fail ends the Body with an error, and the session with it.
func (d *definitions) fail(err error) {
	d.err = d.s.breaks(err)
	d.lease.Close()
}

func (d *definitions) Read(p []byte) (int, error) {
	for d.err == nil {
		if d.head != "" {
			n := copy(p, d.head)
			d.head = d.head[n:]
			return n, nil
		}
		n, err := d.text.Read(p)
		if err != nil && err != io.EOF {
			d.fail(err)
		}
		if n > 0 || err == nil {
			return n, nil
		}
		if err == io.EOF {
			d.next()
		}
	}
	return 0, d.err
}

// Close abandons what is left, and with it the connection. Once all has come it does nothing.
func (d *definitions) Close() error { return d.lease.Close() }
