package download_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// A mirror is a server with a file. It counts requests and bytes.
type mirror struct {
	*httptest.Server
	asked  atomic.Int32
	sent   atomic.Int64
	lowest atomic.Int64 // of all requests
}

// newMirror starts a mirror with a rate in bytes per second for each connection; 0 means no limit.
func newMirror(t *testing.T, rate int, serve nethttp.HandlerFunc) *mirror {
	m := new(mirror)
	m.lowest.Store(1 << 40)
	m.Server = httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		m.asked.Add(1)
		m.lowest.Store(min(m.lowest.Load(), int64(offset(r))))
		serve(&slow{w, &m.sent, rate}, r)
	}))
	t.Cleanup(m.Close)
	return m
}

func sumOf(t *testing.T, v version) download.Sum {
	t.Helper()
	sum, err := download.ParseSum("sha256:" + hex.EncodeToString(sum256(v.content)))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// hang sends some bytes and then none.
func hang(v version, after int) nethttp.HandlerFunc {
	return func(w nethttp.ResponseWriter, r *nethttp.Request) {
		v.serve(&waiter{ResponseWriter: w, left: after, until: never(r), cut: true}, r)
	}
}

// never returns a channel that is closed when the client has left.
func never(r *nethttp.Request) chan bool {
	left := make(chan bool)
	context.AfterFunc(r.Context(), func() { close(left) })
	return left
}

// TestShare fetches a file from two mirrors, the second of which may be bad. The file is right, and
// a useless mirror does no harm.
func TestShare(t *testing.T) {
	const rate = 3 << 20 // bytes per second
	other := version{content(6, len(long.content)), `"of-another-server"`, day.Add(time.Hour)}
	same := version{long.content, other.etag, other.time}
	for name, test := range map[string]struct {
		second  nethttp.HandlerFunc
		without bool  // without a digest of the file
		asked   bool  // the second mirror gets a request
		least   int64 // minimum bytes from the second mirror
		again   bool  // the download restarts
	}{
		"good":              {second: same.serve, asked: true, least: 1 << 20},
		"nothing proves it": {second: same.serve, without: true},
		"dead":              {},
		"missing":           {second: nethttp.NotFound, asked: true},
		"of another size":   {second: v1.serve, asked: true},
		"without ranges": {asked: true, second: func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("Range")
			same.serve(w, r)
		}},
		"without a validator":   {second: version{content: same.content}.serve, asked: true},
		"it changes":            {second: changing(same, other), asked: true},
		"corrupt":               {second: other.serve, asked: true, least: 1 << 20, again: true},
		"cut":                   {second: func(w nethttp.ResponseWriter, r *nethttp.Request) { same.serve(&cutter{w, 600_000}, r) }, asked: true},
		"it never answers":      {second: func(_ nethttp.ResponseWriter, r *nethttp.Request) { <-never(r) }, asked: true},
		"it stops in the midst": {second: hang(same, 300_000), asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := newMirror(t, rate, long.serve), newMirror(t, rate, test.second)
			if test.second == nil {
				second.Close()
			}
			file := filepath.Join(t.TempDir(), "f")
			to := download.Target{Name: file}
			if !test.without {
				to.Sum = sumOf(t, long)
			}
			again := false
			fetcher := web(t)
			fetcher.Network = &fetchers.Network{Stall: -1} // only the other mirror ends a wait
			saver := &download.Saver{Fetcher: fetcher, Next: func(error, *fetchers.Request) { again = true }}
			reqs := []*fetchers.Request{request(t, first.URL), request(t, second.URL)}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			saved, err := saver.SaveAny(ctx, reqs, to)
			if err != nil || !saved.Confirmed() {
				t.Fatalf("%+v, %v", saved, err)
			}
			wantContent(t, file, long.content)
			wantAlone(t, file)
			if asked := second.asked.Load() > 0; asked != test.asked {
				t.Errorf("the second was asked: %v", asked)
			}
			if sent := second.sent.Load(); sent < test.least {
				t.Errorf("%d bytes are from the second, want %d", sent, test.least)
			}
			if test.again && !again {
				t.Error("it was not begun again")
			}
		})
	}
}

