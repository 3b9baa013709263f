package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	nethttp "net/http"
	"regexp"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// Which version of HTTP is spoken with an https server is agreed on with TLS (RFC 7301).
// net/http gets the connection only if it is to speak HTTP/2. Of any other a session is
// made.

// The versions by their names in ALPN.
const (
	http1 = "http/1.1"
	http2 = "h2"
)

// errNotHTTP2 ends net/http's part in a request.
var errNotHTTP2 = errors.New("the server speaks no HTTP/2")

// connect returns a new session with the server of r, or else the answer that net/http has
// got.
func (f *Fetcher) connect(r *nethttp.Request, a *attempt, with server) (*session, *nethttp.Response, error) {
	if f.oneAtATime(r) {
		s, err := f.open(r.Context(), with, http1)
		return s, nil, err
	}
	o := new(opening)
	shared, err := a.of(r.WithContext(context.WithValue(r.Context(), openingKey{}, o)))
	if err != nil {
		return nil, nil, err
	}
	resp, err := f.paced(shared, a, with.way)
	s := o.close()
	switch {
	case s != nil && errors.Is(err, errNotHTTP2):
		return s, nil, nil
	case s != nil:
		s.raw.Close() // another request's connection came first
	}
	if err != nil && r.Context().Err() == nil {
		err = ended(a.connection(), err)
	}
	return nil, resp, err
}

// paced has net/http send r, and waits for the header no longer than the limits allow. The
// connection, which other requests share, cannot see to that, and net/http asks again what
// a server refuses.
func (f *Fetcher) paced(r *nethttp.Request, a *attempt, w way) (*nethttp.Response, error) {
	t, pace := f.transport(w), fetchers.ContextPace(r.Context())
	left := pace.Left()
	late := func() error { return pace.Expired(left) }
	if limit := f.headerLimit(); limit > 0 && limit < left {
		left, late = limit, func() error { return fmt.Errorf("%w: no whole header in %v", fetchers.ErrStalled, limit) }
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	var watch *time.Timer
	if left < fetchers.Unpaced {
		watch = time.AfterFunc(left, func() { cancel(late()) })
	}
	leave := f.leaves(t, a)
	resp, err := roundTripAside(t, r.WithContext(ctx), leave)
	if watch != nil && !watch.Stop() && r.Context().Err() == nil {
		if err == nil {
			resp.Body.Close()
		}
		<-ctx.Done() // the watch is about to end it
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
		cancel(nil)
		return nil, err
	case resp.Body == nethttp.NoBody:
		cancel(nil)
	default:
		resp.Body = newAside(ctx, resp.Body, func() { cancel(nil) }, leave)
	}
	return resp, nil
}

// headerLimit returns how long net/http has for a connection, TLS and the header of an
// answer; 0 means for ever.
func (f *Fetcher) headerLimit() time.Duration {
	connect, answer := f.Network.ConnectLimit(), f.Network.ResponseLimit()
	if connect == 0 || answer == 0 {
		return 0
	}
	return connect + wire.MaxShake + answer
}

// maxClosing is how long net/http may take to close a connection that it gives up.
const maxClosing = time.Second

// ended returns the reason for which c was closed, if it is known, and otherwise err. net/http
// may notice first that nothing more can be sent, or that a new connection is of no use, and
// say no more; but TLS keeps the alert that ended it.
func ended(c net.Conn, err error) error {
	if hasEnded(c) {
		return errNoAnswer
	}
	secure, ok := c.(*tls.Conn)
	if !ok || errors.Is(err, fetchers.ErrStalled) || !ofConnection(err) {
		return err
	}
	base := below(secure)
	if timeout := net.Error(nil); base == nil || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	select {
	case <-base.gone: // so that nobody else is reading
	case <-time.After(maxClosing):
		return err
	}
	_, alert := secure.Read(make([]byte, 1))
	if alert == nil || isEnd(alert) || errors.Is(alert, net.ErrClosed) {
		return err
	}
	return alert
}

// connectionError matches the errors of net/http for a connection of HTTP/2 that has ended or
// cannot be used. They have no names. An error of one request leaves its connection open.
var connectionError = regexp.MustCompile(`^(http2: client conn|http2: server sent GOAWAY|http2: Transport received .*GOAWAY|connection error: |tls: )`)

// ofConnection reports whether a request by HTTP/2 may have failed with err because its
// connection has ended.
func ofConnection(err error) bool {
	return isEnd(err) || errors.Is(err, net.ErrClosed) || errors.As(err, new(*net.OpError)) || connectionError.MatchString(err.Error())
}

// oneAtATime reports whether a session is to send r, whatever its server speaks.
func (f *Fetcher) oneAtATime(r *nethttp.Request) bool {
	switch p := f.Protocols; {
	case fetchers.ContextTrace(r.Context()).Tapped():
		return true // it is to be read
	case r.URL.Scheme == "http" && hopOf(r.Context()) != nil:
		return true // with a proxy nothing else is agreed on
	case r.URL.Scheme == "https":
		return p != nil && p.HTTP1() && !p.HTTP2()
	default:
		return p == nil || p.HTTP1() && !p.UnencryptedHTTP2()
	}
}

// dialSecure connects to an https server for net/http.
func (f *Fetcher) dialSecure(ctx context.Context, _, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	o, _ := ctx.Value(openingKey{}).(*opening)
	if !o.dial() {
		return nil, errRefused
	}
	versions := []string{http2}
	one := f.Protocols == nil || f.Protocols.HTTP1()
	if one {
		versions = append(versions, http1)
	}
	s, err := f.open(ctx, server{secure: true, host: host, port: port, way: way{named: namerOf(ctx)}}, versions...)
	if err != nil {
		return nil, err
	}
	s.raw.Bind(context.Background()) // it outlives the request
	if s.secure.ConnectionState().NegotiatedProtocol == http2 {
		s.base.shared = true
		return s.secure, nil
	}
	if o == nil || !one || !o.put(s) {
		s.raw.Close()
	}
	return nil, errNotHTTP2
}

// An opening is the way of a session from a dial of net/http, which may end after the
// request that it was for, to that request.
type opening struct {
	mu      sync.Mutex
	closed  bool
	session *session
	dials   int
}

// maxDials is how many connections net/http may make for one request. It makes another
// whenever a server says that it has not handled the request on the last one, by GOAWAY or
// REFUSED_STREAM (RFC 9113, section 8.7), which a server may say for ever.
const maxDials = 3

var errRefused = fmt.Errorf("%w: the server refuses the request on each of %d connections", fetchers.ErrProtocol, maxDials)

// dial counts a connection, and reports whether it may be made.
func (o *opening) dial() bool {
	if o == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dials++
	return o.dials <= maxDials
}

type openingKey struct{}

// put has the request take s, and reports whether it is still there to do so.
func (o *opening) put(s *session) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.session = s
	}
	return !o.closed
}

// close returns the session that was put, or nil. None is taken any more.
func (o *opening) close() *session {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.session
}
