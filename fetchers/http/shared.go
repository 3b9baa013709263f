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

// MaxStreams is the most that Resource.Streams is, whatever a server allows. RFC 9113,
// section 6.5.2, recommends that servers allow no less.
const MaxStreams = 100

// The flow-control windows of HTTP/2 (RFC 9113, section 5.2), in octets. One stream alone
// fills a line of 100 Mbit/s with a round-trip time of 80 ms, which holds 1,000,000 octets.
// Bodies that are not read take up to 100 MiB of memory for a connection. With less,
// MaxStreams bodies that are read one after the other would hold each other up for ever.
const (
	streamWindow     = 1 << 20
	connectionWindow = MaxStreams * streamWindow
)

// A shared is a connection that carries several requests at once, by HTTP/2.
type shared struct {
	client *nethttp.ClientConn
	lease  *lease // of the connection, until that is closed
	conn   *transport.Conn
	frames *framed
	unused func() bool // no request is to use the connection after those that do
	forget func()      // has the next request use another connection

	active   atomic.Int32 // requests that have a stream
	answered atomic.Bool  // an answer has come
	retired  atomic.Bool  // the last active request closes the connection
	left     atomic.Bool  // client does not return
	refusals refusals
}

// framesKey is the key of a connection in the context of NewClientConn, which has no
// parameter for it and passes on to DialContext only that context and an address. A
// map from made-up addresses to connections would be longer and in need of a lock.
type framesKey struct{}

// share has net/http speak HTTP/2 with a server over the connection of l, which ends with it.
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

// newTransport returns the Transport that makes clients of connections. It has no part in
// TLS.
func (f *Fetcher) newTransport() *nethttp.Transport {
	t := &nethttp.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(framesKey{}).(*framed), nil
		},
		Protocols:              new(nethttp.Protocols),
		DisableCompression:     true, // it would hide lengths and validators
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
	doAside(func() {
		if c.client.InFlight() == 0 {
			c.client.Close()
		}
	})
}

// doubt retires c if it has shown no sign of life since the beginning of a wait that was in
// vain. The answers to other requests are such a sign, and so is the answer to PING, which
// net/http sends after SendPingTimeout of silence.
func (c *shared) doubt(since time.Time) {
	if c.frames.lastLife().After(since) {
		return
	}
	c.forget()
	c.retired.Store(true)
}

// isMisdirected reports whether resp, which may be nil, says that the server does not answer the
// request on this connection (RFC 9110, section 15.5.20).
func isMisdirected(resp *nethttp.Response) bool {
	return resp != nil && resp.StatusCode == nethttp.StatusMisdirectedRequest
}

// leave gives up c, of which net/http does not return.
func (c *shared) leave() {
	c.forget()
	c.left.Store(true)
	c.lease.Close()
	c.resume(0)
}

const (
	maxRefusals = 3   // on connections that have answered nothing, or of the only request
	maxMoves    = 100 // from one connection to the next
)

// errRefused is temporary, as a server that is busy refuses requests, too.
var errRefused = fetchers.Temporary(fmt.Errorf("%w: the server refuses the request again and again", fetchers.ErrProtocol))

// multiplex returns the answer to x from a connection of HTTP/2, or the lease of a session if the server
// chose HTTP/1.1, or nothing if x needs a connection of its own. A request that a server
// says it did not process, by GOAWAY or REFUSED_STREAM (RFC 9113, section 8.7), is sent
// again: after a refusal once another request on the connection has ended. If the server
// turns to HTTP/1.1 meanwhile, the error is errFellBack, and x has a slot. Of 100 requests
// on a connection that ends after each answer, the last is the hundredth to be sent. A request
// on a connection that has carried others and ends without an answer is sent once again, as by
// HTTP/1.1: no method that is sent here changes anything on the server.
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
		if isRefused(err) && told || isGone(err) && !c.answered.Load() { // before SETTINGS there may be too many requests
			if refusals++; refusals == maxRefusals {
				return nil, nil, errRefused
			}
		}
	}
	return nil, nil, errRefused
}

// final returns the reason for which a request has failed on c with err, or nil if the server
// did not process it, so that it can be sent again.
func (c *shared) final(err error) error {
	if isRefused(err) || isGone(err) && c.answered.Load() {
		return nil
	}
	reason := ended(c.frames, err)
	if isGone(err) && (reason == err || reason == errNoAnswer) {
		return nil
	}
	return reason
}

// ask sends x over c. It waits for a stream as long as other requests on c go on, and then
// for the header as long as nw allows: net/http has no limit for the whole of it.
func (c *shared) ask(x *exchange, nw *fetchers.Network) (*nethttp.Response, error) {
	ctx, cancel := context.WithCancelCause(x.context())
	w := &watch{shared: c, cancel: cancel, limit: nw.ResponseLimit(), stall: nw.StallLimit(), pace: fetchers.ContextPace(ctx)}
	sent, err := x.over(ctx, w.sent)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	w.begin()
	resp, err := roundTripAside(ctx, func() (*nethttp.Response, error) { return c.client.RoundTrip(sent) }, c.leave)
	if w.end() && x.context().Err() == nil {
		if err == nil {
			body := resp.Body
			doAside(func() { body.Close() })
		}
		<-ctx.Done() // the watch is about to end it
		err = context.Cause(ctx)
	}
	done := func() {
		cancel(nil)
		if w.release() && !isRefused(err) { // a refusal makes room for no other request
			c.resume(1)
		} else {
			c.resume(0)
		}
		if c.unused() {
			c.forget()
			c.retired.Store(true)
		}
		if c.retired.Load() && c.active.Load() == 0 {
			doAside(func() { c.client.Close() })
		}
	}
	if err != nil {
		done()
		return nil, err
	}
	resp.Body = newAside(ctx, resp.Body, c, nw.StallLimit(), done)
	c.answered.Store(true)
	if c.conn.TLS() == nil {
		resp.TLS = nil
	}
	x.streams = int(min(MaxStreams, c.frames.streams.Load()))
	return resp, nil
}
