package http

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	nethttp "net/http"
	"os"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// HTTP/1.1 is spoken here (RFC 9112). On a connection requests and answers take
// turns, so whoever asks can do all of it: no goroutine stands behind a connection, and
// nothing is taken for an answer that came before it was asked for. HTTP/2 is left to
// net/http.

// buffered is how much of what a server sends is read at once: a header, and with
// it the whole of a small document.
const buffered = 16 << 10

// maxIdle is how many sessions with one server are kept. Between two small files each of many
// connections is idle for a moment.
const maxIdle = 64

// A server is what a session is with. It has no host if it is a proxy that is asked for what
// any server has. A server that the user did not name has sessions of its own: it is shown no
// certificate.
type server struct {
	secure     bool
	host, port string
	via        string         // the name of a hop
	named      fetchers.Namer // who named the server, if it is one of https
	as         string         // the accounts that the connection is logged in for
}

// serverOf returns the server that r asks by way of h. The URL was named by named.
func serverOf(r *nethttp.Request, h *hop, named fetchers.Namer) server {
	switch {
	case r.URL.Scheme == "https":
		return server{secure: true, host: r.URL.Hostname(), port: cmp.Or(r.URL.Port(), "443"), via: h.name(), named: named}
	case h != nil:
		return server{via: h.name()}
	}
	return server{host: r.URL.Hostname(), port: cmp.Or(r.URL.Port(), "80")}
}

// ticket returns the key of the TLS sessions of s. Versions of HTTP share them.
func (s server) ticket() string {
	return fmt.Sprintf("%d %q %s %s", s.named, s.host, s.port, s.via)
}

// A session is a connection to a server, kept from one request to the next.
type session struct {
	conn     *transport.Conn
	heard    heard            // of conn
	left     io.LimitedReader // of heard
	*buffers                  // nil while no request uses the session
}

// Buffers are what a session needs in use. An idle session has none: of 1,000 connections that
// would be 20 MB.
type buffers struct {
	in   *bufio.Reader // reads at most the rest of left
	head []byte        // room for the octets of a head
	out  *bufio.Writer
}

// spare are the buffers that no session uses.
var spare = sync.Pool{New: func() any {
	return &buffers{in: bufio.NewReaderSize(nil, buffered), out: bufio.NewWriter(nil)}
}}

type lease = transport.Lease[server, *session]

// terms returns how the sessions with a server are kept.
func (f *Fetcher) terms(with server) transport.Terms {
	t := transport.Terms{Network: f.Network, Most: maxIdle}
	if f.Network.ConnPerHostLimit() > 0 {
		t.Host = with.via
		if with.host != "" {
			t.Host = net.JoinHostPort(with.host, with.port)
		}
		t.Full = func() { f.negotiations.yield(with) }
	}
	return t
}

// roundTrip sends x by a session, or by net/http if there is none. The body of the answer
// has the session until it was read or is closed. A server may just have ended a session
// that was kept, which shows in that nothing comes; then the next is asked (RFC 9112,
// section 9.3.1).
func (f *Fetcher) roundTrip(x *exchange) (answer *nethttp.Response, failed error) {
	defer func() {
		if failed != nil {
			x.leaveSlot()
		}
	}()
	x.streams = 0
	if f.RoundTripper != nil {
		return f.foreign(x)
	}
	for {
		l, resp, err := f.connect(x)
		switch {
		case err == errFellBack: // a session may have become free by now
			continue
		case l == nil:
			return resp, err
		}
		resp, err = x.speak(l)
		switch {
		case err == nil && l.Kept() && x.refuses(resp): // its login has lapsed
			told(resp)
			l.Close()
			continue
		case err == nil:
			x.takeTurn(l, resp)
			return resp, nil
		}
		l.Close()
		if !l.Kept() || !errors.Is(err, errGone) || x.context().Err() != nil {
			return nil, err
		}
	}
}

