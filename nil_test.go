package fetch_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/crawl/mirror"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/mail"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Variables, so that static checkers do not report the calls.
var (
	noContext context.Context
	noURL     *url.URL
	noFetcher fetchers.Fetcher
	noOption  fetch.Option
	noRequest *fetchers.Request
)

// The outcomes of a call with nil.
const (
	fails  = "an error"
	panics = "a panic that is documented"
	none   = "neither"
)

// anyURL is a URL whose server never gets a request.
var anyURL = &url.URL{Scheme: "http", Slashes: true, Authority: url.Authority{Host: "127.0.0.1", Port: 9}, Path: "/x"}

// nothing is a Fetcher without a network.
var nothing = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
	res.SetBody(nil)
	return res, nil
})

// nilCalls lists the exported functions that take a URL, a context, a Request, a Fetcher or an
// Option, with the names of their package, type and function, and calls them with nil for that
// argument.
var nilCalls = []struct {
	name string
	call func() error
	want string
}{
	{"fetch.Get", func() error { return failure(fetch.Get(noContext, "data:,x")) }, fails},
	{"fetch.Get", func() error { return failure(fetch.Get(context.Background(), "data:,x", noOption)) }, fails},

	{"fetchers.Fetch", func() error { return failure(fetchers.Fetch(noContext, nothing, request())) }, fails},
	{"fetchers.Fetch", func() error { return failure(fetchers.Fetch(context.Background(), noFetcher, request())) }, fails},
	{"fetchers.Fetch", func() error { return failure(fetchers.Fetch(context.Background(), nothing, noRequest)) }, fails},
	{"fetchers.Request.Check", func() error { return request().Check(noContext) }, fails},
	{"fetchers.Request.Check", func() error { return noRequest.Check(context.Background()) }, fails},
	{"fetchers.Request.At", func() error { request().At(noURL); return nil }, none},
	{"fetchers.Client.Get", func() error { return failure((&fetchers.Client{Fetcher: nothing}).Get(noContext, "data:,x")) }, fails},
	{"fetchers.Client.Get", func() error { return failure((&fetchers.Client{}).Get(context.Background(), "data:,x")) }, fails},
	{"fetchers.NewError", func() error { return fetchers.NewError("fetch", noURL, io.EOF) }, fails},
	{"fetchers.OriginOf", func() error { fetchers.OriginOf(noURL); return nil }, none},
	{"fetchers.Registry.Register", func() error { new(fetchers.Registry).Register(noFetcher, "x"); return nil }, panics},
	{"fetchers.Registry.CheckPort", func() error { return new(fetchers.Registry).CheckPort(noURL) }, fails},
	{"fetchers.Network.IsLocal", func() error { new(fetchers.Network).IsLocal(noURL); return nil }, none},
	{"fetchers.Network.DialContext", func() error { return failure(new(fetchers.Network).DialContext(noContext, "tcp", "127.0.0.1:9")) }, fails},
	{"fetchers.Network.DialDataContext", func() error { return failure(new(fetchers.Network).DialDataContext(noContext, "tcp", "127.0.0.1:9")) }, fails},
	{"fetchers.Keychains.Lookup", func() error {
		return failure(fetchers.Keychains{new(fetchers.Netrc)}.Lookup(noContext, fetchers.Origin{}))
	}, fails},
	{"fetchers.Netrc.Lookup", func() error { return failure(new(fetchers.Netrc).Lookup(noContext, fetchers.Origin{})) }, fails},
	{"fetchers.ContextTrace", func() error { fetchers.ContextTrace(noContext).Note("x"); return nil }, none},
	{"fetchers.ContextPace", func() error { fetchers.ContextPace(noContext).Left(); return nil }, none},
	{"fetchers.WithTrace", func() error { fetchers.WithTrace(noContext, new(fetchers.Trace)); return nil }, panics},
	{"fetchers.WithoutTap", func() error { fetchers.WithoutTap(noContext); return nil }, none},
	{"fetchers.Pause", func() error { return fetchers.Pause(noContext, 0) }, fails},
	{"fetchers.WithPause", func() error { fetchers.WithPause(noContext, nil); return nil }, panics},
	{"fetchers.Tracer.FetchStart", func() error { fetchers.ContextTrace(noContext).FetchStart(noURL); return nil }, none},
	{"fetchers.Tracer.FetchDone", func() error { fetchers.ContextTrace(noContext).FetchDone(noURL, nil, nil); return nil }, none},
	{"fetchers.Tracer.BodyDone", func() error { fetchers.ContextTrace(noContext).BodyDone(noURL, 0, nil); return nil }, none},
	{"fetchers.Tracer.Follow", func() error { fetchers.ContextTrace(noContext).Follow(noURL, noURL); return nil }, none},
	{"fetchers.Walk", func() error { return first(fetchers.Walk(noContext, nothing, anyURL)) }, fails},
	{"fetchers.Walk", func() error { return first(fetchers.Walk(context.Background(), noFetcher, anyURL)) }, fails},
	{"fetchers.Walk", func() error { return first(fetchers.Walk(context.Background(), nothing, noURL)) }, fails},
	{"fetchers.Walker.Walk", func() error { return first(new(fetchers.Walker).Walk(context.Background(), anyURL)) }, fails},
	{"fetchers.NewFS", func() error { fetchers.NewFS(noContext, nothing, anyURL); return nil }, panics},
	{"fetchers.NewFS", func() error { fetchers.NewFS(context.Background(), noFetcher, anyURL); return nil }, panics},
	{"fetchers.NewFS", func() error { fetchers.NewFS(context.Background(), nothing, noURL); return nil }, panics},
	{"fetchers.Restarts.Context", func() error { new(fetchers.Restarts).Context(noContext); return nil }, panics},
	{"fetchers.Restarts.Again", func() error { return new(fetchers.Restarts).Again(noContext, io.EOF) }, fails},

	{"fetchers/gopher.Form.Fill", func() error { return failure(gopher.Form{}.Fill(noURL, nil)) }, fails},
	{"fetchers/http.Fetcher.List", func() error { return failure(new(http.Fetcher).List(noContext, request())) }, fails},
	{"fetchers/http.Fetcher.List", func() error { return failure(new(http.Fetcher).List(context.Background(), noRequest)) }, fails},
	{"fetchers/http.Jar.LoadFor", func() error { return new(http.Jar).LoadFor(strings.NewReader(""), noURL) }, none},
	{"fetchers/http.Jar.Receive", func() error { new(http.Jar).Receive(noURL, []string{"a=b"}); return nil }, none},
	{"fetchers/http.Jar.Field", func() error { new(http.Jar).Field(noURL); return nil }, none},
	{"fetchers/http.HSTS.Receive", func() error { new(http.HSTS).Receive(noURL, "max-age=9"); return nil }, none},
	{"fetchers/s3.ParseListing", func() error { return first(s3.ParseListing(noURL, strings.NewReader("<ListBucketResult/>"))) }, fails},
	{"fetchers/s3.Account.ForAll", func() error { return failure(s3.Account{}.ForAll(noContext, "bucket")) }, none},
	{"fetchers/gemini.ParsePage", func() error { return first(gemini.ParsePage(noURL, strings.NewReader("=> gemini://h.example/ a"))) }, none},
	{"fetchers/gemini.Memory.Update", func() error {
		return new(gemini.Memory).Update(noContext, "h:1", func(kept gemini.Pin) (gemini.Pin, error) { return kept, nil })
	}, none},
	{"fetchers/http.HSTS.Upgrade", func() error { new(http.HSTS).Upgrade(noURL); return nil }, none},
	{"fetchers/http.ParseIndex", func() error { return first(http.ParseIndex(noURL, strings.NewReader("<a href=x>x</a>"))) }, fails},
	{"fetchers/http.ParseMultistatus", func() error { return first(http.ParseMultistatus(noURL, strings.NewReader(""))) }, fails},
	{"fetchers/proxy.Dialer", func() error { return failure(proxy.Dialer(noURL, nil)) }, fails},
	{"fetchers/proxy.Proxy.Dial", func() error { return failure((&proxy.Proxy{URL: anyURL}).Dial(noContext, "tcp", "127.0.0.1:9")) }, fails},
	{"fetchers/proxy.Proxy.Dial", func() error { return failure(new(proxy.Proxy).Dial(context.Background(), "tcp", "127.0.0.1:9")) }, fails},
	{"fetchers/proxy.Router.Dial", func() error {
		return failure((&proxy.Router{Target: strings.Clone}).Dial(noContext, "tcp", "127.0.0.1:9"))
	}, fails},
	{"fetchers/proxy.Router.DialData", func() error { return failure(new(proxy.Router).DialData(noContext, "tcp", "127.0.0.1:9")) }, fails},
	{"fetchers/proxy.Router.AsksFor", func() error { (&proxy.Router{Target: strings.Clone}).AsksFor(noURL); return nil }, none},
	{"fetchers/proxy.Rules.For", func() error { proxy.Rules{First: anyURL}.For(noURL); return nil }, none},
	{"fetchers/proxy.Rules.Gateway", func() error { proxy.Rules{First: anyURL}.Gateway(noURL); return nil }, none},
	{"fetchers/transport.Dial", func() error { return failure(transport.Dial(noContext, nil, "127.0.0.1:9")) }, fails},
	{"crawl.Scope.Decide", func() error {
		if d := new(crawl.Scope).Decide(nil, 0, false, false); !d.Visit {
			return errors.New(d.Why)
		}
		return nil
	}, fails},
	{"crawl.Crawl.Run", func() error {
		for _, err := range new(crawl.Crawl).Run(noContext) {
			return err
		}
		return nil
	}, fails},
	{"crawl.Visit.FollowRedirect", func() error {
		d, err := new(crawl.Visit).FollowRedirect(nil)
		if d.Visit {
			err = errors.New("it is followed")
		}
		return err
	}, none},
	{"crawl.HostOf", func() error {
		if host := crawl.HostOf(nil); host != "" {
			return errors.New(host)
		}
		return nil
	}, none},
	{"crawl/mirror.Mirror.Run", func() error {
		for _, err := range new(mirror.Mirror).Run(noContext, noURL) {
			return err
		}
		return nil
	}, fails},
	{"crawl/mirror.Mirror.Explain", func() error {
		x, err := new(mirror.Mirror).Explain(nil)
		if x.Visit {
			err = errors.New("it belongs to a mirror")
		}
		return err
	}, none},
	{"crawl.Crawl.Request", func() error {
		if req := new(crawl.Crawl).Request(nil); req.URL != nil {
			return errors.New("a URL")
		}
		return nil
	}, none},
	{"crawl.MayLead", func() error {
		if crawl.MayLead(nil) {
			return errors.New("it may lead elsewhere")
		}
		return nil
	}, none},
	{"crawl.Frontier.Lookup", func() error { _, _, err := new(crawl.Frontier).Lookup(nil); return err }, fails},
	{"crawl/links.Format.Read", func() error { return firstLink(links.HTML.Read(noURL, strings.NewReader("<a href=x>x</a>"))) }, none},
	{"crawl/links.Format.Rewrite", func() error {
		return links.HTML.Rewrite(io.Discard, strings.NewReader("<a href=x>x</a>"), noURL, func(links.Link) (string, bool) { return "", false })
	}, none},
	{"crawl/links.ReadSitemap", func() error { return firstLink(links.ReadSitemap(noURL, strings.NewReader("x\n"))) }, none},
	{"crawl/robots.Cache.Check", func() error { return failure(new(robots.Cache).Check(noContext, &url.URL{Scheme: "http"})) }, fails},
	{"crawl/robots.Cache.Check", func() error { return failure(new(robots.Cache).Check(context.Background(), nil)) }, fails},
	{"crawl/robots.Cache.Sitemaps", func() error { return failure(new(robots.Cache).Sitemaps(noContext, &url.URL{Scheme: "http"})) }, fails},
	{"fetchers/transport.DialData", func() error { return failure(transport.DialData(noContext, nil, "127.0.0.1:9")) }, fails},
	{"fetchers/transport.DialUDP", func() error { return failure(transport.DialUDP(noContext, nil, "127.0.0.1:9")) }, fails},
	{"fetchers/transport.Handshake", func() error { return transport.Handshake(noContext, new(tls.Conn)) }, fails},
	{"fetchers/transport.Conn.Bind", func() error { new(transport.Conn).Bind(noContext); return nil }, panics},
	{"fetchers/transport.Pool.Fetch", func() error { return failure(new(pool).Fetch(noContext, &errand{Request: request()})) }, fails},
	{"fetchers/transport.Pool.Fetch", func() error { return failure(new(pool).Fetch(context.Background(), new(errand))) }, fails},
	{"fetchers/transport.Pool.Acquire", func() error {
		return failure(new(pool).Acquire(noContext, "", transport.Terms{}, true, nil))
	}, fails},
	{"fetchers/transport.Dialer.Dial", func() error { return failure(new(transport.Dialer).Dial(noContext, nil, "127.0.0.1:9")) }, fails},
	{"fetchers/transport.Dialer.Dial", func() error {
		return failure(new(transport.Dialer).Dial(noContext, &fetchers.Network{MaxConnsPerHost: 1}, "127.0.0.1:9"))
	}, fails},
	{"fetchers/transport.Pool.Take", func() error { new(pool).Take(noContext, "", transport.Terms{}, nil); return nil }, none},

	{"download.StatedSum", func() error { return failure(download.StatedSum(noContext, nothing, request())) }, fails},
	{"download.StatedSum", func() error { return failure(download.StatedSum(context.Background(), noFetcher, request())) }, fails},
	{"download.StatedSum", func() error { return failure(download.StatedSum(context.Background(), nothing, noRequest)) }, fails},
	{"download.Saver.Save", func() error { return failure(new(download.Saver).Save(noContext, request(), download.Target{})) }, fails},
	{"download.Saver.Save", func() error {
		return failure(new(download.Saver).Save(context.Background(), noRequest, download.Target{}))
	}, fails},
	{"download.Saver.SaveAny", func() error {
		return failure(new(download.Saver).SaveAny(noContext, []*fetchers.Request{request()}, download.Target{}))
	}, fails},
	{"download.Saver.SaveAny", func() error {
		return failure(new(download.Saver).SaveAny(context.Background(), []*fetchers.Request{request(), nil}, download.Target{}))
	}, fails},
	{"download.Name", func() error { return failure(download.Name(noURL)) }, fails},
	{"download.All", func() error { return first(download.All(noContext, items(request()), download.Options{})) }, fails},
	{"download.All", func() error { return first(download.All(context.Background(), items(noRequest), download.Options{})) }, fails},
	{"download.All", func() error { return first(download.All(context.Background(), items(request()), download.Options{})) }, fails}, // no Fetcher
	{"download/queue.Queue.Do", func() error { return new(queue.Queue).Do(noContext, "", nil) }, fails},
	{"download/queue.Queue.Wait", func() error { return new(queue.Queue).Wait(noContext) }, fails},
	{"download/queue.Pause", func() error { queue.Pause(noContext)(); return nil }, none},
	{"download/hosts.Fetcher.Key", func() error { (&hosts.Fetcher{PerHost: 1}).Key(noURL); return nil }, none},
	{"download/hosts.Fetcher.Context", func() error { new(hosts.Fetcher).Context(noContext, "x"); return nil }, panics},

	{"record.New", func() error { record.New(noURL, time.Now()); return nil }, none},
	{"url.Syntax.Read", func() error { new(url.Syntax).Read(noURL); return nil }, none},
	{"url.URL.Equal", func() error { anyURL.Equal(noURL); return nil }, none},
	{"url.URL.Holds", func() error { anyURL.Holds(noURL); return nil }, none},
	{"url.URL.SameOrigin", func() error { anyURL.SameOrigin(noURL); return nil }, none},
	{"url/idn.Resolve", func() error { return failure(idn.Resolve(noURL, "x")) }, fails},
}

