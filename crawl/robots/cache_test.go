package robots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	web "github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Without a robots.txt, the status of its response decides (RFC 9309, section 2.3.1).
func TestStatus(t *testing.T) {
	f := new(web.Fetcher)
	defer f.CloseIdle()
	for status, allowed := range map[int]bool{
		200: false, 204: true, 400: true, 401: true, 403: true, 404: true, 410: true, 429: false, 500: false, 503: false, 301: true,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if status == 301 { // redirects to itself
				w.Header().Set("Location", "/robots.txt")
			}
			w.WriteHeader(status)
			if status == 200 {
				io.WriteString(w, "User-agent: *\nDisallow: /private\n")
			}
		}))
		c := &Cache{Fetcher: f, Agent: "fetch"}
		v, err := c.Check(t.Context(), parse(t, server.URL+"/private/a"))
		if err != nil || v.Allowed != allowed || (v.Err == nil) != (status < 300) {
			t.Errorf("%d: %+v, %v", status, v, err)
		}
		if v, err := c.Check(t.Context(), parse(t, server.URL+"/robots.txt")); err != nil || !v.Allowed {
			t.Errorf("%d: robots.txt itself: %+v, %v", status, v, err)
		}
		server.Close()
	}
}

// Up to five redirections are followed, also to other servers.
func TestRedirections(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /a\nSitemap: /map.xml\nSitemap: :no\n")
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		to := fmt.Sprintf("/%d", n+1)
		if n == 4 {
			to = other.URL + "/robots.txt"
		}
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer server.Close()
	f := new(web.Fetcher)
	defer f.CloseIdle()
	c := &Cache{Fetcher: f}
	v, err := c.Check(t.Context(), parse(t, server.URL+"/a"))
	if err != nil || v.Allowed || v.String() != "Disallow: /a (line 2 of robots.txt)" {
		t.Errorf("%v, %v", v, err)
	}
	maps, err := c.Sitemaps(t.Context(), parse(t, server.URL+"/a"))
	if err != nil || len(maps) != 1 || maps[0].String() != server.URL+"/map.xml" {
		t.Errorf("sitemaps %v, %v", maps, err)
	}
}

// Concurrent users share one fetch of a file. It is fetched again after a day. If that fails, the
// old rules stay valid.
func TestKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var down atomic.Bool
		c := &Cache{Agent: "fetch", Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			asked.Add(1)
			time.Sleep(time.Second)
			if down.Load() {
				return nil, fetchers.NewError("connect", req.URL, fetchers.ErrStalled)
			}
			if req.URL.User != nil || req.Named != fetchers.ByServer {
				t.Errorf("asked as %v for %s", req.Named, req.URL)
			}
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, Confirmed: func() bool { return true }}
			res.SetBody(io.NopCloser(strings.NewReader("User-agent: fetch\nDisallow: /a\nCrawl-delay: 3\n")))
			return res, nil
		})}
		check := func(allowed bool, n int32) {
			t.Helper()
			v, err := c.Check(t.Context(), parse(t, "http://me:secret@h.example/a?b"))
			if err != nil || v.Allowed != allowed || asked.Load() != n {
				t.Errorf("%+v, %v, asked %d times, want %d", v, err, asked.Load(), n)
			}
		}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { check(false, 1) })
		}
		all.Wait()
		time.Sleep(23 * time.Hour)
		check(false, 1)
		down.Store(true)
		time.Sleep(2 * time.Hour)
		check(false, 2)
		time.Sleep(9 * time.Minute)
		check(false, 2)
		down.Store(false)
		time.Sleep(2 * time.Minute)
		check(false, 3)

		down.Store(true)
		v, err := c.Check(t.Context(), parse(t, "http://other.example/"))
		if err != nil || v.Allowed || !errors.Is(v.Err, fetchers.ErrStalled) {
			t.Errorf("a server that is down: %v, %v", v, err)
		}
	})
}

// If the fetching goroutine is interrupted, the next one fetches.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Cache{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			select {
			case <-ctx.Done():
				return nil, fetchers.NewError("fetch", req.URL, ctx.Err())
			case <-time.After(time.Minute):
				return nil, fetchers.NewError("fetch", req.URL, &fetchers.StatusError{Reply: fetchers.Reply{Proto: "HTTP/1.1", Code: 404}})
			}
		})}
		first, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := c.Check(first, parse(t, "http://h/a")); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		both.Go(func() {
			if v, err := c.Check(t.Context(), parse(t, "http://h/a")); err != nil || !v.Allowed || v.String() != "there is no robots.txt" {
				t.Errorf("the second: %v, %v", v, err)
			}
		})
		synctest.Wait()
		cancel()
		both.Wait()
	})
}

// The size of the Cache is limited, however many and large the files are.
func TestBounds(t *testing.T) {
	long := "User-agent: *\nDisallow: /" + strings.Repeat("a", 400<<10) + "\n"
	c := &Cache{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, Confirmed: func() bool { return true }}
		res.SetBody(io.NopCloser(strings.NewReader(long)))
		return res, nil
	})}
	for i := range 200 {
		if _, err := c.Check(t.Context(), parse(t, fmt.Sprintf("http://h%d.example/", i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.servers); c.kept > maxKept || n != c.recent.Len() || n < 50 || n >= 200 {
		t.Errorf("%d servers and %d bytes are kept", n, c.kept)
	}
}

// The memory of an entry is counted, whatever its source: a rule does not hold the comment after
// it, and each "*" in it counts.
func TestKept(t *testing.T) {
	for name, line := range map[string]string{
		"a comment":   "Disallow: /a #" + strings.Repeat("a", 400<<10),
		"a sitemap":   "Sitemap: /a #" + strings.Repeat("a", 400<<10),
		"many stars":  "Disallow: /" + strings.Repeat("*", 400<<10),
		"escapes":     "Disallow: /" + strings.Repeat("\xff", 400<<10),
		"small rules": strings.Repeat("Disallow:/\n", 40<<10),
	} {
		c := &Cache{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, Confirmed: func() bool { return true }}
			res.SetBody(io.NopCloser(strings.NewReader("User-agent: *\n" + line + "\n")))
			return res, nil
		})}
		before := heap()
		for i := range 20 {
			if _, err := c.Check(t.Context(), parse(t, fmt.Sprintf("http://h%d.example/", i))); err != nil {
				t.Fatal(err)
			}
		}
		if taken := heap() - before; taken > int64(c.kept)*3/2+4<<20 || c.kept > maxKept {
			t.Errorf("%s: %d bytes are taken, and %d are counted", name, taken, c.kept)
		}
		runtime.KeepAlive(c)
	}
}

// heap returns the size of the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// gopher has a robots.txt, and other schemes have none.
func TestSchemes(t *testing.T) {
	server := gophertest.NewServer(fstest.MapFS{
		"robots.txt":  {Data: []byte("User-agent: *\r\nDisallow: /private\r\n")},
		"private/a":   {Data: []byte("a")},
		"public/read": {Data: []byte("b")},
	})
	defer server.Close()
	c := &Cache{Fetcher: new(gopher.Fetcher)}
	for text, allowed := range map[string]bool{
		server.URL + "/0/private/a": false, server.URL + "/0private/a": false, server.URL + "/1/public": true, server.URL: true,
		"ftp://h.example/private/a": true, "file:///private/a": true, "news:a.b": true,
	} {
		if v, err := c.Check(t.Context(), parse(t, text)); err != nil || v.Allowed != allowed {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
	}
}
