package otel

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// A lab has the spans and metrics of a Trace in memory.
type lab struct {
	trace  *fetchers.Trace
	tracer *sdktrace.TracerProvider
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
}

func newLab(t *testing.T, queries bool) *lab {
	t.Helper()
	l := &lab{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	l.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(l.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(l.reader))
	t.Cleanup(func() { l.tracer.Shutdown(context.Background()); meters.Shutdown(context.Background()) })
	var err error
	if l.trace, err = New(Config{Tracers: l.tracer, Meters: meters, Queries: queries}); err != nil {
		t.Fatal(err)
	}
	return l
}

// metrics returns each data point as "NAME{LABELS} VALUE". The value of a duration is its count,
// and that of a size is its sum.
func (l *lab) metrics(t *testing.T) (points []string) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := l.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	add := func(name string, labels attribute.Set, value any) {
		points = append(points, fmt.Sprintf("%s{%s} %v", name, labels.Encoded(attribute.DefaultEncoder()), value))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, p.Count)
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, p.Sum)
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			default:
				t.Errorf("%s has data of type %T", m.Name, data)
			}
		}
	}
	slices.Sort(points)
	return points
}

// attributes returns the attributes of a span, except those that differ in each run.
func attributes(span sdktrace.ReadOnlySpan, without ...string) map[string]string {
	found := make(map[string]string)
	for _, kv := range span.Attributes() {
		if name := string(kv.Key); !slices.Contains(without, name) {
			found[name] = kv.Value.String()
		}
	}
	return found
}

func events(span sdktrace.ReadOnlySpan) (names []string) {
	for _, e := range span.Events() {
		names = append(names, e.Name)
	}
	return names
}

// read fetches text and reads the whole Body.
func read(ctx context.Context, client *fetchers.Client, text string) error {
	res, err := client.Get(ctx, text)
	if err != nil {
		return err
	}
	defer res.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

func equal(t *testing.T, of string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", of, got, want)
	}
}

// A redirection over HTTPS has two spans below that of the caller, with the connection in the first
// one.
func TestSpansOfHTTPS(t *testing.T) {
	mux := nethttp.NewServeMux()
	mux.Handle("/old", nethttp.RedirectHandler("/new?token=s3cret", nethttp.StatusFound))
	mux.HandleFunc("/new", func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, "hello") })
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	f := &http.Fetcher{TLS: server.Client().Transport.(*nethttp.Transport).TLSClientConfig}
	defer f.CloseIdle()

	l := newLab(t, false)
	ctx, caller := l.tracer.Tracer("test").Start(t.Context(), "import")
	if err := read(fetchers.WithTrace(ctx, l.trace), &fetchers.Client{Fetcher: f}, server.URL+"/old?token=s3cret"); err != nil {
		t.Fatal(err)
	}
	caller.End()

	spans := l.spans.Ended()
	if len(spans) != 3 {
		t.Fatalf("%d spans, want 3", len(spans))
	}
	for i, path := range []string{"/old", "/new"} {
		span := spans[i]
		if span.Name() != "fetch https" || span.Parent().SpanID() != caller.SpanContext().SpanID() {
			t.Errorf("span %q has the parent %v", span.Name(), span.Parent().SpanID())
		}
		want := map[string]string{
			"url.scheme": "https", "url.full": server.URL + path + "?***", "server.address": "127.0.0.1",
			"network.peer.address": "127.0.0.1", "network.protocol.name": "http", "network.protocol.version": "1.1",
			"tls.protocol.version": "1.3", "http.response.status_code": "302", "fetch.kind": "redirect", "fetch.body.size": "0",
		}
		if path == "/new" {
			want["http.response.status_code"], want["fetch.kind"], want["fetch.body.size"] = "200", "document", "5"
		}
		equal(t, path, attributes(span, "server.port", "network.peer.port", "fetch.body.closed"), want)
	}
	equal(t, "events of the first request", events(spans[0]), []string{"connect.start", "connect.done", "tls.start", "tls.done", "first_byte"})
	equal(t, "events of the second request", events(spans[1]), []string{"connect.reuse", "first_byte"})
	equal(t, "events of the caller", events(spans[2]), []string{"fetch.redirect"})
	equal(t, "metrics", l.metrics(t), []string{
		"fetch.client.active_fetches{url.scheme=https} 0",
		"fetch.client.body.size{fetch.kind=document,url.scheme=https} 5",
		"fetch.client.body.size{fetch.kind=redirect,url.scheme=https} 0",
		"fetch.client.duration{fetch.kind=document,url.scheme=https} 1",
		"fetch.client.duration{fetch.kind=redirect,url.scheme=https} 1",
		"fetch.client.response.duration{fetch.kind=document,url.scheme=https} 1",
		"fetch.client.response.duration{fetch.kind=redirect,url.scheme=https} 1",
	})
}

