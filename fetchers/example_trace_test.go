package fetchers_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A span stands for the Span of a tracer such as OpenTelemetry.
type span struct {
	name string

	mu     sync.Mutex // functions of a Trace may be called concurrently
	events []string
}

type spanKey struct{}

// startSpan starts a child of the span in ctx, like the Start of a tracer.
func startSpan(ctx context.Context, name string) (context.Context, *span) {
	if parent := spanOf(ctx); parent.name != "" {
		name = parent.name + " > " + name
	}
	s := &span{name: name}
	return context.WithValue(ctx, spanKey{}, s), s
}

// spanOf returns the span in ctx. It never returns nil.
func spanOf(ctx context.Context) *span {
	if s, ok := ctx.Value(spanKey{}).(*span); ok {
		return s
	}
	return new(span)
}

func (s *span) event(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, text)
}

func (s *span) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Printf("%s: %s; %v\n", s.name, strings.Join(s.events, ", "), err)
}

// spans records a span of each fetch, from its start to the end of its Body. The context of the
// fetch carries the span, so that one Trace serves all fetches.
var spans = &fetchers.Trace{
	FetchStart: func(ctx context.Context, u *url.URL) context.Context {
		ctx, _ = startSpan(ctx, u.Path) // a real span name should begin with the scheme
		return ctx
	},
	FetchDone: func(ctx context.Context, _ *url.URL, _ *fetchers.Resource, err error) {
		if err != nil {
			spanOf(ctx).end(err)
		}
	},
	BodyDone: func(ctx context.Context, _ *url.URL, n int64, err error) {
		if errors.Is(err, fs.ErrClosed) {
			err = nil // the caller closed the Body early
		}
		spanOf(ctx).event(fmt.Sprintf("%d bytes", n))
		spanOf(ctx).end(err)
	},
	ConnectDone: func(ctx context.Context, network, _ string, _ error) { spanOf(ctx).event("connected by " + network) },
	TLSHandshakeDone: func(ctx context.Context, state tls.ConnectionState, err error) {
		if err == nil {
			spanOf(ctx).event(tls.VersionName(state.Version))
		}
	},
	Reuse:                func(ctx context.Context, _ string) { spanOf(ctx).event("connection reused") },
	GotFirstResponseByte: func(ctx context.Context) { spanOf(ctx).event("first byte") },
}

// Each exchange has a span below that of the caller.
func ExampleWithTrace_spans() {
	mux := nethttp.NewServeMux()
	mux.Handle("/old", nethttp.RedirectHandler("/new", nethttp.StatusFound))
	mux.HandleFunc("/new", func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, "hello") })
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	f := &http.Fetcher{TLS: server.Client().Transport.(*nethttp.Transport).TLSClientConfig}
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}

	ctx := fetchers.WithTrace(context.Background(), spans) // once per program
	ctx, _ = startSpan(ctx, "import")                      // span of the caller
	res, err := client.Get(ctx, server.URL+"/old")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	io.Copy(io.Discard, res.Body)
	// Output:
	// import > /old: connected by tcp, TLS 1.3, first byte, 0 bytes; <nil>
	// import > /new: connection reused, first byte, 5 bytes; <nil>
}

// logged is a Trace for a slog.Handler that takes attributes from the context.
func logged(log *slog.Logger) *fetchers.Trace {
	return &fetchers.Trace{
		FetchDone: func(ctx context.Context, u *url.URL, res *fetchers.Resource, err error) {
			switch {
			case err != nil:
				log.WarnContext(ctx, "failed", "url", u.Redacted(), "error", err)
			case res.RemoteAddr == nil:
				log.InfoContext(ctx, "found", "url", u.Redacted())
			default:
				log.InfoContext(ctx, "found", "url", u.Redacted(), "addr", res.RemoteAddr.String())
			}
		},
		BodyDone: func(ctx context.Context, u *url.URL, n int64, err error) {
			log.InfoContext(ctx, "body", "url", u.Redacted(), "bytes", n, "error", err)
		},
		Retry: func(ctx context.Context, try int, wait time.Duration, err error) {
			log.InfoContext(ctx, "retry", "try", try, "error", err)
		},
	}
}

// A log of events. The Trace of a library that is called with the same context receives them, too.
func ExampleWithTrace_slog() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	ctx := fetchers.WithTrace(context.Background(), logged(slog.New(handler)))

	client := &fetchers.Client{Fetcher: paths(), Retry: fetchers.Retry{Max: 1, Min: time.Millisecond}}
	res, err := client.Get(ctx, "x-path:busy")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	io.Copy(io.Discard, res.Body)
	// Output:
	// level=WARN msg=failed url=x-path:busy error="get x-path:busy: too many users"
	// level=INFO msg=retry try=1 error="get x-path:busy: too many users"
	// level=INFO msg=found url=x-path:busy
	// level=INFO msg=body url=x-path:busy bytes=4 error=<nil>
}
