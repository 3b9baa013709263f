package download_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

var long = version{content(5, 8<<20), `"long"`, day}

// TestSegments fetches a file over several connections, from servers that each behave differently.
// The file is right or does not exist.
func TestSegments(t *testing.T) {
	for name, test := range map[string]struct {
		serve       nethttp.HandlerFunc // serves all requests that do not wait
		connections int32               // minimum
		fails       error
	}{
		"willing": {long.serve, 3, nil},
		"without parts": {func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("Range")
			long.serve(w, r)
		}, 2, nil},
		"busy": {func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.WriteHeader(nethttp.StatusServiceUnavailable)
		}, 2, nil},
		"of another version": {version{content(6, 8<<20), `"other"`, day}.serve, 2, nil},
		"of another size":    {version{content(6, 9<<20), `"long"`, day}.serve, 2, nil},
		"somewhere else": {func(w nethttp.ResponseWriter, r *nethttp.Request) {
			from := offset(r) + 1
			part(w, long, fmt.Sprintf("%d-%d/%d", from, len(long.content)-1, len(long.content)), long.content[from:])
		}, 2, nil},
		"cut again and again": {func(w nethttp.ResponseWriter, r *nethttp.Request) {
			long.serve(&cutter{w, 300_000}, r)
		}, 2, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			split := make(chan bool)
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				switch n := asked.Add(1); {
				case n == 1: // waits in the middle for the other connections
					long.serve(&waiter{ResponseWriter: w, left: 3 << 20, until: split, cut: test.fails != nil}, r)
				case n < test.connections:
					long.serve(&waiter{ResponseWriter: w, left: 1 << 10, until: split}, r)
				case n == test.connections:
					defer close(split)
					test.serve(w, r)
				default:
					test.serve(w, r)
				}
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "f")
			h := sha256.New()
			saver := &download.Saver{Fetcher: web(t), Segments: 4}
			saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Hash: h})
			if !errors.Is(err, test.fails) {
				t.Fatalf("error = %v, want %v", err, test.fails)
			}
			if asked.Load() < test.connections {
				t.Errorf("asked %d times, want %d", asked.Load(), test.connections)
			}
			if test.fails != nil {
				wantNone(t, file)
				return
			}
			wantContent(t, file, long.content)
			wantAlone(t, file)
			if got := h.Sum(nil); string(got) != string(sum256(long.content)) {
				t.Errorf("hash %x", got)
			}
			if !saved.Confirmed() || saved.Fetched != int64(len(long.content)) {
				t.Errorf("confirmed: %v, fetched: %d", saved.Confirmed(), saved.Fetched)
			}
		})
	}
}

// TestOvertaking: two ranges arrive slowly, and the first connection, whose stream has no end of
// its own, sends the same bytes too. They arrive twice and count once.
func TestOvertaking(t *testing.T) {
	var sent, twice atomic.Int64
	brought := make(chan bool)
	enough := sync.OnceFunc(func() { close(brought) })
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Range") == "" {
			long.serve(&waiter{ResponseWriter: &slow{w, &sent, 0}, left: 1 << 10, until: brought}, r)
			return
		}
		long.serve(&slow{&watched{w, &twice, 128 << 10, enough}, &sent, 256 << 10}, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	meter := new(download.Meter)
	saver := &download.Saver{Fetcher: web(t), Segments: 3}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Meter: meter})
	if size := int64(len(long.content)); err != nil || saved.Fetched != size || meter.Have() != size {
		t.Errorf("of %d bytes %d were fetched, and the meter has %d, of %d that were sent: %v", size, saved.Fetched, meter.Have(), sent.Load(), err)
	}
	wantContent(t, file, long.content)
}

// A watched writer calls reached once it has written a number of bytes.
type watched struct {
	nethttp.ResponseWriter
	sent    *atomic.Int64
	most    int64
	reached func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	if w.sent.Add(int64(n)) >= w.most {
		w.reached()
	}
	return n, err
}

// A waiter sends so many bytes, and the rest on a signal, or never.
type waiter struct {
	nethttp.ResponseWriter
	left  int
	until chan bool
	cut   bool
}

func (c *waiter) Write(p []byte) (int, error) {
	n := 0
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(nethttp.Flusher).Flush()
		<-c.until
		if c.cut {
			panic(nethttp.ErrAbortHandler)
		}
		n, p, c.left = c.left, p[c.left:], math.MaxInt
	}
	c.left -= len(p)
	m, err := c.ResponseWriter.Write(p)
	return n + m, err
}

