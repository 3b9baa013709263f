package dict

import (
	"errors"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// codes are the reply codes before a text, by command.
var codes = map[string]int{"MATCH": 152, "DB": 110, "STRAT": 111, "INFO": 112, "SERVER": 114}

// text requests one text, which is the Body of res; n selects a line of a listing, and 0 means all.
func (s *session) text(req *fetchers.Request, res *fetchers.Resource, command []string, n int) (*fetchers.Resource, error) {
	name := command[0]
	if name == "SHOW" {
		name = command[1]
	}
	r, err := s.ask(command, codes[name])
	if refused := (*fetchers.StatusError)(nil); errors.As(err, &refused) && (refused.Code == 554 || refused.Code == 555) && name != "MATCH" {
		res.Reply = refused.Reply
		res.SetBody(nil)
		s.lease.Done()
		return res, nil
	}
	if err != nil {
		return nil, err
	}
	res.Reply = r
	if n > 0 {
		count, err := countOf(r)
		if err != nil {
			return nil, s.breaks(err)
		}
		if err := checkNumber(r, n, count); err != nil {
			return nil, err
		}
	}
	s.conn.Flow()
	return deliver(req, res, &block{s: s, lease: s.lease, text: transport.NewDotReader(s.in)}), nil
}

// A block is the source of a Body: a text, and the 250 that confirms its end. After that the
// session is free for another fetch.
type block struct {
	s     *session
	lease *lease
	text  *transport.DotReader
	err   error // the end or error
}

func (b *block) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.text.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		if _, err = b.s.want(250); err == nil {
			b.lease.Done()
			b.err = io.EOF
			return n, b.err
		}
	}
	b.err = b.s.breaks(err)
	b.Close()
	return n, b.err
}

// Close ends the transfer and the connection. After the end of the Body it does nothing.
func (b *block) Close() error { return b.lease.Close() }
