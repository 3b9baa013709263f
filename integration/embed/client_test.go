package embed

import (
	"context"
	"io"
	nethttp "net/http"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A client fetches a URL to its end.
type client struct {
	name  string
	get   func(ctx context.Context, url string) error
	close func()
}

// stack is a client of this module, as an embedder puts it together.
func stack(nw *fetchers.Network) client {
	r := new(fetchers.Registry)
	r.Register(&http.Fetcher{Network: nw}, "http", "https")
	f := &fetchers.Limiter{
		MaxSize: 100 << 20,
		Fetcher: &fetchers.Client{
			Fetcher: &fetchers.Courtesy{Fetcher: r},
			Retry:   fetchers.Retry{Max: 3, For: time.Minute},
		},
	}
	return client{"fetch", func(ctx context.Context, s string) error {
		u, err := url.Parse(s)
		if err != nil {
			return err
		}
		res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
		if err != nil {
			return err
		}
		defer res.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return err
	}, r.CloseIdle}
}

// standard is a client of net/http.
func standard(t *nethttp.Transport) client {
	c := &nethttp.Client{Transport: t}
	return client{"net/http", func(ctx context.Context, s string) error {
		r, err := nethttp.NewRequestWithContext(ctx, "GET", s, nil)
		if err != nil {
			return err
		}
		resp, err := c.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}, t.CloseIdleConnections}
}

// allocations returns how many a fetch on a kept connection takes.
func allocations(t testing.TB, c client, u string) float64 {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer c.close()
	return testing.AllocsPerRun(1000, func() {
		if err := c.get(ctx, u); err != nil {
			t.Fatal(err)
		}
	})
}

// The whole stack of this module allocates at most as much as net/http alone.
func TestAllocations(t *testing.T) {
	u := "http://127.0.0.1:" + newServer(t).port + "/d"
	ours, theirs := allocations(t, stack(nil), u), allocations(t, standard(new(nethttp.Transport)), u)
	t.Logf("allocations for a fetch of %d octets: %v, and %v by net/http", small, ours, theirs)
	if ours > theirs {
		t.Errorf("%v allocations, and %v by net/http", ours, theirs)
	}
}
