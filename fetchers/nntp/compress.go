package nntp

import (
	"bufio"
	"compress/flate"
)

// fewArticles is the number of articles up to which compression costs more than it saves.
const fewArticles = 100

// compress starts compression, if the server supports it (RFC 8054). No login is allowed after that
// (section 2.2.2), so compression waits for a pending login. It is not used with a Tap.
func (s *session) compress() error {
	if s.packer != nil || s.conn.Tapped() || s.key.given && !s.loggedIn {
		return nil
	}
	algorithms, _, err := s.offers("COMPRESS")
	if err != nil || !has(algorithms, "DEFLATE") {
		return err
	}
	r, err := s.command("COMPRESS DEFLATE")
	switch {
	case err != nil:
		return err
	case r.Code > 400:
		s.trace.Note("the server refuses the compression it offered")
		return nil
	}
	if err := s.want(r, 206); err != nil {
		return err
	}
	s.packer, err = flate.NewWriter(s.conn, flate.BestSpeed) // for commands, which are short
	s.inflater = newInflater(s.in)
	s.in = bufio.NewReaderSize(s.inflater, buffered)
	s.capabilities = nil
	return err
}