// TestSegmentsHelp checks that connections are added if each is slow.
func TestSegmentsHelp(t *testing.T) {
	var open, most atomic.Int32
	var sent atomic.Int64
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		long.serve(&slow{w, &sent, 2 << 20}, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
		switch state {
		case nethttp.StateNew:
			most.Store(max(most.Load(), open.Add(1)))
		case nethttp.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	if n := most.Load(); n < 2 || n > 16 {
		t.Errorf("%d connections at a time, want 2 to 16", n)
	}
}

// TestSegmentsOfAFastServer checks that a fast connection stays alone. The body defines the time
// for each byte, independent of the speed of the machine.
func TestSegmentsOfAFastServer(t *testing.T) {
	for rate, want := range map[int]bool{1 << 20: true, 128 << 20: false} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			fetcher := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				if asked++; asked > 1 {
					return nil, fetchers.ErrRange
				}
				res := &fetchers.Resource{
					URL: req.URL, Kind: fetchers.Document, Size: int64(len(long.content)),
					Validator: fetchers.Validator{ETag: long.etag}, Confirmed: func() bool { return true },
				}
				res.SetBody(io.NopCloser(&timed{bytes.NewReader(long.content), rate}))
				return res, nil
			})
			file := filepath.Join(t.TempDir(), "f")
			saver := &download.Saver{Fetcher: fetcher}
			if _, err := saver.Save(t.Context(), request(t, "http://h.example/f"), download.Target{Name: file}); err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, long.content)
			if got := asked > 1; got != want {
				t.Errorf("at %d bytes a second it was asked %d times", rate, asked)
			}
		})
	}
}

// A timed reader limits its rate.
type timed struct {
	io.Reader
	rate int // bytes per second
}

func (r *timed) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), 16<<10)])
	time.Sleep(time.Second * time.Duration(n) / time.Duration(r.rate))
	return n, err
}

// TestSegmentsFTP checks that a second connection begins in the middle, and that its end proves it.
// Without RANG there cannot be more; trying does no harm.
func TestSegmentsFTP(t *testing.T) {
	server := ftptest.NewServer(fstest.MapFS{"f": {Data: long.content, ModTime: day}}, ftptest.Rate(8<<20))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	fetcher := new(ftp.Fetcher)
	defer fetcher.CloseIdle()
	saver := &download.Saver{Fetcher: fetcher, Segments: 4}
	if _, err := saver.Save(t.Context(), request(t, server.URL+"/f"), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	wantAlone(t, file)
	rest := 0
	for _, line := range server.Transcript() {
		if len(line) > 5 && line[:5] == "REST " {
			rest++
		}
	}
	if rest == 0 {
		t.Error("there was no second connection")
	}
}

// TestSegmentsInterrupted cuts off all connections and restarts the download until it is done. No
// byte is wasted.
func TestSegmentsInterrupted(t *testing.T) {
	var sent atomic.Int64
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		long.serve(&cutter{&slow{w, &sent, 32 << 20}, 600_000}, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t), Segments: 3}
	for n := 1; ; n++ {
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
		if err == nil {
			break
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) || n == 100 {
			t.Fatalf("attempt %d: %+v, %v", n, saved, err)
		}
		wantNone(t, file)
	}
	wantContent(t, file, long.content)
	wantAlone(t, file)
}

// TestSegmentsRetry checks that each connection has the retries of the Client.
func TestSegmentsRetry(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		long.serve(&cutter{w, 600_000}, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
	saver := &download.Saver{Fetcher: client, Segments: 3}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
}

// TestSegmentsCrowded checks a server that accepts one connection at a time and asks the others to
// wait: the download does not wait.
func TestSegmentsCrowded(t *testing.T) {
	var asked, open atomic.Int32
	var sent atomic.Int64
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked.Add(1)
		defer open.Add(-1)
		if open.Add(1) > 1 {
			w.WriteHeader(nethttp.StatusServiceUnavailable)
			return
		}
		long.serve(&slow{w, &sent, 4 << 20}, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 3, Min: time.Hour, Cap: time.Hour}}
	saver := &download.Saver{Fetcher: client, Segments: 3}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, long.content)
	if asked.Load() < 2 {
		t.Error("there was no second connection")
	}
}
