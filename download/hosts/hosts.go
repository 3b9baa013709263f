// Package hosts decides how many requests run concurrently at each host, based on the responses of
// the host. It stands between a download/queue, which calls it, and the protocols, whose responses
// it observes:
//
//	watch := &hosts.Fetcher{Fetcher: registry}
//	client := &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: watch}}
//	q := queue.Queue{Most: 100, Room: watch.Room}
//	for _, u := range urls {
//		key := watch.Key(u)
//		err := q.Do(ctx, key, func(ctx context.Context) {
//			ctx = watch.Context(fetchers.WithPause(ctx, queue.Pause), key)
//			res, err := client.Fetch(ctx, &fetchers.Request{URL: u})
//			...
//		})
//	}
//	err := q.Wait(ctx)
//
// Without PerHost, a host gets as many connections as make it faster while its server accepts them,
// up to the limits of package share. If a connection carries several requests (HTTP/2), they share
// one connection, up to 100 at the same time.
package hosts

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher forwards requests, and derives from the outcomes how many of them may run concurrently
// at a host. It does not enforce that number: a queue does. It has to be below any Fetcher that
// waits or retries, so that it observes each exchange. Its fields must not change in use.
type Fetcher struct {
	Fetcher fetchers.Fetcher // usually a *fetchers.Registry

	// PerHost is the fixed number of connections of a host. Streams of HTTP/2 share one of them
	// while all URLs of the host have one scheme and port. Connections to the target of a
	// redirection count for the host of the URL. With 0, the responses determine the number, and
	// hosts with different schemes or ports are separate.
	PerHost int

	mu    sync.Mutex
	began time.Time // time of the first request
	hosts map[string]*host
}

// maxHosts limits the number of remembered hosts. Beyond it, hosts without a request are forgotten,
// except those that recently refused a request or have several origins.
const maxHosts = 10_000

// A host is the state of a Fetcher for one Key.
type host struct {
	share   *share.Host
	running int    // exchanges
	streams int    // of the latest response; 0 means one request at a time
	apart   bool   // a response had a connection of its own, or came from another host
	origin  string // of its first URL
	several bool   // with PerHost: there are URLs of another origin
}

// Key returns the name of the host of u for Room, Context and a queue: the host alone if PerHost is
// set, and otherwise with scheme and port. With PerHost, Key records the origin of u. Streams of
// one origin make no room for connections to another, so call Key before u is added to a queue. The
// Key of a nil URL is "".
func (f *Fetcher) Key(u *url.URL) string {
	if u == nil {
		return ""
	}
	origin := u.Scheme + "://" + u.Addr()
	if f.PerHost <= 0 {
		return origin
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.host(u.Host, time.Now())
	if h.origin == "" {
		h.origin = origin
	}
	if h.origin != origin {
		h.several, h.apart, h.streams = true, true, 0
	}
	return u.Host
}

// Room returns how many requests may run concurrently at the host of a Key.
func (f *Fetcher) Room(key string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch h := f.hosts[key]; {
	case h == nil:
	case h.several:
		return min(h.share.Room(), f.PerHost)
	default:
		return h.share.Room()
	}
	return max(f.limits(key).Start, 1)
}

type keyKey struct{}

// Context returns the context for the work of a queue for a host. All exchanges with this context
// count for the host of key, also those that a redirection leads to another host. Without Context,
// each exchange counts for its own host. It panics if ctx is nil, as context.WithValue does.
func (f *Fetcher) Context(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// Fetch forwards req.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	x := f.begin(ctx, req.URL)
	res, err := fetchers.Fetch(ctx, f.Fetcher, req)
	x.answered(res, err)
	return res, err
}

// CloseIdle closes the idle connections of the Fetcher below.
func (f *Fetcher) CloseIdle() {
	if below, ok := f.Fetcher.(fetchers.IdleCloser); ok {
		below.CloseIdle()
	}
}

// limits returns the limits of a new host.
func (f *Fetcher) limits(key string) share.HostLimits {
	if f.PerHost > 0 {
		return share.HostLimits{Start: f.PerHost, Most: f.PerHost, Exact: true}
	}
	scheme, _, _ := strings.Cut(key, "://")
	return share.HostLimitsOf(scheme)
}

// begin records the start of an exchange.
func (f *Fetcher) begin(ctx context.Context, u *url.URL) *exchange {
	own := f.Key(u)
	key, ok := ctx.Value(keyKey{}).(string)
	if !ok {
		key = own
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.host(key, now)
	h.running++
	return &exchange{fetcher: f, host: h, context: ctx, url: u, own: own == key, began: now}
}

// host returns the host of a Key, and creates it if necessary. The caller holds the lock.
func (f *Fetcher) host(key string, now time.Time) *host {
	if f.hosts == nil {
		f.hosts = make(map[string]*host)
		f.began = now
	}
	h := f.hosts[key]
	if h == nil {
		f.forget(now)
		h = &host{share: share.NewHost(f.limits(key))}
		f.hosts[key] = h
	}
	return h
}

// forget makes space for another host.
func (f *Fetcher) forget(now time.Time) {
	if len(f.hosts) < maxHosts {
		return
	}
	for key, h := range f.hosts {
		if h.running == 0 && !h.several && !h.share.Held(now.Sub(f.began)) {
			delete(f.hosts, key)
		}
	}
}

// ended records the outcome of an exchange. nil means no outcome, for instance if the context has
// ended.
func (f *Fetcher) ended(h *host, o *share.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h.running--
	if o != nil {
		o.At = time.Since(f.began)
		h.share.Ended(*o)
	}
}

// Most returns the maximum number of connections to a host of a scheme if PerHost is not set.
func Most(scheme string) int { return share.HostLimitsOf(scheme).Most }
