package http

import (
	"context"
	"fmt"
	"net"
	nethttp "net/http"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// MaxStreams is the largest value of Resource.Streams, whatever a server allows. It is the minimum
// that RFC 9113, section 6.5.2, recommends for servers.
const MaxStreams = 100

// The flow-control windows of HTTP/2 (RFC 9113, section 5.2), in bytes. A single stream fills a
// path of 100 Mbit/s with a round-trip time of 80 ms, which holds 1,000,000 bytes. Unread bodies
// take up to 100 MiB of memory per connection. With a smaller connection window, MaxStreams bodies
// that are read one after the other would deadlock.
const (
	streamWindow     = 1 << 20
	connectionWindow = MaxStreams * streamWindow
)

// A shared is an HTTP/2 connection, which carries several requests at once.
type shared struct {
	client *nethttp.ClientConn
	lease  *lease // of the connection, until it is closed
	conn   *transport.Conn
	frames *framed
	unused func() bool // whether the connection must not be kept after its requests
	forget func()      // makes later requests use another connection

	active   atomic.Int32 // requests with a stream
	answered atomic.Bool  // a response has arrived
	retired  atomic.Bool  // the last active request closes the connection
	left     atomic.Bool  // a call of client was abandoned
	refusals refusals
}

// framesKey is the key of a connection in the context of NewClientConn. NewClientConn passes only
// its context and an address to DialContext. The alternative, a map from made-up addresses to
// connections, would need a lock.
type framesKey struct{}

// share starts HTTP/2 over the connection of l. The lease ends with the connection.
func (f *Fetcher) share(l *lease, with server) (*shared, error) {
	f.once.Do(func() { f.transport = f.newTransport() })
	conn := l.Session.conn
	conn.WaitForEver()
	c := &shared{lease: l, conn: conn, frames: newFramed(conn)}
	c.frames.lease = l
	host := f.terms(with).Host
	c.unused = func() bool { return f.Network.IdleConnLimit() == 0 || host != "" && f.pool.Wanted(host) }
	var err error
	ctx := context.WithValue(context.Background(), framesKey{}, c.frames)
	c.client, err = f.transport.NewClientConn(ctx, "http", net.JoinHostPort(with.host, with.port))
	return c, err
}

// newTransport returns the Transport that makes the ClientConns. TLS is already established on
// their connections.
func (f *Fetcher) newTransport() *nethttp.Transport {
	t := &nethttp.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(framesKey{}).(*framed), nil
		},
		Protocols:              new(nethttp.Protocols),
		DisableCompression:     true, // decompression would hide lengths and validators
		MaxResponseHeaderBytes: int64(f.Network.HeaderLimit(maxHeader)),
		IdleConnTimeout:        f.Network.IdleConnAge(),
		HTTP2: &nethttp.HTTP2Config{
			SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second,
			MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connectionWindow,
		},
	}
	t.Protocols.SetUnencryptedHTTP2(true)
	return t
}

// closeIdle closes c if no request uses it. c may be nil.
func (c *shared) closeIdle() {
	if c == nil {
		return
	}
	callDetached(func() {
		if c.client.InFlight() == 0 {
			c.client.Close()
		}
	})
}

// doubt retires c if the connection has shown no sign of life since the beginning of a wait that
// timed out. Signs of life are responses to other requests, and the answer to a PING, which
// net/http sends after SendPingTimeout without a frame.
func (c *shared) doubt(since time.Time) {
	if c.frames.lastLife().After(since) {
		return
	}
	c.forget()
	c.retired.Store(true)
}

// isMisdirected reports whether resp is a 421: the server does not answer the request on this
// connection (RFC 9110, section 15.5.20). resp may be nil.
func isMisdirected(resp *nethttp.Response) bool {
	return resp != nil && resp.StatusCode == nethttp.StatusMisdirectedRequest
}

// leave abandons c after a call into net/http did not return.
func (c *shared) leave() {
	c.forget()
	c.left.Store(true)
	c.lease.Close()
	c.resume(0)
}

const (
	maxRefusals = 3   // on connections without any response, or of the only request
	maxMoves    = 100 // changes of connection
)

// errRefused is temporary, since a busy server refuses requests too.
var errRefused = fetchers.Temporary(fmt.Errorf("%w: the server refused the request repeatedly", fetchers.ErrProtocol))