// A fetch by FTP has the reply of the server. The user and the password are in no attribute.
func TestSpansOfFTP(t *testing.T) {
	server := ftptest.New(t, fstest.MapFS{"a": {Data: []byte("hello")}}, ftptest.User("joe", "s3cret"))
	f := new(ftp.Fetcher)
	defer f.CloseIdle()
	l := newLab(t, false)
	ctx := fetchers.WithTrace(t.Context(), l.trace)
	client := &fetchers.Client{Fetcher: f}
	there := strings.Replace(server.URL, "ftp://", "ftp://joe:s3cret@", 1)
	if err := read(ctx, client, there+"/a"); err != nil {
		t.Fatal(err)
	}
	if err := read(ctx, client, there+"/b"); err == nil {
		t.Fatal("a missing file was fetched")
	}
	spans := l.spans.Ended()
	if len(spans) != 2 {
		t.Fatalf("%d spans, want 2", len(spans))
	}
	equal(t, "attributes", attributes(spans[0], "server.port", "network.peer.port"), map[string]string{
		"url.scheme": "ftp", "url.full": server.URL + "/a", "server.address": "127.0.0.1", "network.peer.address": "127.0.0.1",
		"fetch.reply.code": "150", "fetch.kind": "document", "fetch.body.size": "5",
	})
	if got := attributes(spans[1]); got["error.type"] != "not-found" || got["fetch.reply.code"] != "550" || spans[1].Status().Code != codes.Error {
		t.Errorf("a missing file: %q, %v", got, spans[1].Status())
	}
	for _, span := range spans {
		if text := fmt.Sprint(span.Attributes(), span.Events(), span.Status()); strings.Contains(text, "s3cret") || strings.Contains(text, "joe@") {
			t.Errorf("a secret is in %s", text)
		}
	}
	equal(t, "metrics", l.metrics(t), []string{
		"fetch.client.active_fetches{url.scheme=ftp} 0",
		"fetch.client.body.size{fetch.kind=document,url.scheme=ftp} 5",
		"fetch.client.duration{error.type=not-found,url.scheme=ftp} 1",
		"fetch.client.duration{fetch.kind=document,url.scheme=ftp} 1",
		"fetch.client.errors{error.type=not-found,url.scheme=ftp} 1",
		"fetch.client.response.duration{error.type=not-found,url.scheme=ftp} 1",
		"fetch.client.response.duration{fetch.kind=document,url.scheme=ftp} 1",
	})
}

// answers is a Fetcher whose Body is answers(u), or whose error is.
func answers(answer func(u *url.URL) (io.Reader, error)) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		body, err := answer(req.URL)
		if err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
		res.SetBody(io.NopCloser(body))
		return res, nil
	})
}

