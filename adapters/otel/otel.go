package otel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// scope is the name of the Tracer and of the Meter.
const scope = "github.com/seed1ea3422f/fetch/adapters/otel"

// A Config selects the destination of spans and metrics. The zero Config uses the global providers.
type Config struct {
	Tracers trace.TracerProvider // nil means otel.GetTracerProvider()
	Meters  metric.MeterProvider // nil means otel.GetMeterProvider()

	// Queries keeps the queries of URLs in spans. A query may hold a token or a signature; without
	// Queries, *** replaces it.
	Queries bool
}

// New returns a Trace that makes spans and metrics. The error is one of the MeterProvider.
func New(c Config) (*fetchers.Trace, error) {
	if c.Tracers == nil {
		c.Tracers = otel.GetTracerProvider()
	}
	if c.Meters == nil {
		c.Meters = otel.GetMeterProvider()
	}
	m, err := newInstruments(c.Meters.Meter(scope))
	if err != nil {
		return nil, fmt.Errorf("create instruments: %w", err)
	}
	o := &observer{tracer: c.Tracers.Tracer(scope), instruments: m, queries: c.Queries}
	return &fetchers.Trace{
		FetchStart: o.start, FetchDone: o.answered, BodyDone: o.ended,

		DNSStart:     func(ctx context.Context, _ string) { o.event(ctx, "dns.start") },
		DNSDone:      o.resolved,
		ConnectStart: func(ctx context.Context, network, _ string) { o.event(ctx, "connect.start", transport(network)) },
		ConnectDone:  o.connected,
		Reuse:        func(ctx context.Context, addr string) { o.event(ctx, "connect.reuse", peer(addr)...) },

		TLSHandshakeStart:    func(ctx context.Context) { o.event(ctx, "tls.start") },
		TLSHandshakeDone:     o.secured,
		GotFirstResponseByte: func(ctx context.Context) { o.event(ctx, "first_byte") },

		Login: func(ctx context.Context, _ fetchers.Origin, source string) {
			tell(ctx, "fetch.login", attribute.String("fetch.login.source", clean(source)))
		},
		Follow: func(ctx context.Context, _, to *url.URL) {
			tell(ctx, "fetch.redirect", attribute.String("url.full", o.shown(to)))
		},
		Retry: func(ctx context.Context, try int, wait time.Duration, err error) {
			tell(ctx, "fetch.retry", append(errorType(err), attribute.Int("fetch.retry.count", try), attribute.Float64("fetch.retry.wait", wait.Seconds()))...)
		},
	}, nil
}

// An observer makes the spans and metrics of a Trace. Its address is the key of an observation in a
// context, so that two Traces of one context do not share observations.
type observer struct {
	tracer  trace.Tracer
	queries bool
	*instruments
}

// An observation is the state of a request that is being observed.
type observation struct {
	span   trace.Span
	began  time.Time
	labels []attribute.KeyValue // of metrics: scheme and, after the response, kind; not changed in place
}

// of returns the observation of ctx, or nil if ctx is not that of a request.
func (o *observer) of(ctx context.Context) *observation {
	x, _ := ctx.Value(o).(*observation)
	return x
}

// start begins the span of a request.
func (o *observer) start(ctx context.Context, u *url.URL) context.Context {
	scheme := schemeOf(u)
	attrs := append(server(u), attribute.String("url.scheme", scheme), attribute.String("url.full", o.shown(u)))
	ctx, span := o.tracer.Start(ctx, "fetch "+scheme, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	x := &observation{span: span, began: time.Now(), labels: []attribute.KeyValue{attribute.String("url.scheme", scheme)}}
	o.active.Add(ctx, 1, labelled(x.labels))
	return context.WithValue(ctx, o, x)
}

// answered adds the response to the span. A failure ends it.
func (o *observer) answered(ctx context.Context, u *url.URL, res *fetchers.Resource, err error) {
	x := o.of(ctx)
	if x == nil {
		return
	}
	if x.span.IsRecording() {
		x.span.SetAttributes(response(u, res, err)...)
	}
	scheme := x.labels
	if err == nil {
		x.labels = []attribute.KeyValue{scheme[0], attribute.String("fetch.kind", res.Kind.String())}
	}
	o.responses.Record(ctx, time.Since(x.began).Seconds(), labelled(x.labels, errorType(err)...))
	if err != nil {
		o.finish(ctx, x, u, err)
	}
}

// ended ends the span with the size of the Body. A Body that the caller closes is no failure.
func (o *observer) ended(ctx context.Context, u *url.URL, n int64, err error) {
	x := o.of(ctx)
	if x == nil {
		return
	}
	x.span.SetAttributes(attribute.Int64("fetch.body.size", n))
	if errors.Is(err, fs.ErrClosed) {
		err = nil
		x.span.SetAttributes(attribute.Bool("fetch.body.closed", true))
	}
	o.sizes.Record(ctx, n, labelled(x.labels, errorType(err)...))
	o.finish(ctx, x, u, err)
}

// finish ends the span of x and counts it.
func (o *observer) finish(ctx context.Context, x *observation, u *url.URL, err error) {
	failure := errorType(err)
	if err != nil {
		o.errors.Add(ctx, 1, labelled(x.labels[:1], failure...))
		if x.span.IsRecording() {
			x.span.SetStatus(codes.Error, o.text(u, err))
			x.span.SetAttributes(failure...)
		}
	}
	o.active.Add(ctx, -1, labelled(x.labels[:1]))
	o.durations.Record(ctx, time.Since(x.began).Seconds(), labelled(x.labels, failure...))
	x.span.End()
}

// event adds an event to the span of the request of ctx.
func (o *observer) event(ctx context.Context, name string, attrs ...attribute.KeyValue) {
	if x := o.of(ctx); x != nil {
		x.span.AddEvent(name, trace.WithAttributes(attrs...))
	}
}

// tell adds an event to the span of the caller.
func tell(ctx context.Context, name string, attrs ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).AddEvent(name, trace.WithAttributes(attrs...))
}

func (o *observer) resolved(ctx context.Context, _ string, addrs []netip.Addr, err error) {
	o.event(ctx, "dns.done", append(errorType(err), attribute.Int("dns.addresses", len(addrs)))...)
}

func (o *observer) connected(ctx context.Context, network, addr string, err error) {
	o.event(ctx, "connect.done", append(append(errorType(err), transport(network)), peer(addr)...)...)
}

func (o *observer) secured(ctx context.Context, state tls.ConnectionState, err error) {
	attrs := errorType(err)
	if err == nil {
		attrs = append(attrs, tlsVersion(&state), attribute.Bool("tls.resumed", state.DidResume))
	}
	o.event(ctx, "tls.done", attrs...)
}
