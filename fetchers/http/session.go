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

// This file implements HTTP/1.1 (RFC 9112). Requests and responses alternate on a connection, so
// the goroutine of the caller does all of the work. No background goroutine reads from the
// connection, and bytes that arrive before a request was sent are never taken for its response.
// HTTP/2 is left to net/http.

// buffered is the size of the read buffer: a header, or a header with a small document.
const buffered = 16 << 10

// maxIdle is how many sessions with one server are kept. Between two small files, each of many
// connections is idle for a moment.
const maxIdle = 64

// A server is the key of a session in the pool. The host is empty for a proxy that receives
// requests for any server. If the user did not name the server, its sessions are separate, because
// they present no client certificate.
type server struct {
	secure     bool
	host, port string
	via        string         // hop.name of the proxy
	named      fetchers.Namer // Namer of the URL; set for https only
	as         string         // accounts that the connection is logged in as
}

// serverOf returns the server that r is sent to by way of h. named is the Namer of the URL.
func serverOf(r *nethttp.Request, h *hop, named fetchers.Namer) server {
	switch {
	case r.URL.Scheme == "https":
		return server{secure: true, host: r.URL.Hostname(), port: cmp.Or(r.URL.Port(), "443"), via: h.name(), named: named}
	case h != nil:
		return server{via: h.name()}
	}
	return server{host: r.URL.Hostname(), port: cmp.Or(r.URL.Port(), "80")}
}

// ticket returns the key of the TLS sessions of s. All versions of HTTP share them.
func (s server) ticket() string {
	return fmt.Sprintf("%d %q %s %s", s.named, s.host, s.port, s.via)
}

// A session is a connection to a server, kept for later requests.
type session struct {
	conn     *transport.Conn
	recorder recorder         // reads from conn
	left     io.LimitedReader // reads from recorder
	*buffers                  // nil while idle
}

// buffers are the memory of a session in use. An idle session has none: the buffers of 1,000 idle
// connections would take 20 MB.
type buffers struct {
	in   *bufio.Reader // reads from left
	head []byte        // storage of a head
	out  *bufio.Writer
}

// bufferPool is a pool of buffers.
var bufferPool = sync.Pool{New: func() any {
	return &buffers{in: bufio.NewReaderSize(nil, buffered), out: bufio.NewWriter(nil)}
}}

type lease = transport.Lease[server, *session]

// terms returns the limits of the pool for sessions with a server.
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

