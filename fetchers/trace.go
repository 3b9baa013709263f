package fetchers

import (
	"context"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Trace is told what happens during a fetch. Any of its functions may be
// nil. Secrets are masked before they get here; control characters are not.
// The functions may be called by several goroutines at once.
type Trace struct {
	Connect func(network, addr string, err error) // addr is the peer's address, or the name if there was none
	Sent    func(line string)
	Got     func(line string)
	Note    func(text string) // a remark, such as how an odd server was humoured
	Login   func(o Origin, source string)
	Follow  func(from, to *url.URL) // to be shown Redacted
	Retry   func(try int, wait time.Duration, err error)
}

type traceKey struct{}

// silent is the Trace of a context that has none.
var silent = (&Trace{}).complete()

// WithTrace returns a context whose fetches are told to t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
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

// complete returns a copy of t with a function in every field.
func (t *Trace) complete() *Trace {
	c := *t
	if c.Connect == nil {
		c.Connect = func(string, string, error) {}
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
	if c.Login == nil {
		c.Login = func(Origin, string) {}
	}
	if c.Follow == nil {
		c.Follow = func(_, _ *url.URL) {}
	}
	if c.Retry == nil {
		c.Retry = func(int, time.Duration, error) {}
	}
	return &c
}
