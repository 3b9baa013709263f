package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

func TestMain(m *testing.M) { leak.Main(m) }

// most is the maximum number of connections to a web server.
var most = share.HostLimitsOf("http").Most

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// An answer is the response of a protocol after some time.
type answer struct {
	after   time.Duration
	streams int
	code    int
	to      string // target of a redirection
	err     error
	broken  bool // the body is cut off
	unread  bool // the body is closed before its end
}

// fetcher returns a protocol with the same response to all requests.
func (a *answer) Fetch(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	time.Sleep(a.after)
	if a.err != nil {
		return nil, a.err
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Streams: a.streams, Reply: fetchers.Reply{Code: a.code}}
	switch {
	case a.to != "":
		res.Kind = fetchers.Redirect
		res.Location, _ = url.Parse(a.to)
		res.SetBody(nil)
	case a.broken:
		res.SetBody(io.NopCloser(io.MultiReader(strings.NewReader("some"), brokenReader{})))
	default:
		res.SetBody(io.NopCloser(strings.NewReader("some")))
	}
	return res, nil
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func status(code int) error {
	return fetchers.NewError("fetch", nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: code}})
}

// The responses of a host determine its room.
func TestRoom(t *testing.T) {
	const ms = time.Millisecond
	good := answer{after: 40 * ms}
	h2 := answer{after: 40 * ms, streams: 250}
	for name, test := range map[string]struct {
		perHost int
		url     string
		answers []answer
		times   int // number of exchanges
		want    int
	}{
		"nothing is known of a web server":       {url: "http://h/", want: 8},
		"nothing is known of an FTP server":      {url: "ftp://h/", want: 4},
		"PerHost counts from the beginning":      {perHost: 3, url: "http://h/", want: 3},
		"good answers":                           {url: "http://h/", answers: []answer{good}, times: 50, want: most},
		"good answers of an FTP server":          {url: "ftp://h/", answers: []answer{good}, times: 50, want: 4},
		"good answers with PerHost":              {perHost: 3, url: "http://h/", answers: []answer{good}, times: 50, want: 3},
		"a near host":                            {url: "http://h/", answers: []answer{{after: ms}}, times: 50, want: 8},
		"too many requests":                      {url: "http://h/", answers: []answer{{after: 40 * ms, err: status(429)}}, times: 1, want: 4},
		"the service is not available":           {url: "http://h/", answers: []answer{{after: 40 * ms, err: status(503)}}, times: 1, want: 4},
		"a refused login":                        {url: "ftp://h/", answers: []answer{{after: 40 * ms, err: status(421)}}, times: 1, want: 2},
		"a refused request is none with PerHost": {perHost: 3, url: "http://h/", answers: []answer{{after: 40 * ms, err: status(503)}}, times: 1, want: 3},
		"a missing page":                         {url: "http://h/", answers: []answer{{after: 40 * ms, err: status(404)}}, times: 1, want: 10},
		"errors of the server":                   {url: "http://h/", answers: []answer{{after: 40 * ms, err: status(500)}, {after: 40 * ms, err: status(502)}, {after: 40 * ms, err: status(504)}}, times: 9, want: 8},
		"errors of the server with NoFail":       {url: "http://h/", answers: []answer{{after: 40 * ms, code: 502}}, times: 9, want: 8},
		"pages after quick missing ones":         {url: "http://h/", answers: []answer{{after: 10 * ms, err: status(404)}, good}, times: 9, want: 44},
		"pages after quick ones with NoFail":     {url: "http://h/", answers: []answer{{after: 6 * ms, code: 404}, good}, times: 9, want: 44},
		"a body that breaks off":                 {url: "http://h/", answers: []answer{{after: 40 * ms, broken: true}}, times: 1, want: 4},
		"a connection that breaks off":           {url: "http://h/", answers: []answer{{after: 40 * ms, err: fetchers.Temporary(errors.New("reset"))}}, times: 1, want: 4},
		"a silent connection":                    {url: "http://h/", answers: []answer{{after: time.Minute, err: fmt.Errorf("%w", fetchers.ErrStalled)}}, times: 1, want: 8},
		"a body that is not read to its end":     {url: "http://h/", answers: []answer{{after: 40 * ms, unread: true}}, times: 9, want: 8},
		"streams":                                {url: "https://h/", answers: []answer{h2}, times: 1, want: 100},
		"few streams":                            {url: "https://h/", answers: []answer{{after: 40 * ms, streams: 16}}, times: 9, want: 16},
		"streams with PerHost":                   {perHost: 1, url: "https://h/", answers: []answer{h2}, times: 1, want: 100},
		"a missing page by a stream":             {url: "https://h/", answers: []answer{h2, {after: 40 * ms, err: status(404)}}, times: 2, want: 100},
		"streams after a connection of its own":  {url: "https://h/", answers: []answer{good, h2}, times: 50, want: most},
		"streams that lead to another host":      {url: "https://h/", answers: []answer{{after: 40 * ms, streams: 250, to: "https://o/"}}, times: 50, want: most},
		"streams that lead to the same host":     {url: "https://h/", answers: []answer{{after: 40 * ms, streams: 250, to: "https://h/x"}}, times: 50, want: 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now answer
				f := &hosts.Fetcher{Fetcher: &now, PerHost: test.perHost}
				u := parse(t, test.url)
				for _, now = range test.answers {
					for range test.times {
						res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
						if err == nil && !now.unread {
							io.Copy(io.Discard, res.Body)
						}
						res.Close()
					}
				}
				if got := f.Room(f.Key(u)); got != test.want {
					t.Errorf("room is %d, want %d", got, test.want)
				}
			})
		})
	}
}

