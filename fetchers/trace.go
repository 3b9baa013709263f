package fetchers

import (
	"context"
	"net"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Trace is told what happens during a fetch. Any of its functions may be
// nil. Secrets are masked before they get here; control characters are not.
// The functions may be called by several goroutines at once.
type Trace struct {
	Connect func(network, addr string, err error) // addr is the peer's address, or the name if there was none
	Reuse   func(addr string)                     // a connection to that peer, kept from before, takes the place of a new one
	Sent    func(line string)
	Got     func(line string)
	Note    func(text string) // a remark, such as how an odd server was humoured
	Warn    func(text string) // a warning that the Body is not what the request asked for; if nil, Note gets it
	Login   func(o Origin, source string)
	Follow  func(from, to *url.URL) // to be shown Redacted
	Retry   func(try int, wait time.Duration, err error)

	// Tap is told of each connection that the fetch uses, new or kept, by the
	// address of the server that was asked for, and returns who is told what
	// goes over it from now on, or nil if nobody is. Of a kept connection it
	// hears the exchanges of this fetch and the end, and none of other fetches.
	// There is none for the connections to an HTTP proxy. A fetch with a Tap
	// can be read: HTTP is in version 1.1, and news without compression.
	Tap func(network, addr string) *Tap

	tapped bool // there is a Tap
	lines  bool // Sent, Got or Note is somebody's
	reuse  bool // Reuse is somebody's
}

// A Tap is told what goes over a connection, octet for octet, as the protocol has
// it: above TLS and proxies, and above ARDP. Secrets are "***" there, and header
// fields that hold some are told in whole lines. The octets are good during the
// call only. None of the functions may be nil.
type Tap struct {
	Sent  func(p []byte)
	Got   func(p []byte)
	Ended func(err error)        // how reading has ended: io.EOF, or what went wrong
	Data  func(addr string) *Tap // of a data connection of FTP, which is to addr; it may be nil
}

type traceKey struct{}

// silent is the Trace of a context that has none.
var silent = (&Trace{}).complete()

// WithTrace returns a context whose fetches are told to t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t.complete())
}

// WithoutTap returns a context whose fetches are told to the Trace of ctx, but not to its Tap.
func WithoutTap(ctx context.Context) context.Context {
	t := *ContextTrace(ctx)
	if !t.tapped {
		return ctx
	}
	t.Tap = nil
	return context.WithValue(ctx, traceKey{}, t.complete())
}

// ContextTrace returns the Trace of ctx. It is never nil, and neither is any of
// its functions.
func ContextTrace(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return silent
}

// Tapped reports whether there is a Tap.
func (t *Trace) Tapped() bool { return t.tapped }

// Lines reports whether anybody listens to what is Sent, Got and noted. Where a line has to
// be put together to be told, it need not be if nobody does.
func (t *Trace) Lines() bool { return t.lines }

// Reused tells Reuse the address of a peer. It is not put together if nobody listens.
func (t *Trace) Reused(peer net.Addr) {
	if t.reuse {
		t.Reuse(peer.String())
	}
}

// complete returns a copy of t with a function in every field.
func (t *Trace) complete() *Trace {
	c := *t
	c.tapped = t.Tap != nil
	c.lines = c.Sent != nil || c.Got != nil || c.Note != nil
	c.reuse = c.Reuse != nil
	if c.Connect == nil {
		c.Connect = func(string, string, error) {}
	}
	if c.Reuse == nil {
		c.Reuse = func(string) {}
	}
	if c.Sent == nil {
		c.Sent = func(string) {}
	}
	if c.Got == nil {
		c.Got = func(string) {}
	}
	if c.Note == nil {
		c.Note = func(string) {}
	}
	if c.Warn == nil {
		c.Warn = c.Note
	}
	if c.Login == nil {
		c.Login = func(Origin, string) {}
	}
	if c.Follow == nil {
		c.Follow = func(_, _ *url.URL) {}
	}
	if c.Retry == nil {
		c.Retry = func(int, time.Duration, error) {}
	}
	if c.Tap == nil {
		c.Tap = func(string, string) *Tap { return nil }
	}
	return &c
}
