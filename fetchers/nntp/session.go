package nntp

import (
	"bufio"
	"compress/flate"
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A session is a connection and the state that the server keeps for it.
type session struct {
	f     *Fetcher
	trace fetchers.Tracer
	lease *lease
	host  string
	key   key

	conn *transport.Conn
	in   *bufio.Reader

	packer   *flate.Writer // nil without compression
	inflater *inflater     // nil without compression

	last   fetchers.Reply
	owed   int    // number of outstanding replies
	secret string // secret in the current command, masked in the Trace
	broken error  // reason why the connection cannot be used any more

	capabilities map[string]string // arguments by label; nil before CAPABILITIES
	loggedIn     bool
	group        string // current group
	low, high    uint64 // its water marks
	overview     string // command for overviews: OVER, XOVER, or HEAD
}

// buffered is the size of the read buffer.
const buffered = 32 << 10

// open connects to a server and switches it to the mode of readers.
func (f *Fetcher) open(ctx context.Context, k key, host string) (*session, error) {
	conn, err := transport.Dial(ctx, f.Network, k.addr)
	if err != nil {
		return nil, err
	}
	s := &session{f: f, host: host, key: k, conn: conn, in: bufio.NewReaderSize(conn, buffered), trace: conn.Trace()}
	if err = s.begin(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// begin sends the commands that precede every fetch.
func (s *session) begin() (err error) {
	if s.key.secure {
		err = s.secure()
	}
	if err == nil {
		err = s.greeting()
	}
	if err == nil {
		err = s.modeReader()
	}
	if err == nil && !s.key.secure && s.f.StartTLS != Never {
		err = s.offerTLS()
	}
	return err
}

// greeting reads the greeting (RFC 3977, section 5.1).
func (s *session) greeting() error {
	s.owed++
	r, err := s.receive()
	if err != nil {
		return err
	}
	return s.want(r, 200, 201)
}

// modeReader requests the commands of readers, which a server for transit may not have before (RFC
// 3977, section 5.3). If the server does not support it, or not yet, nothing is lost.
func (s *session) modeReader() error {
	r, err := s.command("MODE READER")
	if err == nil && (r.Code < 400 || r.Code == 400 || r.Code == 502) {
		err = s.want(r, 200, 201)
	}
	return err
}

// offers returns the arguments of a capability, and whether the server has it.
func (s *session) offers(label string) (arguments string, ok bool, err error) {
	if s.capabilities == nil {
		if err := s.askCapabilities(); err != nil {
			return "", false, err
		}
	}
	arguments, ok = s.capabilities[label]
	return arguments, ok, nil
}

// maxCapabilities is the maximum number of lines in the answer to CAPABILITIES; servers send some
// twenty.
const maxCapabilities = 200

// askCapabilities requests the capabilities of the server (RFC 3977, section 5.2). Many servers do
// not support that.
func (s *session) askCapabilities() error {
	r, err := s.command("CAPABILITIES")
	if err != nil {
		return err
	}
	s.capabilities = make(map[string]string)
	if r.Code >= 400 {
		if r.Code == 400 {
			return s.want(r)
		}
		return nil
	}
	if err := s.want(r, 101); err != nil {
		return err
	}
	lines := scan(s.text(), bufio.MaxScanTokenSize)
	for n := 1; lines.Scan(); n++ {
		s.trace.Got(lines.Text())
		label, arguments, _ := strings.Cut(lines.Text(), " ")
		s.capabilities[strings.ToUpper(label)] = strings.ToUpper(arguments)
		if n > maxCapabilities {
			return s.breaks(fmt.Errorf("%w: endless capabilities", fetchers.ErrProtocol))
		}
	}
	if err := lineError(lines.Err()); err != nil {
		return s.breaks(err)
	}
	return nil
}

// has reports whether word is one of the arguments of a capability.
func has(arguments, word string) bool {
	return strings.Contains(" "+arguments+" ", " "+word+" ")
}

// write sends octets, through the compressor if there is one. The Tap receives shown.
func (s *session) write(octets []byte, shown string) error {
	if s.packer == nil {
		_, err := s.conn.WriteAs(octets, shown)
		return err
	}
	if _, err := s.packer.Write(octets); err != nil {
		return err
	}
	return s.packer.Flush()
}

// done ends the exchange and makes res a Resource without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.Reply = s.last
	res.SetBody(nil)
	s.lease.Done()
	return res
}
