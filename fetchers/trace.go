package fetchers

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Trace is told what happens during a fetch. Any of its functions may be nil, and those that
// are not may be called by several goroutines at once. The context is that of the fetch, as
// FetchStart has made it. Secrets are masked before they get here; control characters are not.
type Trace struct {
	// FetchStart is told that a Client asks its Fetcher for u: the URL of the Request, one that
	// a redirection has led to, or either once more. It returns the context for that, which the
	// other functions get, so that the context can carry a span; nil means ctx. FetchDone is told of
	// the answer, which is nil after a failure. What is read later is for BodyDone.
	FetchStart func(ctx context.Context, u *url.URL) context.Context
	FetchDone  func(ctx context.Context, u *url.URL, res *Resource, err error)

	// BodyDone is told once for each FetchDone that had no error, when the Body of its Resource
	// has ended or is closed: how many bytes were read, and how reading ended. err is nil at the
	// end of the Body, and [fs.ErrClosed] if it was closed before that. If a Client asks for the
	// rest of a Body that broke off, that is a fetch of its own, and its bytes are counted for
	// the first Body, too. The goroutine that reads or closes the Body calls BodyDone.
	BodyDone func(ctx context.Context, u *url.URL, n int64, err error)

	// DNSStart and DNSDone are told of a question for the addresses of a host, by a net.Dialer.
	DNSStart func(ctx context.Context, host string)
	DNSDone  func(ctx context.Context, host string, addrs []netip.Addr, err error)

	// ConnectStart is told where a connection is to go, with the resolving of the name.
	// ConnectDone is told the address of the peer, or addr again after a failure.
	ConnectStart func(ctx context.Context, network, addr string)
	ConnectDone  func(ctx context.Context, network, addr string, err error)

	// TLSHandshakeStart and TLSHandshakeDone are told of each handshake, also with a proxy and
	// for the data connections of FTP. The state is zero after a failure.
	TLSHandshakeStart func(ctx context.Context)
	TLSHandshakeDone  func(ctx context.Context, state tls.ConnectionState, err error)

	// GotFirstResponseByte is told that the server has begun to answer: with the first byte
	// that a fetch reads from a connection, new or kept, above TLS. By HTTP/2 it is the header.
	GotFirstResponseByte func(ctx context.Context)

	Reuse  func(ctx context.Context, addr string) // a connection to that peer, kept from before, takes the place of a new one
	Sent   func(ctx context.Context, line string)
	Got    func(ctx context.Context, line string)
	Note   func(ctx context.Context, text string) // a remark, such as how an odd server was humoured
	Warn   func(ctx context.Context, text string) // a warning that the Body is not what the request asked for; if nil, Note gets it
	Login  func(ctx context.Context, o Origin, source string)
	Follow func(ctx context.Context, from, to *url.URL) // to be shown Redacted
	Retry  func(ctx context.Context, try int, wait time.Duration, err error)

	// Tap is told of each connection that the fetch uses, new or kept, by the
	// address of the server that was asked for, and returns who is told what
	// goes over it from now on, or nil if nobody is. Of a kept connection it
	// hears the exchanges of this fetch and the end, and none of other fetches.
	// There is none for the connections to an HTTP proxy. A fetch with a Tap
	// can be read: HTTP is in version 1.1, and news without compression.
	Tap func(ctx context.Context, network, addr string) *Tap
}

// A Tap is told what goes over a connection, octet for octet, as the protocol has
// it: above TLS and proxies, and above ARDP. Secrets are "***" there, and header
// fields that hold some are told in whole lines. The octets are good during the
// call only. Any of the functions may be nil.
type Tap struct {
	Sent  func(p []byte)
	Got   func(p []byte)
	Ended func(err error)        // how reading has ended: io.EOF, or what went wrong
	Data  func(addr string) *Tap // of a data connection of FTP, which is to addr; it may return nil
}

type traceKey struct{}

// WithTrace returns a context whose fetches are told to t, after the Trace of ctx if there is
// one. A nil t is nobody. It panics if ctx is nil.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	if ctx == nil {
		panic("fetchers: WithTrace of a nil context")
	}
	if t == nil {
		return ctx
	}
	both := *t
	if both.Warn == nil {
		both.Warn = both.Note
	}
	if outer, ok := ctx.Value(traceKey{}).(*Trace); ok {
		both = compose(outer, &both)
	}
	return context.WithValue(ctx, traceKey{}, &both)
}

// WithoutTap returns a context whose fetches are told to the Trace of ctx, but not to its Tap.
func WithoutTap(ctx context.Context) context.Context {
	t := ContextTrace(ctx)
	if !t.Tapped() {
		return ctx
	}
	untapped := *t.trace
	untapped.Tap = nil
	return context.WithValue(ctx, traceKey{}, &untapped)
}

