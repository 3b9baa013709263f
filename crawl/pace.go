package crawl

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Pace forwards requests, and adapts the delay between two requests to each host: longer if the
// host refuses temporarily or its responses become slower, and shorter otherwise. Without Enforce, it
// leaves the delay to its caller, as a [Crawl] does, which does not know of redirections. It has to be
// below any Fetcher that waits or retries, so that it observes each exchange. Its fields must not
// change in use.
type Pace struct {
	Fetcher fetchers.Fetcher // usually a *fetchers.Registry

	Least  time.Duration // minimum delay between two requests to a host
	Most   time.Duration // maximum adapted delay; 0 means one minute
	Random bool          // vary Least at random by up to half of it, as wget --random-wait

	// Enforce has each request wait until the delay has passed since the one before, whether it is for
	// a redirection, a retry or a robots.txt.
	Enforce bool

	mu    sync.Mutex
	hosts map[string]*tempo
}

// maxTempos limits the number of hosts that a Pace remembers.
const maxTempos = 10_000

// Fetch forwards req.
func (p *Pace) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if p.Enforce {
		if err := fetchers.Pause(ctx, p.reserve(HostOf(req.URL))); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
	}
	asked := time.Now()
	res, err := fetchers.Fetch(ctx, p.Fetcher, req)
	if ctx.Err() != nil {
		return res, err
	}
	refused := err
	if res != nil && res.Refusal != nil {
		refused = res.Refusal
	}
	p.answered(HostOf(req.URL), time.Since(asked), busy(refused))
	return res, err
}

// CloseIdle closes the idle connections of the Fetcher below.
func (p *Pace) CloseIdle() {
	if below, ok := p.Fetcher.(fetchers.IdleCloser); ok {
		below.CloseIdle()
	}
}

// busy reports whether an error means that the server asks for fewer requests.
func busy(err error) bool {
	var status *fetchers.StatusError
	return errors.Is(err, fetchers.ErrBusy) || errors.As(err, &status) && (status.Wait > 0 || status.Code == 429 || status.Code == 503 || status.Code == 421)
}

// AtLeast sets a minimum delay that a host asks for, for instance with Crawl-delay. It never
// shortens the delay.
func (p *Pace) AtLeast(host string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tempo(host)
	t.wanted = max(t.wanted, d)
}

// Delay returns the current delay for a host with the name of [HostOf].
func (p *Pace) Delay(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.delay(host)
}

func (p *Pace) delay(host string) time.Duration {
	least := p.Least
	if p.Random {
		least = time.Duration((0.5 + rand.Float64()) * float64(least))
	}
	t := p.hosts[host]
	if t == nil {
		return least
	}
	return max(least, t.wanted, t.learned)
}

func (p *Pace) answered(host string, took time.Duration, busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tempo(host)
	t.answered(took, busy, cmp.Or(p.Most, time.Minute))
	if now := time.Now(); now.After(t.last) {
		t.last = now
	}
}

// reserve returns how long the next request to a host has to wait. The request after it waits for the delay
// in addition.
func (p *Pace) reserve(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, now := p.tempo(host), time.Now()
	at := now
	if next := t.last.Add(p.delay(host)); !t.last.IsZero() && next.After(now) {
		at = next
	}
	t.last = at
	return at.Sub(now)
}

// tempo returns the tempo of a host.
func (p *Pace) tempo(host string) *tempo {
	t := p.hosts[host]
	if t == nil {
		if p.hosts == nil {
			p.hosts = make(map[string]*tempo)
		}
		if len(p.hosts) >= maxTempos {
			for name, other := range p.hosts {
				if other.wanted == 0 && other.learned == 0 && (!p.Enforce || time.Since(other.last) > p.Least+p.Least/2) {
					delete(p.hosts, name)
				}
			}
		}
		t = new(tempo)
		p.hosts[host] = t
	}
	return t
}

// A tempo holds the measurements for one host.
type tempo struct {
	wanted  time.Duration // by the host itself
	learned time.Duration
	usual   time.Duration // response time without load
	recent  time.Duration // recent response time, smoothed
	last    time.Time     // of the last request or response; later than now for a request that waits
}

// Parameters of a tempo.
const (
	firstDelay = 250 * time.Millisecond // after the first refusal
	restless   = 4                      // ratio of recent to usual at which the host is overloaded
	noise      = 100 * time.Millisecond // normal variation of a response time
	leastDelay = 5 * time.Millisecond   // a shorter delay counts as none
)

// answered records a response. most is the maximum delay.
func (t *tempo) answered(took time.Duration, busy bool, most time.Duration) {
	if busy {
		t.learned = min(max(2*t.learned, firstDelay), most)
		return
	}
	if t.usual == 0 {
		t.usual, t.recent = took, took
	}
	t.recent += (took - t.recent) / 8
	t.usual = min(t.usual+t.usual/256, max(t.recent, 1)) // a host that stays slower becomes the new normal
	if t.recent > restless*t.usual+noise {
		t.learned = min(max(t.learned+t.learned/8, t.recent/8), most)
		return
	}
	if t.learned -= t.learned / 8; t.learned < leastDelay {
		t.learned = 0
	}
}

// HostOf returns the name of the host of u for a Frontier and a Pace: in lower case, with the port
// if it is not the default port of the scheme. It is "" for a nil URL.
func HostOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return hostOf(textOf(u))
}