// connect returns a session with the server of x, a kept one if there is one, or else the
// answer that a connection of HTTP/2 has brought.
func (f *Fetcher) connect(x *exchange) (*lease, *nethttp.Response, error) {
	terms := f.terms(x.with)
	alone := x.slot != nil || f.oneAtATime(x) || f.negotiations.takeTurns(x.with)
	if alone {
		if l := f.pool.Take(x.context(), x.with, terms, nil); l != nil {
			return l, nil, nil
		}
	}
	if !alone {
		if l, resp, err := f.multiplex(x); l != nil || resp != nil || err != nil {
			return l, resp, err
		}
	}
	l, err := f.pool.Acquire(x.context(), x.with, terms, false, func(context.Context) (*session, error) { return f.open(x, http1) })
	return l, nil, err
}

// open connects to the server of x, and agrees with one of https on one of some versions of
// HTTP. A Tap hears nothing of the conversation with a proxy.
func (f *Fetcher) open(x *exchange, versions ...string) (*session, error) {
	ctx, to, h := x.context(), x.with, x.hop
	addr, deaf := net.JoinHostPort(to.host, to.port), ctx
	if h != nil {
		addr, deaf = h.addr(), fetchers.WithoutTap(ctx)
	}
	conn, err := transport.Dial(deaf, f.Network, addr)
	if err != nil {
		return nil, h.failed(err)
	}
	conn.Mask(new(mask))
	s := newSession(conn)
	if h != nil {
		err = h.failed(f.pass(ctx, s, h, to))
		s.Bind(ctx)
	}
	if err == nil && to.secure {
		config := transport.TLSConfig(f.TLS, to.host, to.named)
		config.NextProtos = versions
		f.tickets.Resume(config, to.ticket())
		err = conn.Secure(config, nil)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.Flow() // each answer has its limit in ask
	return s, nil
}

// newSession makes conn ready to be asked.
func newSession(conn *transport.Conn) *session {
	s := &session{conn: conn}
	s.heard.Reader = gatherer{conn}
	s.left.R = &s.heard
	return s
}

// Bind makes s obey ctx in place of the context it obeyed before.
func (s *session) Bind(ctx context.Context) { s.conn.Bind(ctx) }

// Unbind makes s obey no context, and gives back its buffers, unless there is something to read
// in them.
func (s *session) Unbind() {
	s.conn.Unbind()
	if s.buffers != nil && s.in.Buffered() == 0 {
		s.in.Reset(nil)
		s.out.Reset(nil)
		spare.Put(s.buffers)
		s.buffers = nil
	}
}

// Quiet reports whether the server has said nothing since its answer.
func (s *session) Quiet() bool { return s.conn.Quiet() }

// Ping returns true: whether the server is there shows in whether it answers a request.
func (s *session) Ping() bool { return true }

// InStep reports whether nothing came behind the last answer.
func (s *session) InStep() bool { return s.buffers == nil || s.in.Buffered() == 0 }

// Quit does nothing: a client simply hangs up.
func (s *session) Quit() {}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }

// errGone says that a server left without a word.
var errGone = fmt.Errorf("%w", errNoAnswer)

// ask sends x and reads the header of the answer, for which there is time until the Response
// of the Network has passed.
func (s *session) ask(x *exchange) (*nethttp.Response, error) {
	if s.buffers == nil {
		s.buffers = spare.Get().(*buffers)
		s.in.Reset(&s.left)
		s.out.Reset(s.conn)
	}
	s.heard.failed = nil
	s.conn.Await() // however it comes: the stall limit alone would let it drip
	defer s.conn.Flow()
	most := s.conn.HeaderLimit(maxHeader)
	s.left.N = int64(most)
	resp, err := s.answer(x)
	switch {
	case err == nil:
		s.left.N = math.MaxInt64
		return resp, nil
	case s.left.N <= 0:
		return nil, fmt.Errorf("%w: a header of more than %d bytes", fetchers.ErrProtocol, most)
	case errors.Is(err, errGone):
		return nil, err
	case s.heard.ended():
		return nil, errNoAnswer
	}
	return nil, s.heard.broken(err)
}

