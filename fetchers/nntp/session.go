package nntp

import (
	"bufio"
	"compress/flate"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// A session is a connection and the state that the server keeps for it.
type session struct {
	f     *Fetcher
	ctx   context.Context
	trace *fetchers.Trace
	host  string
	key   key

	raw  *wire.Conn
	conn net.Conn      // raw, or TLS on it
	tap  *fetchers.Tap // nil if nobody wants to know
	tls  *tls.Conn     // nil if conn is in clear
	in   *bufio.Reader

	packer   *flate.Writer // nil if nothing is compressed
	inflater *inflater     // as well

	last   fetchers.Reply
	owed   int    // commands without their reply
	secret string // what is being said, and not shown
	broken error  // why the connection is of no more use

	capabilities map[string]string // arguments by label; nil if not asked
	loggedIn     bool
	group        string // the one selected
	low, high    uint64 // its water marks
	overview     string // the command that the server has: OVER, XOVER, or HEAD

	end sync.Once
}

// buffered is how much of what a server sends is read at once.
const buffered = 32 << 10

// open connects to a server and makes it one for readers. The pool has counted the
// session already.
func (f *Fetcher) open(ctx context.Context, k key, host string) (*session, error) {
	s := &session{f: f, host: host, key: k}
	err := s.connect(ctx)
	if err == nil && k.secure {
		err = s.secure()
	}
	if err == nil {
		err = s.greeting()
	}
	if err == nil {
		err = s.modeReader()
	}
	if err == nil && !k.secure && f.StartTLS != Never {
		err = s.offerTLS()
	}
	if err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

func (s *session) connect(ctx context.Context) (err error) {
	if s.raw, err = wire.Dial(ctx, s.f.Network, s.key.addr); err != nil {
		return err
	}
	s.tap = fetchers.ContextTrace(ctx).Tap("tcp", s.key.addr)
	s.over(s.raw)
	s.bind(ctx)
	return nil
}

// over makes conn, which is the connection or TLS on it, what is spoken over.
func (s *session) over(conn net.Conn) {
	s.conn = wire.Tap(conn, s.tap)
	s.in = bufio.NewReaderSize(s.conn, buffered)
}

// bind makes s obey ctx in place of the context it obeyed before.
func (s *session) bind(ctx context.Context) {
	s.ctx, s.trace = ctx, fetchers.ContextTrace(ctx)
	s.raw.Bind(ctx)
}

// greeting reads the reply to having connected (RFC 3977, section 5.1).
func (s *session) greeting() error {
	s.owed++
	r, err := s.receive()
	if err != nil {
		return err
	}
	return s.want(r, 200, 201)
}

// modeReader asks for the commands of readers, which servers that are busy with
// others may not have before (RFC 3977, section 5.3). Where it means nothing, or
// is not allowed yet, nothing is lost.
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

// maxCapabilities bounds the answer to CAPABILITIES, whose honest lines are some
// twenty.
const maxCapabilities = 200

// askCapabilities asks what the server can do (RFC 3977, section 5.2). Many cannot
// say so.
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

// write sends octets, of which shown may be seen, through the compressor if there is
// one.
func (s *session) write(octets []byte, shown string) error {
	if s.packer == nil {
		_, err := wire.WriteAs(s.conn, octets, shown)
		return err
	}
	if _, err := s.packer.Write(octets); err != nil {
		return err
	}
	return s.packer.Flush()
}

// done ends the exchange and makes res one without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.Reply = s.last
	res.SetBody(nil)
	s.release()
	return res
}

// quit takes leave; the answer is not waited for.
func (s *session) quit() {
	s.send("QUIT")
	s.drop()
}

// drop closes the connection, in whatever state it is.
func (s *session) drop() {
	s.end.Do(func() {
		s.f.pool.closed(s.key)
		if s.raw != nil {
			s.raw.Close()
		}
	})
}
