package fetchers_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// Each attempt has its own span, so that an attempt after a stalled one can succeed. The error
// contains the rate, or says that no byte arrived after enough bytes before.
func TestPaceOfAttempts(t *testing.T) {
	silent := func(p *fetchers.Pace) error {
		left := p.Left()
		time.Sleep(left)
		return p.Expired(left)
	}
	for name, c := range map[string]struct {
		first func(p *fetchers.Pace) error
		takes time.Duration
		words string
	}{
		"silence": {silent, 2 * time.Second, "stalled: 0 bytes a second for 2s, and the minimum is 100"},
		"drip": {func(p *fetchers.Pace) error {
			for {
				time.Sleep(time.Second)
				if err := p.Waited(time.Second, 10); err != nil {
					return err
				}
			}
		}, 2 * time.Second, "stalled: 10 bytes a second for 2s, and the minimum is 100"},
		"silence after enough": {func(p *fetchers.Pace) error {
			time.Sleep(time.Second)
			return errors.Join(p.Waited(time.Second, 300), silent(p))
		}, 4 * time.Second, "stalled: nothing for 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries, begun := 0, time.Now()
				server := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					if tries++; tries == 1 {
						return nil, fetchers.NewError("fetch", req.URL, fetchers.Temporary(c.first(fetchers.ContextPace(ctx))))
					}
					time.Sleep(time.Second)
					if err := fetchers.ContextPace(ctx).Waited(time.Second, 200); err != nil {
						return nil, fetchers.NewError("fetch", req.URL, err)
					}
					return document(ctx, req)
				})
				var told []string
				ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Retry: func(_ context.Context, _ int, _ time.Duration, err error) {
					told = append(told, errors.Unwrap(err).Error())
				}})
				l := &fetchers.Limiter{
					Fetcher: &fetchers.Client{Fetcher: server, Retry: fetchers.Retry{Max: 3, Delay: time.Second}},
					Least:   100, Span: 2 * time.Second,
				}
				res, err := l.Fetch(ctx, &fetchers.Request{URL: parse(t, "http://h.example/")})
				if err != nil {
					t.Fatal(err)
				}
				res.Close()
				if took := time.Since(begun); tries != 2 || took != c.takes+2*time.Second || len(told) != 1 || told[0] != c.words {
					t.Errorf("%d tries in %v, %q", tries, took, told)
				}
			})
		})
	}
}
