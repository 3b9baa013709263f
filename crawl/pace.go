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

// A Pace passes requests on, and learns from the answers how long each host is to be left alone
// between two of them: longer if it refuses for now or its answers take longer and longer, and
// shorter while it is calm. It enforces nothing: a [Crawl] does. Its place is below whatever waits or
// tries again, so that it sees each exchange as it is. Its fields must not change in use.
type Pace struct {
	Fetcher fetchers.Fetcher // usually a *fetchers.Registry

	Least  time.Duration // between two requests to a host: it is never shorter
	Most   time.Duration // it is never longer for what was learned; 0 is a minute
	Random bool          // each time differs from Least by up to half of it, as with wget's --random-wait

	mu    sync.Mutex
	hosts map[string]*tempo
}

// maxTempos is how many hosts a Pace remembers.
const maxTempos = 10_000

// Fetch passes req on.
func (p *Pace) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
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

// CloseIdle closes the connections that the Fetcher below keeps.
func (p *Pace) CloseIdle() {
	if below, ok := p.Fetcher.(fetchers.IdleCloser); ok {
		below.CloseIdle()
	}
}

// busy reports whether an error says that the server would rather be asked later.
func busy(err error) bool {
	var status *fetchers.StatusError
	return errors.Is(err, fetchers.ErrBusy) || errors.As(err, &status) && (status.Wait > 0 || status.Code == 429 || status.Code == 503 || status.Code == 421)
}

// AtLeast says that a host itself wants some time between two requests, as by Crawl-delay. It never
// makes the time shorter.
func (p *Pace) AtLeast(host string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tempo(host)
	t.wanted = max(t.wanted, d)
}

// Delay returns how long a host, by the name of [HostOf], is to be left alone now.
func (p *Pace) Delay(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	p.tempo(host).answered(took, busy, cmp.Or(p.Most, time.Minute))
}

// tempo returns what is known of a host.
func (p *Pace) tempo(host string) *tempo {
	t := p.hosts[host]
	if t == nil {
		if p.hosts == nil {
			p.hosts = make(map[string]*tempo)
		}
		if len(p.hosts) >= maxTempos {
			for name, other := range p.hosts {
				if other.wanted == 0 && other.learned == 0 {
					delete(p.hosts, name)
				}
			}
		}
		t = new(tempo)
		p.hosts[host] = t
	}
	return t
}

// A tempo is how fast one host is asked.
type tempo struct {
	wanted  time.Duration // by the host itself
	learned time.Duration
	usual   time.Duration // that an answer takes while the host is calm
	recent  time.Duration // that one takes now, smoothed
}

// The steps of a tempo.
const (
	firstDelay = 250 * time.Millisecond // after the first refusal
	restless   = 4                      // times the usual: so much longer does an answer take if the host has too much to do
	noise      = 100 * time.Millisecond // that the time of an answer varies by itself
	leastDelay = 5 * time.Millisecond   // less is none
)

// answered takes note of an answer, after which most is the longest delay.
func (t *tempo) answered(took time.Duration, busy bool, most time.Duration) {
	if busy {
		t.learned = min(max(2*t.learned, firstDelay), most)
		return
	}
	if t.usual == 0 {
		t.usual, t.recent = took, took
	}
	t.recent += (took - t.recent) / 8
	t.usual = min(t.usual+t.usual/256, max(t.recent, 1)) // it may be slower for good, which is then calm
	if t.recent > restless*t.usual+noise {
		t.learned = min(max(t.learned+t.learned/8, t.recent/8), most)
		return
	}
	if t.learned -= t.learned / 8; t.learned < leastDelay {
		t.learned = 0
	}
}

// HostOf returns the name by which a Frontier and a Pace know the host of u: in lower case, and with the
// port if that is not the one of the scheme. It is "" for a nil URL.
func HostOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return hostOf(textOf(u))
}