// TestMaxSegments checks that a file with slow connections gets more of them, up to MaxSegments.
func TestMaxSegments(t *testing.T) {
	t.Parallel()
	m, client := newMirror(t, 2<<20, long.serve), web(t)
	var running, most atomic.Int32
	counts := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		res, err := client.Fetch(ctx, req)
		if err != nil {
			running.Add(-1)
			return nil, err
		}
		res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
			return &closing{ReadCloser: src, closed: func() { running.Add(-1) }}
		})
		return res, nil
	})
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: counts, MaxSegments: 2}
	if _, err := saver.Save(t.Context(), request(t, m.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	if most.Load() != 2 {
		t.Errorf("%d connections at the same time, want 2", most.Load())
	}
}

// A closing body records that it was closed.
type closing struct {
	io.ReadCloser
	once   sync.Once
	closed func()
}

func (c *closing) Close() error {
	err := c.ReadCloser.Close()
	c.once.Do(c.closed)
	return err
}

// changing serves one version once, and then another.
func changing(first, then version) nethttp.HandlerFunc {
	var asked atomic.Int32
	return func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if asked.Add(1) == 1 {
			first.serve(&cutter{w, 600_000}, r)
			return
		}
		then.serve(w, r)
	}
}

// TestShareSlow checks two mirrors, one so slow that even the smallest segment would take a minute.
// The other one fetches its bytes.
func TestShareSlow(t *testing.T) {
	for name, rates := range map[string][2]int{"first": {20_000, 3 << 20}, "second": {3 << 20, 20_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := newMirror(t, rates[0], long.serve), newMirror(t, rates[1], long.serve)
			file := filepath.Join(t.TempDir(), "f")
			saver := &download.Saver{Fetcher: web(t)}
			reqs := []*fetchers.Request{request(t, first.URL), request(t, second.URL)}
			if _, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file, Sum: sumOf(t, long)}); err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, long.content)
			if sent := min(first.sent.Load(), second.sent.Load()); sent > 1<<19 {
				t.Errorf("%d bytes are from the slow one", sent)
			}
		})
	}
}

// TestShareAbandonsSlowMirror checks that a first mirror that is too slow is abandoned while the download waits
// for it, in any protocol, and is not tried again.
func TestShareAbandonsSlowMirror(t *testing.T) {
	const rate = 20_000
	secure := func(protocol string) func(t *testing.T) (string, fetchers.Fetcher) {
		return func(t *testing.T) (string, fetchers.Fetcher) {
			m := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if r.Proto != protocol {
					t.Errorf("asked by %s, want %s", r.Proto, protocol)
				}
				long.serve(&slow{w, new(atomic.Int64), rate}, r)
			}))
			m.EnableHTTP2 = protocol == "HTTP/2.0"
			m.StartTLS()
			t.Cleanup(m.Close)
			trust := x509.NewCertPool()
			trust.AddCert(m.Certificate())
			f := web(t)
			f.TLS = &tls.Config{RootCAs: trust}
			return m.URL, f
		}
	}
	places := map[string]func(t *testing.T) (string, fetchers.Fetcher){
		"http":     func(t *testing.T) (string, fetchers.Fetcher) { return newMirror(t, rate, long.serve).URL, web(t) },
		"HTTP/1.1": secure("HTTP/1.1"),
		"HTTP/2":   secure("HTTP/2.0"),
		"ftp": func(t *testing.T) (string, fetchers.Fetcher) {
			server := ftptest.NewServer(fstest.MapFS{"f": {Data: long.content, ModTime: day}}, ftptest.Rate(rate))
			t.Cleanup(server.Close)
			f := new(ftp.Fetcher)
			t.Cleanup(f.CloseIdle)
			return server.URL + "/f", f
		},
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, f := place(t)
			second := newMirror(t, 3<<20, long.serve)
			first, other := request(t, at), request(t, second.URL)
			fetcher := new(fetchers.Registry)
			fetcher.Register(f, first.URL.Scheme)
			if first.URL.Scheme != "http" {
				fetcher.Register(web(t), "http")
			}
			saver := &download.Saver{Fetcher: &fetchers.Client{Fetcher: fetcher, Retry: fetchers.Retry{Max: 3}}}
			file := filepath.Join(t.TempDir(), "f")
			if _, err := saver.SaveAny(t.Context(), []*fetchers.Request{first, other}, download.Target{Name: file, Sum: sumOf(t, long)}); err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, long.content)
			if sent := second.sent.Load(); sent < int64(len(long.content))*3/4 {
				t.Errorf("%d bytes are from the other place", sent)
			}
		})
	}
}