// ContextTrace returns a Tracer for the Trace of ctx. If ctx is nil, or has none, nobody is told.
func ContextTrace(ctx context.Context) Tracer {
	if ctx == nil {
		return Tracer{}
	}
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return Tracer{ctx, t}
}

// A Tracer tells the Trace of a context what happens. It is for those who write a protocol.
// Each method tells the function of its name, if that is not nil. The zero Tracer tells nobody.
type Tracer struct {
	ctx   context.Context
	trace *Trace // nil is nobody
}

// nobody has no functions.
var nobody Trace

func (t Tracer) to() *Trace {
	if t.trace == nil {
		return &nobody
	}
	return t.trace
}

// Is reports whether both tell the same Trace.
func (t Tracer) Is(other Tracer) bool { return t.trace == other.trace }

// Lines reports whether anybody listens to what is Sent, Got and noted. Where a line has to
// be put together to be told, it need not be if nobody does.
func (t Tracer) Lines() bool { to := t.to(); return to.Sent != nil || to.Got != nil || to.Note != nil }

// Tapped reports whether there is a Tap.
func (t Tracer) Tapped() bool { return t.to().Tap != nil }

// FetchStart returns the context that FetchStart of the Trace makes of ctx.
func (t Tracer) FetchStart(u *url.URL) context.Context {
	if f := t.to().FetchStart; f != nil {
		if ctx := f(t.ctx, u); ctx != nil {
			return ctx
		}
	}
	return t.ctx
}

func (t Tracer) FetchDone(u *url.URL, res *Resource, err error) {
	if f := t.to().FetchDone; f != nil {
		f(t.ctx, u, res, err)
	}
}

func (t Tracer) BodyDone(u *url.URL, n int64, err error) {
	if f := t.to().BodyDone; f != nil {
		f(t.ctx, u, n, err)
	}
}

// Resolves reports whether anybody is told of DNS.
func (t Tracer) Resolves() bool { to := t.to(); return to.DNSStart != nil || to.DNSDone != nil }

func (t Tracer) DNSStart(host string) {
	if f := t.to().DNSStart; f != nil {
		f(t.ctx, host)
	}
}

func (t Tracer) DNSDone(host string, addrs []netip.Addr, err error) {
	if f := t.to().DNSDone; f != nil {
		f(t.ctx, host, addrs, err)
	}
}

func (t Tracer) ConnectStart(network, addr string) {
	if f := t.to().ConnectStart; f != nil {
		f(t.ctx, network, addr)
	}
}

// ConnectDone tells of a connection, or after a failure that there is none: then c is nil.
func (t Tracer) ConnectDone(network, addr string, c net.Conn, err error) {
	if f := t.to().ConnectDone; f != nil {
		if c != nil {
			addr = c.RemoteAddr().String()
		}
		f(t.ctx, network, addr, err)
	}
}

func (t Tracer) TLSHandshakeStart() {
	if f := t.to().TLSHandshakeStart; f != nil {
		f(t.ctx)
	}
}

// TLSHandshakeDone tells of a handshake of c.
func (t Tracer) TLSHandshakeDone(c *tls.Conn, err error) {
	if f := t.to().TLSHandshakeDone; f != nil {
		var state tls.ConnectionState
		if err == nil {
			state = c.ConnectionState()
		}
		f(t.ctx, state, err)
	}
}

func (t Tracer) GotFirstResponseByte() {
	if f := t.to().GotFirstResponseByte; f != nil {
		f(t.ctx)
	}
}

// Reuse tells of a kept connection to a peer.
func (t Tracer) Reuse(peer net.Addr) {
	if f := t.to().Reuse; f != nil {
		f(t.ctx, peer.String())
	}
}

func (t Tracer) Sent(line string) {
	if f := t.to().Sent; f != nil {
		f(t.ctx, line)
	}
}

func (t Tracer) Got(line string) {
	if f := t.to().Got; f != nil {
		f(t.ctx, line)
	}
}

func (t Tracer) Note(text string) {
	if f := t.to().Note; f != nil {
		f(t.ctx, text)
	}
}

func (t Tracer) Warn(text string) {
	if f := t.to().Warn; f != nil {
		f(t.ctx, text)
	}
}

func (t Tracer) Login(o Origin, source string) {
	if f := t.to().Login; f != nil {
		f(t.ctx, o, source)
	}
}

func (t Tracer) Follow(from, to *url.URL) {
	if f := t.to().Follow; f != nil {
		f(t.ctx, from, to)
	}
}

func (t Tracer) Retry(try int, wait time.Duration, err error) {
	if f := t.to().Retry; f != nil {
		f(t.ctx, try, wait, err)
	}
}

// Tap returns who is told what goes over a connection to addr, or nil.
func (t Tracer) Tap(network, addr string) *Tap {
	if f := t.to().Tap; f != nil {
		return f(t.ctx, network, addr).complete()
	}
	return nil
}
