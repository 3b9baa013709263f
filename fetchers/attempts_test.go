package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A scripted is a server that answers the nth request by the nth step of its script, and all
// further requests by the last step. It counts the requests.
type scripted struct {
	size      int64
	script    []step
	requests  int
	restarted bool // a request for the rest was answered with something else
}

// A step is an answer of a scripted server.
type step struct {
	err     error  // the answer is this refusal
	to      string // the answer is a redirection
	sends   int64  // bytes before the body breaks off
	version int    // of the resource; decides its ETag
	weak    bool   // no ETag
	whole   bool   // ignore the range
	lend    bool   // the source is a Lender
	takes   time.Duration
}

func (s *scripted) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	at := s.script[min(s.requests, len(s.script)-1)]
	s.requests++
	time.Sleep(at.takes)
	if errors.Is(at.err, fetchers.ErrLogin) && req.Login != nil {
		return nil, fetchers.NewError("fetch", req.URL, errBusy)
	}
	if at.err != nil {
		return nil, fetchers.NewError("fetch", req.URL, at.err)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: s.size}
	if at.to != "" {
		res.Kind, res.Size = fetchers.Redirect, -1
		res.Location, _ = url.Parse(at.to)
		res.SetBody(nil)
		return res, nil
	}
	if !at.weak {
		res.Validator.ETag = fmt.Sprintf("%q", fmt.Sprint(at.version))
	}
	left := s.size
	s.restarted = s.restarted || at.whole || req.Range != (fetchers.Range{}) && req.Have != (fetchers.Validator{}) && req.Have != res.Validator
	if req.Range != (fetchers.Range{}) && !at.whole && (req.Have == fetchers.Validator{} || req.Have == res.Validator) {
		var err error
		if res.Range, err = req.Range.In(s.size); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		left = res.Range.Length
	}
	src := &breaking{left: left, sends: at.sends}
	if at.lend {
		res.SetBody(lending{src})
	} else {
		res.SetBody(src)
	}
	return res, nil
}

// A breaking is a body that sends some of the remaining bytes, and breaks off.
type breaking struct{ left, sends int64 }

func (b *breaking) Read(p []byte) (int, error) {
	n := min(int64(len(p)), b.sends, b.left)
	b.left -= n
	b.sends -= n
	switch {
	case b.left == 0:
		return int(n), io.EOF
	case b.sends == 0:
		return int(n), io.ErrUnexpectedEOF
	}
	return int(n), nil
}

func (b *breaking) Close() error { return nil }

// A lending is a breaking body that lends its bytes, once a full buffer has been read.
type lending struct{ *breaking }

func (l lending) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	n := use(nil, min(most, l.sends, l.left))
	l.left -= n
	l.sends -= n
	return n
}

// A sink is a Taker.
type sink struct{ lent int64 }

func (s *sink) Write(p []byte) (int, error) { return len(p), nil }

func (s *sink) Take(_ *os.File, n int64) int64 {
	s.lent += n
	return n
}

// save fetches from s into a sink, and restarts as a Saver would. It returns the number of bytes
// lent and the retries that the Trace reported.
func (s *scripted) save(ctx context.Context, client *fetchers.Client, share bool) (lent int64, told []int, err error) {
	client.Fetcher = s
	ctx = fetchers.WithTrace(ctx, &fetchers.Trace{Retry: func(_ context.Context, try int, _ time.Duration, _ error) { told = append(told, try) }})
	var restarts fetchers.Restarts
	if share {
		ctx = restarts.Context(ctx)
	}
	for {
		res, err := client.Get(ctx, "http://h.example/f")
		if err == nil {
			to := new(sink)
			_, err = io.Copy(to, res.Body)
			lent += to.lent
			res.Close()
		}
		if err == nil {
			return lent, told, nil
		}
		if err = restarts.Again(ctx, err); err != nil {
			return lent, told, err
		}
	}
}

