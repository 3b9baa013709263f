package crawl

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Each temporary refusal of a host makes its delay longer, and it becomes shorter without refusals.
func TestPaceRefused(t *testing.T) {
	p := &Pace{Least: 10 * time.Millisecond, Most: 5 * time.Second}
	if d := p.Delay("h"); d != p.Least {
		t.Errorf("at first %v", d)
	}
	last := time.Duration(0)
	for range 3 {
		p.answered("h", time.Millisecond, true)
		if d := p.Delay("h"); d <= last {
			t.Errorf("%v after %v", d, last)
		} else {
			last = d
		}
	}
	for range 100 {
		p.answered("h", time.Millisecond, true)
	}
	if d := p.Delay("h"); d != p.Most {
		t.Errorf("after 100 refusals %v", d)
	}
	for range 200 {
		p.answered("h", time.Millisecond, false)
	}
	if d := p.Delay("h"); d != p.Least {
		t.Errorf("calm again %v", d)
	}
	if d := p.Delay("other"); d != p.Least {
		t.Errorf("another host %v", d)
	}
}

// Responses that become slower make the delay longer, and responses that are always slow do not.
func TestPaceLatency(t *testing.T) {
	p := new(Pace)
	for range 1000 {
		p.answered("far", 300*time.Millisecond, false)
	}
	if d := p.Delay("far"); d != 0 {
		t.Errorf("a host far away: %v", d)
	}
	for range 100 {
		p.answered("h", 20*time.Millisecond, false)
	}
	if d := p.Delay("h"); d != 0 {
		t.Errorf("a calm host: %v", d)
	}
	for i := range 50 {
		p.answered("h", time.Duration(i)*20*time.Millisecond, false)
	}
	if d := p.Delay("h"); d < 50*time.Millisecond {
		t.Errorf("a host whose answers take a second by now: %v", d)
	}
	for range 100 {
		p.answered("h", 20*time.Millisecond, false)
	}
	if d := p.Delay("h"); d != 0 {
		t.Errorf("calm again: %v", d)
	}
}

// A minimum by the host counts independent of the adapted delay, and so does Least.
func TestPaceWanted(t *testing.T) {
	p := &Pace{Least: time.Second, Random: true}
	p.AtLeast("h", 3*time.Second)
	p.AtLeast("h", 2*time.Second)
	if d := p.Delay("h"); d != 3*time.Second {
		t.Errorf("Crawl-delay: 3: %v", d)
	}
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		low, high = min(low, p.Delay("other")), max(high, p.Delay("other"))
	}
	if low < time.Second/2 || high > 3*time.Second/2 || high-low < time.Second/2 {
		t.Errorf("at random from %v to %v", low, high)
	}
}

// Only responses of the server count: a canceled request does not make the host busy.
func TestPaceFetch(t *testing.T) {
	answer := error(&fetchers.StatusError{Reply: fetchers.Reply{Code: 429}})
	p := &Pace{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		return nil, fetchers.NewError("fetch", req.URL, answer)
	})}
	ctx, cancel := context.WithCancel(t.Context())
	req := &fetchers.Request{URL: parse(t, "http://H.example:80/a")}
	if _, err := p.Fetch(ctx, req); err == nil || p.Delay("h.example") == 0 {
		t.Errorf("429: %v, %v", err, p.Delay("h.example"))
	}
	answer = errors.New("no answer")
	cancel()
	before := p.Delay("h.example")
	if _, err := p.Fetch(ctx, req); err == nil || p.Delay("h.example") != before {
		t.Errorf("given up: %v, %v", err, p.Delay("h.example"))
	}
}

// With Enforce, requests that come at once are apart by the delay, for each host, and a wait ends with the context.
func TestPaceEnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked := make(map[string][]time.Duration)
		began := time.Now()
		p := &Pace{Least: time.Second, Enforce: true, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			mu.Lock()
			asked[req.URL.Host] = append(asked[req.URL.Host], time.Since(began))
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			return nil, fetchers.ErrProtocol
		})}
		fetch := func(ctx context.Context, text string) error {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Fetch(ctx, &fetchers.Request{URL: u})
			return err
		}
		var all sync.WaitGroup
		for range 3 {
			for _, at := range []string{"http://a.example/", "https://a.example/", "http://b.example/"} {
				all.Go(func() { fetch(t.Context(), at) })
			}
		}
		all.Wait()
		for host, n := range map[string]int{"a.example": 6, "b.example": 3} {
			if len(asked[host]) != n {
				t.Errorf("%s: asked %d times", host, len(asked[host]))
			}
			for i := 1; i < len(asked[host]); i++ {
				if d := asked[host][i] - asked[host][i-1]; d < p.Least {
					t.Errorf("%s: asked %v after the request before", host, d)
				}
			}
		}
		p.AtLeast("a.example", 5*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if err := fetch(ctx, "http://a.example/"); !errors.Is(err, context.DeadlineExceeded) || len(asked["a.example"]) != 6 {
			t.Errorf("%v; asked %d times", err, len(asked["a.example"]))
		}
	})
}