// answer sends x and reads the header of the answer, with no limit.
func (s *session) answer(x *exchange) (*nethttp.Response, error) {
	unsent := x.write(s.out)
	if unsent != nil && !isEnd(unsent) {
		return nil, unsent
	}
	_, err := s.in.Peek(1) // TLS may say why nothing more could be sent
	if isEnd(err) || err == nil && unsent != nil {
		return nil, errGone
	}
	for odd := false; err == nil; {
		var (
			h    head
			resp *nethttp.Response
		)
		if h, err = s.readHead(); err != nil {
			return nil, err
		}
		if h.Major != 1 {
			return nil, fmt.Errorf("%w: %s, where HTTP/1 is spoken", fetchers.ErrProtocol, h.Proto)
		}
		h.odd = h.odd || odd
		resp, err = h.response(s, x)
		odd = h.odd
		switch {
		case err != nil || resp.StatusCode/100 != 1:
			return resp, err
		case resp.StatusCode == nethttp.StatusSwitchingProtocols:
			return nil, fmt.Errorf("%w: %s, which nobody asked for", fetchers.ErrProtocol, resp.Status)
		}
		err = x.gotInterim(resp.StatusCode, nil)
	}
	return nil, err
}

// readHead reads a head. The room for its octets is used again.
func (s *session) readHead() (head, error) {
	h, room, err := readHead(s.in, s.head)
	if s.head = room; cap(room) > buffered {
		s.head = nil
	}
	return h, err
}

// A sized is a body of which the header tells the length.
type sized struct {
	session *session
	left    int64
}

func (b *sized) Read(p []byte) (int, error) {
	if b.left == 0 { // the session may be somebody else's by now
		return 0, io.EOF
	}
	n, err := b.session.in.Read(p[:min(int64(len(p)), b.left)])
	switch b.left -= int64(n); {
	case b.left == 0:
		err = io.EOF
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close does nothing: a turn ends the session of a body that was not read.
func (b *sized) Close() error { return nil }

// Lend has use take what was not read with the header, unless that is to be deciphered or
// somebody listens.
func (b *sized) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	s := b.session
	if b.left == 0 || s.in.Buffered() > 0 {
		return 0
	}
	n := s.conn.Lend(min(most, b.left), use)
	b.left -= n
	return n
}

var _, _ fetchers.Lender = (*turn)(nil), (*sized)(nil)

// A turn is the body of an answer.
type turn struct {
	lease  *lease
	body   io.Reader
	sized  *sized   // what body is if its length is told; else nil
	chunks *chunked // what body is if it is in chunks; else nil
	keep   bool     // the server will keep the connection
	slot   func()   // gives back the slot of a fallback; nil without one
}

// takeTurn has the body of resp, which came over l, hold the session until its end.
func (x *exchange) takeTurn(l *lease, resp *nethttp.Response) {
	x.conn = l.Session.conn
	resp.TLS = x.conn.TLS()
	t := &turn{lease: l, body: resp.Body, keep: !resp.Close, slot: x.slot}
	t.sized, _ = resp.Body.(*sized)
	t.chunks, _ = resp.Body.(*chunked)
	if resp.Body == nethttp.NoBody {
		t.end(true)
		return
	}
	resp.Body = t
}

func (t *turn) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if err != nil && err != io.EOF {
		err = t.lease.Session.heard.broken(err)
	}
	if err != nil {
		t.end(err == io.EOF)
	}
	return n, err
}

// Lend has use take what comes, if it is known how much that is.
func (t *turn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t.sized == nil {
		return 0
	}
	return t.sized.Lend(most, use)
}

// Close ends the session of a body that was not read to its end.
func (t *turn) Close() error {
	t.end(false)
	return nil
}

// end ends the turn. The session is kept if the answer was read, the server keeps it, and no
// other reader can have found another end.
func (t *turn) end(read bool) {
	if t.slot != nil {
		defer t.slot()
	}
	if read && t.keep && (t.chunks == nil || !t.chunks.odd) {
		t.lease.Done()
	} else {
		t.lease.Close()
	}
}
