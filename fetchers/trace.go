package fetchers

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Trace has functions that are called during a fetch. Each may be nil, and may be called by
// several goroutines at once. The context is that of the fetch, as FetchStart returned it. Secrets
// are masked in the arguments; control characters are not.
type Trace struct {
	// FetchStart is called before a Client calls its Fetcher for u: the URL of the Request, the
	// target of a redirection, or either again. It returns the context of this call, which the
	// other functions receive, so that the context can carry a span; nil means ctx. FetchDone is
	// called with the result, which is nil after a failure. BodyDone follows later.
	FetchStart func(ctx context.Context, u *url.URL) context.Context
	FetchDone  func(ctx context.Context, u *url.URL, res *Resource, err error)

	// BodyDone is called once for each FetchDone without an error, when the Body of its Resource
	// has ended or is closed. n is the number of bytes read. err is nil at the end of the Body, and
	// [fs.ErrClosed] if it was closed before. If a Client resumes a Body that broke off, that is
	// another fetch, whose bytes count for the first Body, too. The goroutine that reads or closes
	// the Body calls BodyDone.
	BodyDone func(ctx context.Context, u *url.URL, n int64, err error)

	// DNSStart and DNSDone are called when a net.Dialer looks up the addresses of a host.
	DNSStart func(ctx context.Context, host string)
	DNSDone  func(ctx context.Context, host string, addrs []netip.Addr, err error)

	// ConnectStart is called before a connection is made, including the lookup of the name.
	// ConnectDone is called with the address of the peer, or with addr after a failure.
	ConnectStart func(ctx context.Context, network, addr string)
	ConnectDone  func(ctx context.Context, network, addr string, err error)

	// TLSHandshakeStart and TLSHandshakeDone are called for each handshake, also with a proxy and
	// for data connections of FTP. After a failure, state is zero.
	TLSHandshakeStart func(ctx context.Context)
	TLSHandshakeDone  func(ctx context.Context, state tls.ConnectionState, err error)

	// GotFirstResponseByte is called when a fetch reads its first byte from a connection, new or
	// kept, above TLS. For HTTP/2 it is called when the header has arrived.
	GotFirstResponseByte func(ctx context.Context)

	Reuse  func(ctx context.Context, addr string) // a kept connection to this peer is used in place of a new one
	Sent   func(ctx context.Context, line string)
	Got    func(ctx context.Context, line string)
	Note   func(ctx context.Context, text string) // a remark, for example about a tolerated fault of a server
	Warn   func(ctx context.Context, text string) // a warning that the Body is not as the request demanded; if nil, Note is called
	Login  func(ctx context.Context, o Origin, source string)
	Follow func(ctx context.Context, from, to *url.URL) // to be shown Redacted
	Retry  func(ctx context.Context, try int, wait time.Duration, err error)

	// Tap is called for each connection that the fetch uses, new or kept, with the address of the
	// requested server. It returns the Tap of the connection, or nil. The Tap of a kept connection
	// sees the exchanges of this fetch and the end, but not those of other fetches. There is none
	// for the connection to an HTTP proxy. To keep the data readable, a fetch with a Tap uses
	// HTTP/1.1, and NNTP without compression.
	Tap func(ctx context.Context, network, addr string) *Tap
}

// A Tap receives the bytes of a connection as the protocol has them: above TLS and proxies, and
// above ARDP. Secrets are replaced by "***", and header fields that hold some are passed in
// complete lines. The bytes are valid during the call only. Each function may be nil.
type Tap struct {
	Sent  func(p []byte)
	Got   func(p []byte)
	Ended func(err error)        // end of reading: io.EOF, or the error
	Data  func(addr string) *Tap // returns the Tap of a data connection of FTP to addr, or nil
}

type traceKey struct{}

// WithTrace returns a context whose fetches call the functions of t, after those of the Trace of
// ctx if there is one. A nil t has no effect. WithTrace panics if ctx is nil.
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

// WithoutTap returns a context with the Trace of ctx, but without its Tap.
func WithoutTap(ctx context.Context) context.Context {
	t := ContextTrace(ctx)
	if !t.Tapped() {
		return ctx
	}
	untapped := *t.trace
	untapped.Tap = nil
	return context.WithValue(ctx, traceKey{}, &untapped)
}

// ContextTrace returns a Tracer for the Trace of ctx. If ctx is nil or has no Trace, its methods do
// nothing.
func ContextTrace(ctx context.Context) Tracer {
	if ctx == nil {
		return Tracer{}
	}
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return Tracer{ctx, t}
}

// A Tracer calls the Trace of a context. It is for implementations of protocols. Each method calls
// the function of its name, if that is not nil. The methods of the zero Tracer do nothing.
type Tracer struct {
	ctx   context.Context
	trace *Trace // may be nil
}

// noTrace is a Trace without functions.
var noTrace Trace

func (t Tracer) to() *Trace {
	if t.trace == nil {
		return &noTrace
	}
	return t.trace
}

// Is reports whether both have the same Trace.
func (t Tracer) Is(other Tracer) bool { return t.trace == other.trace }

// Lines reports whether any of Sent, Got and Note is set. If none is, the caller need not format
// lines.
func (t Tracer) Lines() bool { to := t.to(); return to.Sent != nil || to.Got != nil || to.Note != nil }

// Tapped reports whether there is a Tap.
func (t Tracer) Tapped() bool { return t.to().Tap != nil }

// FetchStart returns the context that FetchStart of the Trace returns.
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

// Resolves reports whether DNSStart or DNSDone is set.
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

// ConnectDone reports a connection. After a failure, c is nil.
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

// TLSHandshakeDone reports a handshake of c.
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

// Reuse reports the use of a kept connection to peer.
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

// Tap returns the Tap of a connection to addr, or nil.
func (t Tracer) Tap(network, addr string) *Tap {
	if f := t.to().Tap; f != nil {
		return f(t.ctx, network, addr).complete()
	}
	return nil
}
