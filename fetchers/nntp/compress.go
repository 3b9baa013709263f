package nntp

import (
	"bufio"
	"compress/flate"
)

// fewArticles are so few that to ask for compression costs more than it saves.
const fewArticles = 100

// compress has everything compressed from now on, where the server can (RFC 8054).
// A login is not allowed after that (section 2.2.2), so while there is one to be
// presented yet nothing is compressed, and neither is what somebody wants to see.
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
		s.trace.Note("the server does not compress after all")
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