// nilFetchers lists the Fetchers of all packages by name. A Fetcher that wraps another one is left
// out.
var nilFetchers = map[string]fetchers.Fetcher{
	"fetchers.Client":       &fetchers.Client{},
	"fetchers.Courtesy":     new(fetchers.Courtesy),
	"fetchers.FetcherFunc":  fetchers.FetcherFunc(nil),
	"fetchers.Limiter":      new(fetchers.Limiter),
	"fetchers.Registry":     new(fetchers.Registry),
	"fetchers/data.Fetcher": new(data.Fetcher), "fetchers/dict.Fetcher": new(dict.Fetcher), "fetchers/file.Fetcher": new(file.Fetcher), "fetchers/finger.Fetcher": new(finger.Fetcher),
	"fetchers/ftp.Fetcher": new(ftp.Fetcher), "fetchers/gemini.Fetcher": new(gemini.Fetcher), "fetchers/gopher.Fetcher": new(gopher.Fetcher), "fetchers/http.Fetcher": new(http.Fetcher),
	"fetchers/mail.Fetcher": new(mail.Fetcher), "fetchers/mid.Fetcher": new(mid.Fetcher), "fetchers/nntp.Fetcher": new(nntp.Fetcher),
	"fetchers/prospero.Fetcher": new(prospero.Fetcher), "fetchers/proxy.Router": new(proxy.Router), "fetchers/s3.Fetcher": new(s3.Fetcher), "fetchers/sftp.Fetcher": new(sftp.Fetcher), "fetchers/telnet.Fetcher": new(telnet.Fetcher), "fetchers/tftp.Fetcher": new(tftp.Fetcher),
	"fetchers/urn.Fetcher": new(urn.Fetcher), "fetchers/wais.Fetcher": new(wais.Fetcher), "fetchers/z3950.Fetcher": new(z3950.Fetcher), "download/hosts.Fetcher": new(hosts.Fetcher), "crawl.Pace": new(crawl.Pace),
}

