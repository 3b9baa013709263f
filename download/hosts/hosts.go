// Package hosts decides how many requests run at the same time at each host, by the answers
// of that host. It stands between a download/queue, which asks it, and the protocols, which
// it watches:
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
// Without PerHost a host gets as many connections as help while its server is content, up to
// the limits of package share. If one connection carries many requests (HTTP/2), they run on
// that one, up to 100 at the same time.
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

// A Fetcher passes requests on, and learns from the outcomes how many of them may run at the
// same time at a host. It does not enforce that: a queue does. Its place is below whatever
// waits or tries again, so that it sees each exchange as it is. Its fields must not change
// in use.
type Fetcher struct {
	Fetcher fetchers.Fetcher // usually a *fetchers.Registry

	// PerHost is how many connections a host may have: exactly as many, whatever comes by
	// them. Streams of HTTP/2 run on one of them while all URLs of the host have one scheme
	// and port. Connections to the target of a redirection count for the host of the URL. 0
	// leaves the number to the answers. Hosts are then told apart by scheme and port too.
	PerHost int

	mu    sync.Mutex
	began time.Time // when the first host was there
	hosts map[string]*host
}

// maxHosts is how many hosts are remembered. If there are more, hosts without a request are
// forgotten, except those that refused a request lately or have several origins.
const maxHosts = 10_000

// A host is the part of a Fetcher for one Key.
type host struct {
	share   *share.Host
	running int    // exchanges
	streams int    // of the latest answer; 0 is one request after the other
	apart   bool   // an answer came by a connection of its own, or by one to another host
	origin  string // of its first URL
	several bool   // with PerHost, there are URLs of another origin
}

// Key returns the name of the host of u for Room, Context and a queue: the host alone if
// PerHost is set, and otherwise with the scheme and the port. With PerHost, Key takes note of
// the origin of u. Streams of one origin make no room for connections to another, so call Key
// before u is in a queue. The Key of a nil URL is "".
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

// Room returns how many requests may run at the same time at the host of a Key.
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

// Context returns the context for a piece of work that a queue does for a host. All exchanges
// of the context count for the host of key, also those that a redirection leads to another
// host. Without Context each exchange counts for its own host. It panics if ctx is nil, as
// context.WithValue does.
func (f *Fetcher) Context(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// Fetch passes req on.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	x := f.begin(ctx, req.URL)
	res, err := fetchers.Fetch(ctx, f.Fetcher, req)
	x.answered(res, err)
	return res, err
}

// CloseIdle closes the connections that the Fetcher below keeps.
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

// begin notes that an exchange begins.
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

// host returns the host of a Key, a new one if there is none. The caller has locked f.
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

// ended notes the outcome of an exchange. nil is none, such as that of a context that ended.
func (f *Fetcher) ended(h *host, o *share.Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h.running--
	if o != nil {
		o.At = time.Since(f.began)
		h.share.Ended(*o)
	}
}

// Most returns how many connections a host of a scheme may have if PerHost is not set.
func Most(scheme string) int { return share.HostLimitsOf(scheme).Most }
