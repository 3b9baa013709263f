package nntp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxReply is the maximum length of a status line. RFC 3977, section 3.1 limits it to 512 octets;
// some servers send more.
const maxReply = 4 << 10

// send sends a command.
func (s *session) send(line string) error { return s.transmit(line, line) }

// transmit sends a command. shown is the command as the Trace shows it.
func (s *session) transmit(line, shown string) error {
	if s.broken != nil {
		return s.broken
	}
	octets := []byte(line + "\r\n")
	if err := transport.CheckLine(octets); err != nil {
		return s.breaks(err)
	}
	s.trace.Sent(shown)
	s.owed++
	if err := s.write(octets, shown+"\r\n"); err != nil {
		return s.breaks(err)
	}
	return nil
}

// receive reads a status line (RFC 3977, section 3.2). Whether a data block follows depends on the
// command. The block must arrive within the response limit, unless it is the Body: then the caller
// calls Flow.
func (s *session) receive() (fetchers.Reply, error) {
	if s.broken != nil {
		return fetchers.Reply{}, s.broken
	}
	s.conn.Await()
	if s.inflater != nil {
		s.inflater.renew()
	}
	line, err := transport.ReadLine(s.in, s.conn.HeaderLimit(maxReply))
	if err != nil {
		return fetchers.Reply{}, s.breaks(err)
	}
	line = transport.Masked(line, s.secret) // some servers repeat the password
	s.trace.Got(line)
	s.owed--
	code, text, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(code)
	if err != nil || len(code) != 3 || n < 100 || n > 599 {
		return fetchers.Reply{}, s.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line))
	}
	s.last = fetchers.Reply{Code: n, Text: text}
	return s.last, nil
}

// command sends a command and reads its status line.
func (s *session) command(line string) (fetchers.Reply, error) {
	if err := s.send(line); err != nil {
		return fetchers.Reply{}, err
	}
	return s.receive()
}

// ask is command, but returns an error unless the code is one of want.
func (s *session) ask(line string, want ...int) (fetchers.Reply, error) {
	r, err := s.command(line)
	if err != nil {
		return r, err
	}
	return r, s.want(r, want...)
}

// want returns nil if the code of r is one of want.
func (s *session) want(r fetchers.Reply, want ...int) error {
	switch {
	case slices.Contains(want, r.Code):
		return nil
	case r.Code < 400:
		// A data block may or may not follow.
		return s.breaks(fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, r.Code, r.Text))
	case r.Code == 400:
		// The server closes the connection (RFC 3977, section 3.2.1).
		return s.breaks(refusal(r))
	}
	return refusal(r)
}

// breaks records the first error after which the connection cannot be used any more.
func (s *session) breaks(err error) error {
	if s.broken == nil {
		s.broken = err
	}
	return err
}

// text returns the data block after the last status line.
func (s *session) text() *transport.DotReader { return transport.NewDotReader(s.in) }

// refused reports whether the server does not support a command, or not in this form.
func refused(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