// roundTrip sends x over a session, or over HTTP/2. The body of the response holds the session
// until the body was read or closed. If a kept session ends before any byte of a response, the
// server may have closed it when it was idle; then the request is sent over another one (RFC 9112,
// section 9.3.1).
func (f *Fetcher) roundTrip(x *exchange) (answer *nethttp.Response, failed error) {
	defer func() {
		if failed != nil {
			x.leaveSlot()
		}
	}()
	x.streams = 0
	if f.RoundTripper != nil {
		return f.sendByRoundTripper(x)
	}
	for {
		l, resp, err := f.connect(x)
		switch {
		case err == errFellBack: // a session may have become free
			continue
		case l == nil:
			return resp, err
		}
		resp, err = x.sendOver(l)
		switch {
		case err == nil && l.Kept() && x.refuses(resp): // the login of the connection has lapsed
			traceResponse(resp)
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

// connect returns a session with the server of x, a kept one if possible, or the response of an
// HTTP/2 connection.
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

// open connects to the server of x, and with https negotiates one of the versions of HTTP. A Tap
// does not receive the exchange with a proxy.
func (f *Fetcher) open(x *exchange, versions ...string) (*session, error) {
	ctx, to, h := x.context(), x.with, x.hop
	addr, untapped := net.JoinHostPort(to.host, to.port), ctx
	if h != nil {
		addr, untapped = h.addr(), fetchers.WithoutTap(ctx)
	}
	conn, err := transport.Dial(untapped, f.Network, addr)
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
	conn.Flow() // ask sets the limit for each response
	return s, nil
}

// newSession returns a session over conn.
func newSession(conn *transport.Conn) *session {
	s := &session{conn: conn}
	s.recorder.Reader = gatherer{conn}
	s.left.R = &s.recorder
	return s
}

// Bind makes s obey ctx in place of an earlier context.
func (s *session) Bind(ctx context.Context) { s.conn.Bind(ctx) }

// Unbind detaches s from its context, and returns its buffers to the pool, unless they hold unread
// data.
func (s *session) Unbind() {
	s.conn.Unbind()
	if s.buffers != nil && s.in.Buffered() == 0 {
		s.in.Reset(nil)
		s.out.Reset(nil)
		bufferPool.Put(s.buffers)
		s.buffers = nil
	}
}

// Quiet reports whether the server has sent nothing since its last response.
func (s *session) Quiet() bool { return s.conn.Quiet() }

// Ping returns true: whether the server is reachable shows when the next request is sent.
func (s *session) Ping() bool { return true }

// InStep reports whether nothing followed the last response.
func (s *session) InStep() bool { return s.buffers == nil || s.in.Buffered() == 0 }

// Quit does nothing: HTTP has no command to end a connection.
func (s *session) Quit() {}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }

// errGone means that the server closed the connection before any byte of a response.
var errGone = fmt.Errorf("%w", errNoAnswer)

// ask sends x and reads the header of the response within the response limit of the Network.
func (s *session) ask(x *exchange) (*nethttp.Response, error) {
	if s.buffers == nil {
		s.buffers = bufferPool.Get().(*buffers)
		s.in.Reset(&s.left)
		s.out.Reset(s.conn)
	}
	s.recorder.failed = nil
	s.conn.Await() // the stall limit alone would let a header arrive byte by byte
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
	case s.recorder.ended():
		return nil, errNoAnswer
	}
	return nil, s.recorder.broken(err)
}

// answer is ask without limits of size and time.
func (s *session) answer(x *exchange) (*nethttp.Response, error) {
	unsent := x.write(s.out)
	if unsent != nil && !isEnd(unsent) {
		return nil, unsent
	}
	_, err := s.in.Peek(1) // a TLS alert may give the reason of the write error
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
			return nil, fmt.Errorf("%w: %s, on a connection of HTTP/1", fetchers.ErrProtocol, h.Proto)
		}
		h.odd = h.odd || odd
		resp, err = h.response(s, x)
		odd = h.odd
		switch {
		case err != nil || resp.StatusCode/100 != 1:
			return resp, err
		case resp.StatusCode == nethttp.StatusSwitchingProtocols:
			return nil, fmt.Errorf("%w: %s, which was not requested", fetchers.ErrProtocol, resp.Status)
		}
		err = x.gotInterim(resp.StatusCode, nil)
	}
	return nil, err
}

// readHead reads a head. Its storage is reused.
func (s *session) readHead() (head, error) {
	h, room, err := readHead(s.in, s.head)
	if s.head = room; cap(room) > buffered {
		s.head = nil
	}
	return h, err
}

// A sized is a body with a Content-Length.
type sized struct {
	session *session
	left    int64
}

func (b *sized) Read(p []byte) (int, error) {
	if b.left == 0 { // the session may serve another request already
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

// Close does nothing: turn.Close closes the session of an unread body.
func (b *sized) Close() error { return nil }

// Lend passes to use the bytes that were not read with the header, unless they are encrypted or
// tapped.
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

// A turn is the body of a response that holds its session.
type turn struct {
	lease  *lease
	body   io.Reader
	sized  *sized   // body, if it has a Content-Length; else nil
	chunks *chunked // body, if it is chunked; else nil
	keep   bool     // the server keeps the connection
	slot   func()   // releases the fallback slot; nil without one
}

// takeTurn makes the body of resp, which came over l, hold the session until its end.
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
		err = t.lease.Session.recorder.broken(err)
	}
	if err != nil {
		t.end(err == io.EOF)
	}
	return n, err
}

// Lend passes received bytes to use, if the length of the body is known.
func (t *turn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t.sized == nil {
		return 0
	}
	return t.sized.Lend(most, use)
}

// Close closes the session if the body was not read to its end.
func (t *turn) Close() error {
	t.end(false)
	return nil
}

// end releases the session. The session is kept if the response was read to its end, the server
// keeps the connection, and no other parser can have found another end.
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