// A session is a connection of a protocol without any exchange.
type session struct{ *transport.Conn }

func (session) Ping() bool   { return true }
func (session) InStep() bool { return true }
func (session) Quit()        {}

type (
	pool   = transport.Pool[string, session]
	errand = transport.Errand[string, session]
)

func request() *fetchers.Request { return &fetchers.Request{URL: anyURL} }

// items yields one Item.
func items(req *fetchers.Request) iter.Seq[download.Item] {
	return func(yield func(download.Item) bool) { yield(download.Item{Request: req}) }
}

// firstLink returns the first error of a sequence of links.
func firstLink(all iter.Seq2[links.Link, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// first returns the first error of a sequence.
func first[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func failure[T any](_ T, err error) error { return err }

// A nil URL, context, Option or Fetcher causes an error, or a panic with a message, and never a nil
// dereference.
func TestNil(t *testing.T) {
	for _, c := range nilCalls {
		t.Run(c.name, func(t *testing.T) {
			panicked, err := called(t, c.call)
			got := none
			switch {
			case panicked != nil:
				got = panics
			case err != nil:
				got = fails
			}
			if got != c.want {
				t.Errorf("%s (%v, %v), want %s", got, err, panicked, c.want)
			}
		})
	}
}

// Fetch of every Fetcher returns an Error for nil arguments.
func TestFetchNil(t *testing.T) {
	for name, f := range nilFetchers {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name string
				ctx  context.Context
				req  *fetchers.Request
			}{
				{"no context", noContext, request()},
				{"no request", context.Background(), noRequest},
				{"no URL", context.Background(), new(fetchers.Request)},
				{"no URL of a stranger", context.Background(), &fetchers.Request{Named: fetchers.ByStranger}},
				{"another scheme, and no Fetcher", context.Background(), &fetchers.Request{URL: &url.URL{Scheme: "x-none", Path: "x"}}},
			} {
				panicked, err := called(t, func() error { return failure(f.Fetch(c.ctx, c.req)) })
				if about := new(fetchers.Error); !errors.As(err, &about) || panicked != nil {
					t.Errorf("%s: %v, panic %v", c.name, err, panicked)
				}
			}
		})
	}
}

// called returns the error of a call, or the value of its panic if that is not a runtime error.
func called(t *testing.T, call func() error) (panicked any, err error) {
	t.Helper()
	defer func() {
		panicked = recover()
		if wrong, ok := panicked.(runtime.Error); ok {
			t.Errorf("runtime panic: %v", wrong)
		}
	}()
	return nil, call()
}
