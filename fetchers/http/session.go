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
	"net/http/httptrace"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
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
// any server has. A connection with a Tap has sessions of its own, and so has a server that
// the user did not name: it is shown no certificate.
type server struct {
	secure     bool
	host, port string
	way
	listener *fetchers.Trace // with a Tap, or nil
}

// A way is how a server is reached, which decides who may share a session.
type way struct {
	via   string         // the name of a hop
	named fetchers.Namer // who named the server, if it is one of https
}

func wayOf(r *nethttp.Request) way {
	w := way{via: hopOf(r.Context()).name()}
	if r.URL.Scheme == "https" {
		w.named = namerOf(r.Context())
	}
	return w
}

type namerKey struct{}

// namerOf returns who named the URL of a request.
func namerOf(ctx context.Context) fetchers.Namer {
	named, _ := ctx.Value(namerKey{}).(fetchers.Namer)
	return named
}

func serverOf(r *nethttp.Request) server {
	s := server{host: r.URL.Hostname(), port: cmp.Or(r.URL.Port(), "80")}
	if r.URL.Scheme == "https" {
		s.secure, s.port = true, cmp.Or(r.URL.Port(), "443")
	} else if hopOf(r.Context()) != nil {
		s.host, s.port = "", ""
	}
	s.way = wayOf(r)
	if trace := fetchers.ContextTrace(r.Context()); trace.Tapped() {
		s.listener = trace
	}
	return s
}

// ticket returns the key of the TLS sessions of s. Versions of HTTP share them.
func (s server) ticket() string {
	return fmt.Sprintf("%d %q %s %s", s.named, s.host, s.port, s.via)
}

// A session is a connection to a server, kept from one request to the next.
type session struct {
	raw    *wire.Conn
	base   *conn            // on raw
	secure *tls.Conn        // on base, or on the TLS of a proxy; nil if it is in none
	conn   net.Conn         // base or secure, or a tap on that
	heard  heard            // of conn
	left   io.LimitedReader // of heard
	in     *bufio.Reader    // of as much of conn as is left
	out    *bufio.Writer
}

// roundTrip sends r by a session, or by net/http if there is none. The body of the answer
// has the session until it was read or is closed. A server may just have ended a session
// that was kept, which shows in that nothing comes; then the next is asked (RFC 9112,
// section 9.3.1).
func (f *Fetcher) roundTrip(r *nethttp.Request, a *attempt) (answer *nethttp.Response, failed error) {
	defer func() {
		if failed != nil {
			a.leaveSlot()
		}
	}()
	with := serverOf(r)
	multiplexOf(r.Context()).streams = 0
	for {
		var s *session
		kept, alone := false, a.slot != nil || f.oneAtATime(r) || f.negotiations.takeTurns(with)
		if alone {
			s, kept = f.kept(r.Context(), with)
		}
		if !kept {
			a.conn.Store(holder{}) // what one that was kept has come to says nothing of the next
			var resp *nethttp.Response
			var err error
			s, resp, err = f.connect(r, a, with, alone)
			switch {
			case err == errFellBack: // a session may have become free by now
				continue
			case s == nil:
				return resp, err
			}
			s.raw.Bind(r.Context())
		}
		a.gotConn(httptrace.GotConnInfo{Conn: s.conn, Reused: kept})
		resp, err := s.ask(r, a, f.Network.ResponseLimit())
		switch {
		case err == nil:
			if with.secure {
				state := s.secure.ConnectionState()
				resp.TLS = &state
			}
			t := &turn{body: resp.Body, end: ending{f: f, with: with, session: s, keep: !resp.Close, ctx: r.Context(), done: a.leaveSlot}}
			if resp.Body == nethttp.NoBody {
				t.end.of(true)
				return resp, nil
			}
			if resp.ContentLength > 0 {
				t.sized = sized{s, resp.ContentLength}
				t.body = &t.sized
			}
			resp.Body = t
			return resp, nil
		case !kept || !errors.Is(err, errGone) || r.Context().Err() != nil:
			s.raw.Close()
			return nil, err
		}
		s.raw.Close()
	}
}