// With PerHost, hosts differ by name only, and otherwise by scheme and port too.
func TestKey(t *testing.T) {
	for _, test := range []struct {
		perHost int
		url     string
		want    string
	}{
		{0, "http://h/a", "http://h:80"},
		{0, "https://h:444/a", "https://h:444"},
		{2, "http://h/a", "h"},
		{2, "https://h:444/a", "h"},
		{0, "data:,x", "data://"},
	} {
		f := &hosts.Fetcher{PerHost: test.perHost}
		if got := f.Key(parse(t, test.url)); got != test.want {
			t.Errorf("PerHost %d: the key of %s is %s, want %s", test.perHost, test.url, got, test.want)
		}
	}
}

// With PerHost, streams of one origin make no room for connections to another origin of the host,
// in either order.
func TestRoomOfSeveralOrigins(t *testing.T) {
	for name, test := range map[string]struct {
		urls []string // - is a response of the first one with 100 streams
		want int
	}{
		"one origin":               {[]string{"https://h/", "-", "https://h:443/x"}, 100},
		"another scheme":           {[]string{"https://h/", "-", "http://h/"}, 2},
		"another port":             {[]string{"https://h/", "-", "https://h:444/"}, 2},
		"known before the answer":  {[]string{"https://h/", "http://h/", "-"}, 2},
		"another host is no cause": {[]string{"https://h/", "-", "http://i/"}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &hosts.Fetcher{PerHost: 2, Fetcher: &answer{streams: 100, after: 40 * time.Millisecond}}
				for _, text := range test.urls {
					if text != "-" {
						f.Key(parse(t, text))
						continue
					}
					u := parse(t, test.urls[0])
					res, err := f.Fetch(f.Context(t.Context(), f.Key(u)), &fetchers.Request{URL: u})
					if err != nil {
						t.Fatal(err)
					}
					io.Copy(io.Discard, res.Body)
					res.Close()
				}
				if got := f.Room("h"); got != test.want {
					t.Errorf("room is %d, want %d", got, test.want)
				}
			})
		})
	}
}

// The hosts that recently refused a request, or have several origins, are remembered.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := answer{after: 40 * time.Millisecond}
		f := &hosts.Fetcher{Fetcher: &now}
		bound := &hosts.Fetcher{Fetcher: &now, PerHost: 2}
		ask := func(text string, err error) {
			now.err = err
			res, _ := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)})
			res.Close()
		}
		many := func() {
			for n := range 11_000 {
				u := parse(t, fmt.Sprintf("http://h%d/", n))
				ctx, cancel := context.WithCancel(f.Context(t.Context(), f.Key(u)))
				cancel()
				res, _ := f.Fetch(ctx, &fetchers.Request{URL: u})
				res.Close()
				bound.Key(u)
			}
		}
		ask("http://busy/", status(503))
		bound.Key(parse(t, "http://busy/"))
		bound.Key(parse(t, "https://busy/"))
		now = answer{streams: 100}
		many()
		if got := f.Room("http://busy:80"); got != 4 {
			t.Errorf("the host that refused a request has room for %d, want 4", got)
		}
		res, _ := bound.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "https://busy/")})
		io.Copy(io.Discard, res.Body)
		res.Close()
		if got := bound.Room("busy"); got != 2 {
			t.Errorf("the host of two origins has room for %d, want 2", got)
		}
		time.Sleep(time.Minute)
		many()
		if got := f.Room("http://busy:80"); got != 8 {
			t.Errorf("a minute later the host has room for %d, want 8", got)
		}
	})
}