// multiplex returns the response to x from an HTTP/2 connection, or the lease of a session if the
// server chose HTTP/1.1, or nothing if x needs its own connection. If the server states by GOAWAY
// or REFUSED_STREAM that it did not process the request (RFC 9113, section 8.7), the request is
// sent again; after a refusal, once another request on the connection has ended. If the server
// switches to HTTP/1.1 meanwhile, the error is errFellBack, and x holds a slot.
//
// maxMoves is MaxStreams because a server may close its connection after each response: of 100
// requests, the last is then sent a hundred times. If a connection that served other requests ends
// without a response to x, the request is repeated once, as over HTTP/1.1: no method of this
// package changes a resource.
func (f *Fetcher) multiplex(x *exchange) (*lease, *nethttp.Response, error) {
	refusals, streamed, again := 0, false, false
	for range maxMoves {
		n, l, lead, err := f.negotiate(x)
		if err == nil && n.shared == nil && l == nil && streamed {
			err = x.takeSlot(n)
		}
		if err != nil || n.shared == nil {
			return l, nil, err
		}
		streamed = true
		c := n.shared
		x.begin("HTTP/2")
		if !lead {
			x.trace.Reuse(c.conn.RemoteAddr())
		}
		told, kept := c.frames.settings.Load(), c.answered.Load()
		resp, err := c.ask(x, f.Network)
		if isMisdirected(resp) {
			c.forget()
			c.retired.Store(true)
		}
		switch {
		case err == nil || x.context().Err() != nil:
			x.conn = c.conn
			return nil, resp, err
		case hasCode(err, http11Required) && (f.Protocols == nil || f.Protocols.HTTP1()):
			f.negotiations.fallBack(x.with, n)
			continue
		case kept && !again && x.interim.Load() == 0 && isDead(err):
			c.forget()
			again = true
			continue
		case ofConnection(err):
			c.forget()
		}
		if err := c.final(err); err != nil {
			return nil, nil, err
		}
		if told && hasCode(err, refusedStream) && c.await(x.context()) {
			continue
		}
		if isRefused(err) && told || isGone(err) && !c.answered.Load() { // before SETTINGS arrive, a request may exceed the limit of streams
			if refusals++; refusals == maxRefusals {
				return nil, nil, errRefused
			}
		}
	}
	return nil, nil, errRefused
}

// final returns the reason why a request failed with err on c, or nil if the server did not process
// the request, so that it can be repeated.
func (c *shared) final(err error) error {
	if isRefused(err) || isGone(err) && c.answered.Load() {
		return nil
	}
	reason := closeReason(c.frames, err)
	if isGone(err) && (reason == err || reason == errNoAnswer) {
		return nil
	}
	return reason
}

// ask sends x over c. It waits for a stream as long as other requests on c continue, and then for
// the header within the response limit of nw: net/http has no limit for both together.
func (c *shared) ask(x *exchange, nw *fetchers.Network) (*nethttp.Response, error) {
	ctx, cancel := context.WithCancelCause(x.context())
	w := &watch{shared: c, cancel: cancel, limit: nw.ResponseLimit(), stall: nw.StallLimit(), pace: fetchers.ContextPace(ctx)}
	sent, err := x.over(ctx, w.sent)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	w.begin()
	resp, err := roundTripDetached(ctx, func() (*nethttp.Response, error) { return c.client.RoundTrip(sent) }, c.leave)
	if w.end() && x.context().Err() == nil {
		if err == nil {
			body := resp.Body
			callDetached(func() { body.Close() })
		}
		<-ctx.Done() // the watch cancels ctx
		err = context.Cause(ctx)
	}
	done := func() {
		cancel(nil)
		if w.release() && !isRefused(err) { // a refused request frees no stream
			c.resume(1)
		} else {
			c.resume(0)
		}
		if c.unused() {
			c.forget()
			c.retired.Store(true)
		}
		if c.retired.Load() && c.active.Load() == 0 {
			callDetached(func() { c.client.Close() })
		}
	}
	if err != nil {
		done()
		return nil, err
	}
	resp.Body = newDetachedBody(ctx, resp.Body, c, nw.StallLimit(), done)
	c.answered.Store(true)
	if c.conn.TLS() == nil {
		resp.TLS = nil
	}
	x.streams = int(min(MaxStreams, c.frames.streams.Load()))
	return resp, nil
}