// TestShareContinuesPartialFile checks that the second mirror continues the file that the first one began.
func TestShareContinuesPartialFile(t *testing.T) {
	asked := 0
	first := newMirror(t, 0, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if asked++; asked > 1 {
			nethttp.NotFound(w, r)
			return
		}
		long.serve(&cutter{w, 5 << 20}, r)
	})
	second := newMirror(t, 0, long.serve)
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t), Segments: 1}
	reqs := []*fetchers.Request{request(t, first.URL), request(t, second.URL)}
	if _, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file, Sum: sumOf(t, long)}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	if from := second.lowest.Load(); from < 4<<20 {
		t.Errorf("the second was asked from %d on", from)
	}
}

// TestShareResumes interrupts a download from two mirrors and resumes it: at one of them with the
// same sum; at the first with the sum of the journal; but not with another sum.
func TestShareResumes(t *testing.T) {
	for name, test := range map[string]struct {
		places  []int
		sum     download.Sum
		resumed bool
		fails   error
	}{
		"both":                  {[]int{0, 1}, sumOf(t, long), true, nil},
		"the first":             {[]int{0}, sumOf(t, long), true, nil},
		"the second":            {[]int{1}, sumOf(t, long), true, nil},
		"the first, by itself":  {[]int{0}, download.Sum{}, true, nil},
		"the second, by itself": {[]int{1}, download.Sum{}, false, nil},
		"of another sum":        {[]int{0}, sumOf(t, v1), false, download.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			mirrors := []*mirror{newMirror(t, 3<<20, long.serve), newMirror(t, 3<<20, long.serve)}
			file := filepath.Join(t.TempDir(), "f")
			saver := &download.Saver{Fetcher: web(t), Segments: 2}
			all := []*fetchers.Request{request(t, mirrors[0].URL), request(t, mirrors[1].URL)}
			go func() {
				for ctx.Err() == nil {
					if mirrors[0].sent.Load() > 1<<20 && mirrors[1].sent.Load() > 1<<20 {
						cancel()
					}
					time.Sleep(time.Millisecond)
				}
			}()
			if _, err := saver.SaveAny(ctx, all, download.Target{Name: file, Sum: sumOf(t, long)}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if journal, err := os.ReadFile(file + ".part.json"); err != nil || !strings.Contains(string(journal), sumOf(t, long).String()) {
				t.Fatalf("the journal is %s, %v", journal, err)
			}
			var reqs []*fetchers.Request
			for _, n := range test.places {
				reqs = append(reqs, all[n])
			}
			saved, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file, Sum: test.sum})
			if !errors.Is(err, test.fails) || (saved.Resumed > 1<<20) != test.resumed {
				t.Fatalf("%v after %d that were there", err, saved.Resumed)
			}
			if test.fails != nil {
				wantNone(t, file)
				return
			}
			wantContent(t, file, long.content)
			wantAlone(t, file)
		})
	}
}

// TestShareDuplicates checks that the mirrors that a server names help too, since it gives a digest
// of the file.
func TestShareDuplicates(t *testing.T) {
	second := newMirror(t, 3<<20, long.serve)
	first := newMirror(t, 3<<20, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Link", "<"+second.URL+">; rel=duplicate")
		w.Header().Set("Repr-Digest", field("sha-256", sum256(long.content)))
		long.serve(w, r)
	})
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t), Duplicate: func(u *url.URL) *fetchers.Request { return &fetchers.Request{URL: u} }}
	if _, err := saver.SaveAny(t.Context(), []*fetchers.Request{request(t, first.URL)}, download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	if sent := second.sent.Load(); sent < 1<<20 {
		t.Errorf("%d bytes are from the second", sent)
	}
}

// TestShareFTP checks a mirror with another protocol.
func TestShareFTP(t *testing.T) {
	server := ftptest.NewServer(fstest.MapFS{"f": {Data: long.content, ModTime: day}}, ftptest.Rate(3<<20))
	defer server.Close()
	mirror := newMirror(t, 3<<20, long.serve)
	fetcher := new(fetchers.Registry)
	files := new(ftp.Fetcher)
	defer files.CloseIdle()
	fetcher.Register(files, "ftp")
	fetcher.Register(web(t), "http")
	for name, reqs := range map[string][]*fetchers.Request{
		"second": {request(t, mirror.URL), request(t, server.URL+"/f")},
		"first":  {request(t, server.URL+"/f"), request(t, mirror.URL)},
	} {
		t.Run(name, func(t *testing.T) {
			asked, logins := mirror.asked.Load(), len(server.Transcript())
			file := filepath.Join(t.TempDir(), "f")
			saver := &download.Saver{Fetcher: fetcher}
			if _, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file, Sum: sumOf(t, long)}); err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, long.content)
			if mirror.asked.Load() == asked || len(server.Transcript()) == logins {
				t.Error("one of them was not asked")
			}
		})
	}
}