// The exchanges of a context count for its host, and streams of another host do not.
func TestContextCountsForItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := answer{after: 40 * time.Millisecond, streams: 100}
		f := &hosts.Fetcher{Fetcher: &now}
		one, other := parse(t, "https://one/"), parse(t, "https://other/")
		ctx := f.Context(t.Context(), f.Key(one))
		for range 50 {
			res, err := f.Fetch(ctx, &fetchers.Request{URL: other})
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			res.Close()
		}
		if got := f.Room(f.Key(one)); got != most {
			t.Errorf("the host of the context has room for %d, want %d", got, most)
		}
		if got := f.Room(f.Key(other)); got != 8 {
			t.Errorf("the other host has room for %d, want 8", got)
		}
	})
}

// The Fetcher does not change a body or an error.
func TestBodyPasses(t *testing.T) {
	f := &hosts.Fetcher{Fetcher: &answer{}}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h/")})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(res.Body); string(text) != "some" || err != nil || res.Received() != 4 || !res.Confirmed() {
		t.Errorf("the body has %q, %v; received %d, confirmed %v", text, err, res.Received(), res.Confirmed())
	}
	f = &hosts.Fetcher{Fetcher: &answer{err: io.ErrNoProgress}}
	if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h/")}); err != io.ErrNoProgress {
		t.Error(err)
	}
	f = &hosts.Fetcher{Fetcher: new(fetchers.Registry)}
	if _, err := f.Fetch(t.Context(), &fetchers.Request{}); err == nil {
		t.Error("a request without a URL is no error")
	}
}

// With a queue, a host has as many concurrent requests as its responses allow: more while they stay
// fast, fewer after a refusal, and never more than PerHost.
func TestQueue(t *testing.T) {
	for name, test := range map[string]struct {
		perHost, capacity int // requests beyond capacity are refused
		most              int // concurrent requests
	}{
		"growth":                    {0, 1000, most},
		"a bound":                   {3, 1000, 3},
		"a bound of a busy server":  {3, 1, 3},
		"a server with little room": {0, 12, 24},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				running, peak, refused, done := 0, 0, 0, 0
				f := &hosts.Fetcher{PerHost: test.perHost, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					mu.Lock()
					running++
					peak = max(peak, running)
					full := running > test.capacity
					if full {
						refused++
					}
					mu.Unlock()
					defer func() {
						mu.Lock()
						running--
						mu.Unlock()
					}()
					if full {
						time.Sleep(20 * time.Millisecond)
						return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: 503}, Class: fetchers.ErrTemporary}
					}
					return (&answer{after: 40 * time.Millisecond}).Fetch(t.Context(), req)
				})}
				client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 20}}
				q := queue.Queue{Most: 100, Room: f.Room}
				for n := range 500 {
					u := parse(t, fmt.Sprintf("http://h/%d", n))
					err := q.Do(t.Context(), f.Key(u), func(ctx context.Context) {
						ctx = f.Context(fetchers.WithPause(ctx, queue.Pause), f.Key(u))
						res, err := client.Fetch(ctx, &fetchers.Request{URL: u})
						if err != nil {
							t.Error(err)
							return
						}
						io.Copy(io.Discard, res.Body)
						res.Close()
						mu.Lock()
						defer mu.Unlock()
						done++
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := q.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if peak > test.most || test.capacity == 1000 && peak != test.most || done != 500 {
					t.Errorf("%d requests ran at the same time, want %d; %d of 500 were answered, %d refused", peak, test.most, done, refused)
				}
				if test.perHost == 0 && refused > 50 {
					t.Errorf("%d requests were refused", refused)
				}
			})
		})
	}
}
