package dict

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// define requests the definitions of a word; n selects one, and 0 means all (RFC 2229, section
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

// deliver makes body the Body of res, unless the request is for a description.
func deliver(req *fetchers.Request, res *fetchers.Resource, body io.ReadCloser) *fetchers.Resource {
	if req.Describe {
		body.Close()
		body = nil
	}
	res.SetBody(body)
	return res
}

// A definitions is the source of a Body: all definitions, each after a line with its database, or a
// single one. At its end the session is free for another fetch.
type definitions struct {
	s     *session
	lease *lease
	count int // announced number
	only  int // the selected one; 0 means all
	seen  int
	head  string               // heading to return before text
	text  *transport.DotReader // of the current definition; nil before the first one
	err   error                // the end or error
}

// next advances to the next selected definition, or to the end.
func (d *definitions) next() error {
	for d.err == nil {
		r, err := d.s.want(151, 250)
		switch {
		case err != nil:
			d.fail(err)
		case r.Code == 250 && d.seen != d.count:
			d.fail(fmt.Errorf("%w: %d definitions were announced, and %d received", fetchers.ErrProtocol, d.count, d.seen))
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

// heading returns the line before a definition, from the text of 151: the word, the database, and
// the title of the database.
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

// fail ends the Body and the session with an error.
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

// Close ends the transfer and the connection. After the end of the Body it does nothing.
func (d *definitions) Close() error { return d.lease.Close() }
