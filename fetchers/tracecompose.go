package fetchers

import (
	"context"

	"github.com/seed1ea3422f/fetch/url"
)

// compose returns a Trace that calls the functions of first and then those of second.
func compose(first, second *Trace) Trace {
	return Trace{
		FetchStart:           startBoth(first.FetchStart, second.FetchStart),
		FetchDone:            both3(first.FetchDone, second.FetchDone),
		BodyDone:             both3(first.BodyDone, second.BodyDone),
		DNSStart:             both1(first.DNSStart, second.DNSStart),
		DNSDone:              both3(first.DNSDone, second.DNSDone),
		ConnectStart:         both2(first.ConnectStart, second.ConnectStart),
		ConnectDone:          both3(first.ConnectDone, second.ConnectDone),
		TLSHandshakeStart:    both0(first.TLSHandshakeStart, second.TLSHandshakeStart),
		TLSHandshakeDone:     both2(first.TLSHandshakeDone, second.TLSHandshakeDone),
		GotFirstResponseByte: both0(first.GotFirstResponseByte, second.GotFirstResponseByte),
		Reuse:                both1(first.Reuse, second.Reuse),
		Sent:                 both1(first.Sent, second.Sent),
		Got:                  both1(first.Got, second.Got),
		Note:                 both1(first.Note, second.Note),
		Warn:                 both1(first.Warn, second.Warn),
		Login:                both2(first.Login, second.Login),
		Follow:               both2(first.Follow, second.Follow),
		Retry:                both3(first.Retry, second.Retry),
		Tap:                  tapBoth(first.Tap, second.Tap),
	}
}

func startBoth(a, b func(context.Context, *url.URL) context.Context) func(context.Context, *url.URL) context.Context {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context, u *url.URL) context.Context {
		if made := a(ctx, u); made != nil {
			ctx = made
		}
		if made := b(ctx, u); made != nil {
			ctx = made
		}
		return ctx
	}
}

func both0(a, b func(context.Context)) func(context.Context) {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context) { a(ctx); b(ctx) }
}

func both1[A any](a, b func(context.Context, A)) func(context.Context, A) {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context, x A) { a(ctx, x); b(ctx, x) }
}

func both2[A, B any](a, b func(context.Context, A, B)) func(context.Context, A, B) {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context, x A, y B) { a(ctx, x, y); b(ctx, x, y) }
}

func both3[A, B, C any](a, b func(context.Context, A, B, C)) func(context.Context, A, B, C) {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context, x A, y B, z C) { a(ctx, x, y, z); b(ctx, x, y, z) }
}

// either returns b if a is nil, and otherwise a.
func either[F any](a, b F, isNil bool) F {
	if isNil {
		return b
	}
	return a
}

func tapBoth(a, b func(ctx context.Context, network, addr string) *Tap) func(ctx context.Context, network, addr string) *Tap {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return func(ctx context.Context, network, addr string) *Tap {
		return tell(a(ctx, network, addr).complete(), b(ctx, network, addr).complete())
	}
}

// tell returns a Tap that calls both, which are complete. Either may be nil.
func tell(a, b *Tap) *Tap {
	if a == nil || b == nil {
		return either(a, b, a == nil)
	}
	return &Tap{
		Sent:  func(p []byte) { a.Sent(p); b.Sent(p) },
		Got:   func(p []byte) { a.Got(p); b.Got(p) },
		Ended: func(err error) { a.Ended(err); b.Ended(err) },
		Data:  func(addr string) *Tap { return tell(a.Data(addr), b.Data(addr)) },
	}
}

// complete returns a copy of t with a function in every field, or nil if t is nil.
func (t *Tap) complete() *Tap {
	if t == nil {
		return nil
	}
	c := *t
	if c.Sent == nil {
		c.Sent = func([]byte) {}
	}
	if c.Got == nil {
		c.Got = func([]byte) {}
	}
	if c.Ended == nil {
		c.Ended = func(error) {}
	}
	data := t.Data
	c.Data = func(addr string) *Tap {
		if data == nil {
			return nil
		}
		return data(addr).complete()
	}
	return &c
}