// connect returns a new session with the server of r, or else the answer that a connection
// of HTTP/2 has brought. alone says that the connection carries one request at a time.
func (f *Fetcher) connect(r *nethttp.Request, a *attempt, with server, alone bool) (*session, *nethttp.Response, error) {
	if !alone {
		s, resp, err := f.multiplex(r, a, with)
		if s != nil || resp != nil || err != nil {
			return s, resp, err
		}
	}
	s, err := f.open(r.Context(), with, http1)
	return s, nil, err
}

// kept returns a session that the last request has left, and the server has not.
func (f *Fetcher) kept(ctx context.Context, with server) (*session, bool) {
	for {
		s, _, ok := f.idle.Take(with, nil)
		if !ok {
			return nil, false
		}
		s.raw.Bind(ctx)
		if s.quiet() {
			return s, true
		}
		s.raw.Close() // it has ended, or says what nobody has asked for
	}
}

// quiet reports whether the server has said nothing since its answer. Some of it may
// have been read for TLS already. A connection that knows no deadlines does not tell.
func (s *session) quiet() bool {
	if !s.raw.Quiet() {
		return false
	}
	if s.secure == nil {
		return true
	}
	past := time.Unix(0, 0)
	if s.raw.SetReadDeadline(past) != nil {
		return false
	}
	s.base.until = past
	_, err := s.secure.Read(make([]byte, 1))
	s.base.until = time.Time{}
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// open connects to a server, and agrees with one of https on one of some versions of HTTP.
func (f *Fetcher) open(ctx context.Context, to server, versions ...string) (*session, error) {
	h, addr := hopOf(ctx), net.JoinHostPort(to.host, to.port)
	if h != nil {
		addr = h.addr()
	}
	raw, err := wire.Dial(ctx, f.Network, addr)
	if err != nil {
		return nil, h.failed(err)
	}
	raw.Bind(ctx)
	s := &session{raw: raw, base: newConn(raw)}
	s.conn = s.base
	if h != nil {
		err = h.failed(f.pass(ctx, s, h, to))
	}
	if err == nil && to.secure {
		config := wire.TLSConfig(f.TLS, to.host, to.named)
		config.NextProtos = versions
		f.tickets.Resume(config, to.ticket())
		err = s.shield(ctx, config)
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	var told *fetchers.Tap
	if to.listener != nil {
		told = to.listener.Tap("tcp", addr)
	}
	s.begin(told)
	return s, nil
}

// shield goes on in TLS.
func (s *session) shield(ctx context.Context, config *tls.Config) error {
	secure := wire.Client(s.conn, config)
	err := wire.Shake(ctx, secure)
	s.secure, s.conn = secure, secure
	return err
}

// begin makes s ready to be asked. What goes over it is told to a Tap, unless that is nil.
func (s *session) begin(told *fetchers.Tap) {
	s.raw.Flow() // each answer has its limit in ask
	s.conn = newTap(s.conn, told)
	s.heard.Reader = s.conn
	if s.secure != nil && told == nil { // who listens hears of each record by itself
		s.heard.Reader = &gatherer{s.conn, s.base}
	}
	s.left.R = &s.heard
	s.in, s.out = bufio.NewReaderSize(&s.left, buffered), bufio.NewWriter(s.conn)
}

// errGone says that a server left without a word.
var errGone = fmt.Errorf("%w", errNoAnswer)

// ask sends r and reads the header of the answer, for which there is time until
// limit, unless it is 0.
func (s *session) ask(r *nethttp.Request, a *attempt, limit time.Duration) (*nethttp.Response, error) {
	s.heard.failed = nil
	if limit > 0 { // however it comes: the stall limit alone would let it drip
		s.base.until = time.Now().Add(limit)
		defer func() { s.base.until = time.Time{} }()
	}
	most := s.raw.HeaderLimit(maxHeader)
	s.left.N = int64(most)
	resp, err := s.exchange(r, a)
	switch {
	case err == nil:
		s.left.N = math.MaxInt64
		return resp, nil
	case errors.Is(s.heard.failed, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("%w: no whole header in %v", fetchers.ErrStalled, limit)
	case s.left.N <= 0:
		return nil, fmt.Errorf("%w: a header of more than %d bytes", fetchers.ErrProtocol, most)
	case errors.Is(err, errGone):
		return nil, err
	case s.heard.ended():
		return nil, errNoAnswer
	}
	return nil, s.heard.broken(err)
}

func (s *session) exchange(r *nethttp.Request, a *attempt) (*nethttp.Response, error) {
	unsent := writeRequest(s.out, r, a)
	if unsent != nil && !isEnd(unsent) {
		return nil, unsent
	}
	_, err := s.in.Peek(1) // TLS may say why nothing more could be sent
	if isEnd(err) || err == nil && unsent != nil {
		return nil, errGone
	}
	for err == nil {
		if mistaken(s.in) {
			return nil, fmt.Errorf("%w: HTTP/1.0 with a Transfer-Encoding", fetchers.ErrProtocol)
		}
		var resp *nethttp.Response
		resp, err = nethttp.ReadResponse(s.in, r)
		if err == nil {
			resp.Status = bareCR.Replace(resp.Status)
		}
		switch {
		case err == nil && resp.ProtoMajor != 1:
			return nil, fmt.Errorf("%w: %s, where HTTP/1 is spoken", fetchers.ErrProtocol, resp.Proto)
		case err != nil || resp.StatusCode/100 != 1:
			return resp, err
		case resp.StatusCode == nethttp.StatusSwitchingProtocols:
			return nil, fmt.Errorf("%w: %s, which nobody asked for", fetchers.ErrProtocol, resp.Status)
		}
		err = a.gotInterim(resp.StatusCode, nil)
	}
	return nil, err
}

var (
	headEnd          = regexp.MustCompile(`\n\r?\n`)
	transferEncoding = regexp.MustCompile(`(?im)^transfer-encoding[ \t]*:`)
)

// bareCR puts a space in place of a CR without a LF, and of a NUL, in the reason of a status
// line (RFC 9112, section 2.2). net/http refuses them in fields only.
var bareCR = strings.NewReplacer("\r", " ", "\x00", " ")

// mistaken reports whether the answer that begins in is of HTTP/1.0 and has a
// Transfer-Encoding, which net/http passes over in silence: its framing is to be taken for
// faulty, whatever else it says of its length (RFC 9112, section 6.1).
func mistaken(in *bufio.Reader) bool {
	const version = "HTTP/1.0"
	head, _ := in.Peek(len(version))
	if string(head) != version {
		return false
	}
	for {
		head, _ = in.Peek(in.Buffered())
		if end := headEnd.FindIndex(head); end != nil {
			return transferEncoding.Match(head[:end[0]])
		}
		if _, err := in.Peek(len(head) + 1); err != nil {
			return transferEncoding.Match(head) // what else is wrong, net/http will say
		}
	}
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

// Lend has use take what was not read with the header, unless that is to be deciphered or
// somebody listens.
func (b *sized) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	s := b.session
	if s.in.Buffered() > 0 || s.conn != net.Conn(s.base) {
		return 0
	}
	n := s.base.Lend(min(most, b.left), use)
	b.left -= n
	return n
}

// A turn is the body of an answer.
type turn struct {
	body  io.Reader
	sized sized // what body is if its length is told
	end   ending
}

func (t *turn) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if err != nil && err != io.EOF {
		err = t.end.session.heard.broken(err)
	}
	if err != nil {
		t.end.of(err == io.EOF)
	}
	return n, err
}

// Lend has use take what comes, if it is known how much that is.
func (t *turn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t.body != &t.sized {
		return 0
	}
	return t.sized.Lend(most, use)
}

// Close ends the session of a body that was not read to its end.
func (t *turn) Close() error {
	t.end.of(false)
	return nil
}

// An ending is what becomes of a session after an answer.
type ending struct {
	f       *Fetcher
	with    server
	session *session
	keep    bool            // the server will
	ctx     context.Context // of the request
	done    func()          // called at the end
	once    sync.Once
}

// of ends the turn. The session is kept if the answer was read, and is the last
// thing that was sent.
func (e *ending) of(read bool) {
	e.once.Do(func() {
		defer e.done()
		s := e.session
		s.raw.Bind(context.Background())
		if !read || !e.keep || s.in.Buffered() > 0 || e.ctx.Err() != nil { // which may be closing it
			s.raw.Close()
			return
		}
		e.f.idle.PutUpTo(maxIdle, e.with, s, func() { s.raw.Close() })
	})
}
