package fetchers_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// busyFor is a Fetcher that refuses the first request to busy.example with a wait.
func busyFor(wait time.Duration, asked *atomic.Int64) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if n := asked.Add(1); n == 1 && req.URL.Host == "busy.example" {
			return nil, fetchers.NewError("fetch", req.URL, &fetchers.StatusError{
				Reply: fetchers.Reply{Code: 503, Text: "busy"}, Class: fetchers.ErrTemporary, Wait: wait,
			})
		}
		return document(ctx, req)
	})
}

// refusing returns a refusal with its body, as a request with NoFail receives it.
func refusing(req *fetchers.Request, code int, wait time.Duration) *fetchers.Resource {
	refusal := &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: "slow"}, Class: fetchers.ErrTemporary, Wait: wait}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Reply: refusal.Reply, Refusal: refusal, Size: -1}
	res.SetBody(io.NopCloser(strings.NewReader("come again")))
	return res
}

// A wait applies to all requests to the server, and to no other server.
func TestCourtesy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		client := &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: busyFor(20*time.Second, &asked)}, Retry: fetchers.Retry{Max: 1}}
		begin := time.Now()
		took := make(chan time.Duration)
		for _, u := range []string{"http://busy.example/1", "http://busy.example/2", "http://busy.example:81/", "http://other.example/"} {
			go func() {
				if _, err := client.Get(t.Context(), u); err != nil {
					t.Error(err)
				}
				took <- time.Since(begin)
			}()
			synctest.Wait()
		}
		for _, want := range []time.Duration{0, 0, 20 * time.Second, 20 * time.Second} {
			if got := <-took; got != want {
				t.Errorf("a fetch took %v, want %v", got, want)
			}
		}
		if asked.Load() != 5 {
			t.Errorf("%d requests, want 5", asked.Load())
		}
	})
}

// A wait from a refusal with a body (NoFail) applies to other requests, too.
func TestCourtesyNoFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		courtesy := &fetchers.Courtesy{Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			asked++
			return refusing(req, 429, time.Hour), nil
		})}
		req := &fetchers.Request{URL: parse(t, "http://busy.example/"), NoFail: true}
		if res, err := courtesy.Fetch(t.Context(), req); err != nil || res.Reply.Code != 429 {
			t.Fatalf("%v, %v", res, err)
		}
		_, err := courtesy.Fetch(t.Context(), req)
		var refused *fetchers.StatusError
		if !errors.Is(err, fetchers.ErrTemporary) || !errors.As(err, &refused) || refused.Code != 429 || refused.Wait != time.Hour {
			t.Errorf("%v", err)
		}
		if asked != 1 {
			t.Errorf("%d requests, want 1", asked)
		}
		time.Sleep(time.Hour)
		if _, err := courtesy.Fetch(t.Context(), req); err != nil {
			t.Error(err)
		}
	})
}

// A Client repeats a request with NoFail after a temporary refusal, once the wait is over, and
// returns the last answer.
func TestCourtesyNoFailRetry(t *testing.T) {
	for _, c := range []struct {
		name     string
		wait     time.Duration
		requests int
		took     time.Duration
	}{
		{"a wait that is short", 20 * time.Second, 3, 40 * time.Second},
		{"a wait that is too long", time.Hour, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var answers []*fetchers.Resource
				client := &fetchers.Client{Retry: fetchers.Retry{Max: 2}, Fetcher: &fetchers.Courtesy{Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					res := refusing(req, 429, c.wait)
					answers = append(answers, res)
					return res, nil
				})}}
				begin := time.Now()
				res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://busy.example/"), NoFail: true})
				if err != nil || len(answers) != c.requests || res != answers[len(answers)-1] || time.Since(begin) != c.took {
					t.Errorf("%v, %v after %d requests in %v", res, err, len(answers), time.Since(begin))
				}
			})
		})
	}
}

// During a wait that is too long, every request is refused.
func TestCourtesyTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		client := &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: busyFor(time.Hour, &asked)}, Retry: fetchers.Retry{Max: 5}}
		for range 3 {
			_, err := client.Get(t.Context(), "http://busy.example/")
			var refused *fetchers.StatusError
			if !errors.Is(err, fetchers.ErrTemporary) || !errors.As(err, &refused) || refused.Code != 503 {
				t.Errorf("%v", err)
			}
		}
		if asked.Load() != 1 {
			t.Errorf("%d requests, want 1", asked.Load())
		}
		time.Sleep(time.Hour)
		if _, err := client.Get(t.Context(), "http://busy.example/"); err != nil {
			t.Error(err)
		}
	})
}

// The context ends a wait.
func TestCourtesyCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		courtesy := &fetchers.Courtesy{Fetcher: busyFor(20*time.Second, &asked)}
		client := &fetchers.Client{Fetcher: courtesy}
		client.Get(t.Context(), "http://busy.example/")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client.Get(ctx, "http://busy.example/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// A request without a URL is refused as by a Registry.
func TestCourtesyWithoutURL(t *testing.T) {
	for name, f := range map[string]fetchers.Fetcher{
		"Courtesy": &fetchers.Courtesy{Fetcher: new(fetchers.Registry)},
		"Client":   &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: new(fetchers.Registry)}, Retry: fetchers.Retry{Max: 1}},
		"Limiter":  &fetchers.Limiter{Fetcher: &fetchers.Courtesy{Fetcher: new(fetchers.Registry)}, MaxSize: 1},
	} {
		_, want := new(fetchers.Registry).Fetch(t.Context(), new(fetchers.Request))
		res, err := f.Fetch(t.Context(), new(fetchers.Request))
		if res != nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// Delay replaces the doubling waits, and For ends the attempts.
func TestRetryDelayAndFor(t *testing.T) {
	for name, c := range map[string]struct {
		retry fetchers.Retry
		wait  time.Duration // that the server demands
		tries int
		took  time.Duration
	}{
		"a delay":                   {fetchers.Retry{Max: 3, Delay: 40 * time.Second}, 0, 4, 2 * time.Minute},
		"a time":                    {fetchers.Retry{Max: 100, Delay: 10 * time.Second, For: 35 * time.Second}, 0, 4, 30 * time.Second},
		"a longer wait of a server": {fetchers.Retry{Max: 1, Delay: time.Second}, 20 * time.Second, 2, 20 * time.Second},
		"too long a wait":           {fetchers.Retry{Max: 1, Delay: time.Second}, time.Minute, 1, 0},
		"as long as there is time":  {fetchers.Retry{Max: 1, For: 2 * time.Minute}, time.Minute, 2, time.Minute},
		"longer than there is time": {fetchers.Retry{Max: 2, For: 2 * time.Minute}, 50 * time.Second, 3, 100 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				busy := make([]error, 200)
				for i := range busy {
					busy[i] = &fetchers.StatusError{Class: fetchers.ErrTemporary, Wait: c.wait}
				}
				_, err := failing(c.retry, &at, busy...).Get(t.Context(), "ftp://h.example/")
				if err == nil || len(at) != c.tries || at[len(at)-1] != c.took {
					t.Errorf("%v, tried at %v", err, at)
				}
			})
		})
	}
}
