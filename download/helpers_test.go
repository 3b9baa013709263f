package download_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

var thorough = flag.Bool("long", false, "kill downloads 200 times, and not only a few; download from 1500 hostile servers, and not only 120")

// A version is one version of the file on the server.
type version struct {
	content []byte
	etag    string
	time    time.Time
}

// content returns bytes that depend on the seed.
func content(seed uint64, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}

var (
	day = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	v1  = version{content(1, fileSize), `"v1"`, day}
	v2  = version{content(2, fileSize), `"v2"`, day.Add(time.Hour)}
	v4  = version{content(4, 64_000), `"v4"`, day.Add(2 * time.Hour)}
)

// A file of this size never gets a second connection, however slow the first one is; see
// TestSegmentsHelp.
const fileSize = 2<<20 - 1

const cutAt = 3 << 19

// serve answers correctly.
func (v version) serve(w nethttp.ResponseWriter, r *nethttp.Request) {
	if v.etag != "" {
		w.Header().Set("ETag", v.etag)
	}
	nethttp.ServeContent(w, r, "", v.time, bytes.NewReader(v.content))
}

// cut answers correctly, but is cut off.
func (v version) cut(w nethttp.ResponseWriter, r *nethttp.Request) {
	v.serve(&cutter{w, cutAt}, r)
}

type cutter struct {
	nethttp.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// part answers 206 with the given range and body, regardless of the request.
func part(w nethttp.ResponseWriter, v version, span string, body []byte) {
	w.Header().Set("ETag", v.etag)
	w.Header().Set("Last-Modified", v.time.Format(nethttp.TimeFormat))
	w.Header().Set("Content-Range", "bytes "+span)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(206)
	w.Write(body)
}

// offset returns the offset of the requested range.
func offset(r *nethttp.Request) int {
	var n int
	fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &n)
	return n
}

func request(t *testing.T, text string) *fetchers.Request {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &fetchers.Request{URL: u}
}

func sum256(b []byte) []byte { s := sha256.Sum256(b); return s[:] }

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// writePrivate is write, with the mode of a partial file and its journal.
func writePrivate(t *testing.T, name string, content []byte) {
	t.Helper()
	write(t, name, content)
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantContent(t *testing.T, name string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s holds %d bytes that are not the %d wanted, %v", name, len(got), len(want), err)
	}
}

// wantAlone fails if a partial file or journal is left.
func wantAlone(t *testing.T, name string) {
	t.Helper()
	wantNone(t, name+".part")
	wantNone(t, name+".part.json")
	wantNone(t, name+".part.new")
}

// A slow writer counts bytes, and limits the rate if it has one.
type slow struct {
	nethttp.ResponseWriter
	sent *atomic.Int64
	rate int
}

func (s *slow) Flush() { s.ResponseWriter.(nethttp.Flusher).Flush() }

func (s *slow) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		piece := len(p)
		if s.rate > 0 {
			piece = min(piece, s.rate/50)
			time.Sleep(time.Second * time.Duration(piece) / time.Duration(s.rate))
		}
		m, werr := s.ResponseWriter.Write(p[:piece])
		s.sent.Add(int64(m))
		n, err, p = n+m, werr, p[m:]
	}
	return n, err
}

// web returns a Fetcher whose connections are closed at the end of the test.
func web(t testing.TB) *http.Fetcher {
	f := new(http.Fetcher)
	t.Cleanup(f.CloseIdle)
	return f
}

// old returns a function that creates a file called name beside another file.
func old(name string) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		write(t, filepath.Join(filepath.Dir(file), name), []byte("old"))
	}
}

// link makes a symbolic link.
func link(t *testing.T, to, name string) {
	t.Helper()
	err := os.Symlink(to, name)
	if err != nil && runtime.GOOS == "windows" {
		t.Skip(err) // on some systems not every user may create links
	}
	if err != nil {
		t.Fatal(err)
	}
}

// journalOf returns a record, a JSON object, with the checksum of a journal.
func journalOf(record string) []byte {
	sealed := strings.TrimSuffix(record, "}")
	return fmt.Appendf(nil, "%s,\"check\":\"%x\"}\n", sealed, sum256([]byte(sealed)))
}