// TestRequestsAreBounded: --retry 2 allows two retries, whatever a server does, unless much was
// received before a failure. The Trace reports each retry by its number, and the error contains the
// number of failed requests.
func TestRequestsAreBounded(t *testing.T) {
	const (
		kilo = 1000
		mega = 1 << 20
	)
	two := fetchers.Retry{Max: 2}
	for _, c := range []struct {
		name     string
		size     int64
		script   []step
		retry    fetchers.Retry
		requests int
		others   int // requests that are redirections and logins
		ok       bool
	}{
		{"10 bytes a request", kilo, []step{{sends: 10}}, two, 3, 0, false},
		{"10 bytes a request, without an end", 1 << 40, []step{{sends: 10}}, two, 3, 0, false},
		{"no byte", kilo, []step{{}}, two, 3, 0, false},
		{"a byte less than 5 %", kilo, []step{{sends: 49}}, two, 3, 0, false},
		{"5 %", kilo, []step{{sends: 50}}, two, 20, 0, true},
		{"5 %, and one retry", kilo, []step{{sends: 50}}, fetchers.Retry{Max: 1}, 20, 0, true},
		{"5 % at every other request", kilo, repeat(20, step{sends: 50}, step{}), two, 39, 0, true},
		{"1 MiB of much", 100 * mega, []step{{sends: mega}}, two, 100, 0, true},
		{"a byte less than 1 MiB", 100 * mega, []step{{sends: mega - 1}}, two, 3, 0, false},
		{"little three times is not much", kilo, []step{{sends: 20}}, two, 3, 0, false},
		{"much is lent", 100 * mega, []step{{sends: mega, lend: true}}, two, 100, 0, true},
		{"little is lent", 100 * mega, []step{{sends: 100 << 10, lend: true}}, two, 3, 0, false},
		{"refused, then little", kilo, []step{{err: errBusy}, {sends: 10}}, two, 3, 0, false},
		{"refused twice, then little", kilo, []step{{err: errBusy}, {err: errBusy}, {sends: 10}}, two, 3, 0, false},
		{"refused twice, then much, then refused", kilo, []step{{err: errBusy}, {err: errBusy}, {sends: 50}, {err: errBusy}}, two, 5, 0, false},
		{"refused on both sides of a redirection", kilo, []step{{err: errBusy}, {to: "http://i.example/f"}, {err: errBusy}}, two, 4, 1, false},
		{"refused at each of many redirections", kilo, redirections(), two, 5, 2, false},
		{"a redirection before each part", kilo, repeat(5, step{to: "http://i.example/f"}, step{sends: 10}), two, 6, 3, false},
		{"refused after a login", kilo, []step{{err: errBusy}, {err: fetchers.ErrLogin}}, two, 4, 1, false},
		{"cannot be resumed", kilo, []step{{sends: 900, weak: true}}, two, 3, 0, false},
		{"cannot be resumed, after refusals", kilo, repeat(9, step{err: errBusy}, step{sends: 900, weak: true}), two, 3, 0, false},
		{"cannot be resumed, then refused", kilo, []step{{sends: 900, weak: true}, {err: errBusy}}, two, 3, 0, false},
		{"the whole in place of the rest", kilo, repeat(9, step{sends: 10}, step{sends: 1000, whole: true}), two, 5, 0, false},
		{"the rest is refused twice, then the whole comes", kilo, repeat(9, step{sends: 10}, step{err: errBusy}, step{err: errBusy}, step{sends: 1000, whole: true}), two, 3, 0, false},
		{"another version with each request", kilo, versions(99, 500), two, 5, 0, false},
		{"another version, and then more than before", kilo, append([]step{{sends: 100}}, step{version: 2}, step{version: 2, sends: 150}, step{version: 2, sends: 50}), two, 20, 0, true},
		{"another version, and then as much as before", kilo, []step{{sends: 100}, {version: 2}, {version: 2, sends: 100}, {version: 2}}, two, 4, 0, false},
		{"another version, and one retry", kilo, []step{{sends: 10}, {version: 2}, {version: 2, sends: 1000}}, fetchers.Retry{Max: 1}, 3, 0, true},
		{"the time is over", kilo, []step{{sends: 10, takes: 40 * time.Second}}, fetchers.Retry{Max: 9, For: time.Minute}, 2, 0, false},
		{"the time begins anew", kilo, []step{{sends: 10, takes: 40 * time.Second}, {sends: 50, takes: 40 * time.Second}, {takes: 40 * time.Second}}, fetchers.Retry{Max: 9, For: time.Minute}, 4, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &scripted{size: c.size, script: c.script}
				client := &fetchers.Client{Retry: c.retry, Keychain: &keychain{}}
				lent, told, err := server.save(t.Context(), client, true)
				if server.requests != c.requests || (err == nil) != c.ok {
					t.Errorf("%d requests, want %d: %v", server.requests, c.requests, err)
				}
				if strings.Contains(c.name, "lent") && lent == 0 {
					t.Error("nothing was lent")
				}
				for i, n := range told {
					if n != i+1 {
						t.Fatalf("the Trace was told of %v", told)
					}
				}
				if len(told) != c.requests-c.others-1 {
					t.Errorf("the Trace was told of %d retries", len(told))
				}
				var tried *fetchers.TriedError
				if err != nil && (!errors.As(err, &tried) || tried.Tries != len(told)+1) {
					t.Errorf("%v, after %d", err, len(told)+1)
				}
			})
		})
	}
}

// repeat returns the steps n times.
func repeat(n int, steps ...step) (all []step) {
	for range n {
		all = append(all, steps...)
	}
	return all
}

// redirections returns a refusal and a redirection to the next URL, many times.
func redirections() (all []step) {
	for n := range 10 {
		all = append(all, step{err: errBusy}, step{to: fmt.Sprintf("http://h.example/%d", n)})
	}
	return all
}

// versions returns n answers, each with another version.
func versions(n int, sends int64) (all []step) {
	for i := range n {
		all = append(all, step{sends: sends, version: i})
	}
	return all
}

// TestFailuresTogether: requests for ranges of one file that fail together are one round, and each
// is repeated. A file over C connections takes at most C*(Max+1) requests.
func TestFailuresTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var restarts fetchers.Restarts
		ctx := restarts.Context(t.Context())
		const connections = 4
		requests, broken := make(chan int, 100), make(chan error, connections)
		client := &fetchers.Client{Retry: fetchers.Retry{Max: 2}, Fetcher: fetchers.FetcherFunc(
			func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				requests <- 1
				time.Sleep(time.Second)
				return nil, fetchers.NewError("fetch", req.URL, errBusy)
			})}
		for range connections {
			go func() {
				_, err := client.Get(ctx, "http://h.example/")
				broken <- err
			}()
		}
		for range connections {
			var tried *fetchers.TriedError
			if err := <-broken; !errors.As(err, &tried) {
				t.Error(err)
			}
		}
		if n := len(requests); n != connections*3 {
			t.Errorf("%d requests, want 3 of each connection", n)
		}
	})
}