// A retry is an event of the caller. A Body that the caller closes is no failure.
func TestRetryAndClose(t *testing.T) {
	tries := 0
	f := answers(func(*url.URL) (io.Reader, error) {
		if tries++; tries == 1 {
			return nil, fetchers.Temporary(errors.New("busy with ?key=s3cret"))
		}
		return strings.NewReader("hello"), nil
	})
	l := newLab(t, false)
	ctx, caller := l.tracer.Tracer("test").Start(t.Context(), "import")
	client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 1, Min: time.Millisecond}}
	res, err := client.Get(fetchers.WithTrace(ctx, l.trace), "http://h.example/?key=s3cret")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.metrics(t); !slices.Contains(got, "fetch.client.active_fetches{url.scheme=http} 1") {
		t.Errorf("while the Body is open: %q", got)
	}
	res.Close()
	caller.End()
	spans := l.spans.Ended()
	if len(spans) != 3 {
		t.Fatalf("%d spans, want 3", len(spans))
	}
	if got, want := spans[0].Status().Description, "fetch http://h.example/?***: busy with ?***"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
	if got := attributes(spans[1]); got["fetch.body.closed"] != "true" || got["error.type"] != "" || spans[1].Status().Code != codes.Unset {
		t.Errorf("closed: %q, %v", got, spans[1].Status())
	}
	equal(t, "events of the caller", events(spans[2]), []string{"fetch.retry"})
	if got := l.metrics(t); !slices.Contains(got, "fetch.client.active_fetches{url.scheme=http} 0") {
		t.Errorf("at the end: %q", got)
	}
}

// A keychain has one login for all origins.
type keychain struct{}

func (keychain) Lookup(context.Context, fetchers.Origin) (fetchers.Credential, error) {
	return fetchers.Credential{User: "joe", Password: "s3cret", Source: "a test"}, nil
}

// A login is an event of the caller, with the source of the credential and without the credential.
func TestLogin(t *testing.T) {
	refused := false
	f := answers(func(*url.URL) (io.Reader, error) {
		if !refused {
			refused = true
			return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: 401}, Class: fetchers.ErrLogin}
		}
		return strings.NewReader("hello"), nil
	})
	l := newLab(t, false)
	ctx, caller := l.tracer.Tracer("test").Start(t.Context(), "import")
	if err := read(fetchers.WithTrace(ctx, l.trace), &fetchers.Client{Fetcher: f, Keychain: keychain{}}, "http://h.example/"); err != nil {
		t.Fatal(err)
	}
	caller.End()
	spans := l.spans.Ended()
	last := spans[len(spans)-1]
	equal(t, "events of the caller", events(last), []string{"fetch.login"})
	if got := fmt.Sprint(last.Events()[0].Attributes); strings.Contains(got, "s3cret") || strings.Contains(got, "joe") || !strings.Contains(got, "a test") {
		t.Errorf("the event has %s", got)
	}
	if got := attributes(spans[0]); got["error.type"] != "login" || got["http.response.status_code"] != "401" {
		t.Errorf("the refusal: %q", got)
	}
}

// With Queries, spans have the query of a URL, and still no password.
func TestQueries(t *testing.T) {
	l := newLab(t, true)
	client := &fetchers.Client{Fetcher: answers(func(*url.URL) (io.Reader, error) { return nil, errors.New("no") })}
	if err := read(fetchers.WithTrace(t.Context(), l.trace), client, "http://joe:s3cret@h.example/?page=2"); err == nil {
		t.Fatal("no error")
	}
	span := l.spans.Ended()[0]
	if got := attributes(span)["url.full"]; got != "http://h.example/?page=2" {
		t.Errorf("url.full is %q", got)
	}
	if got := span.Status().Description; got != "fetch http://h.example/?page=2: no" {
		t.Errorf("status %q", got)
	}
}

// A Trace of the program is called too, and two observers of one context do not disturb each other.
func TestTracesCompose(t *testing.T) {
	first, second := newLab(t, false), newLab(t, false)
	done := 0
	own := &fetchers.Trace{BodyDone: func(context.Context, *url.URL, int64, error) { done++ }}
	ctx := t.Context()
	for _, trace := range []*fetchers.Trace{first.trace, own, second.trace} {
		ctx = fetchers.WithTrace(ctx, trace)
	}
	client := &fetchers.Client{Fetcher: answers(func(*url.URL) (io.Reader, error) { return strings.NewReader("hello"), nil })}
	if err := read(ctx, client, "gopher://h.example/"); err != nil {
		t.Fatal(err)
	}
	if done != 1 {
		t.Errorf("BodyDone of the program was called %d times", done)
	}
	equal(t, "metrics", first.metrics(t), second.metrics(t))
	for _, l := range []*lab{first, second} {
		if spans := l.spans.Ended(); len(spans) != 1 || spans[0].Name() != "fetch gopher" {
			t.Errorf("spans: %v", spans)
		}
	}
}
