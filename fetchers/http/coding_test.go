package http_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// coders are the encoders of the codings.
var coders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return must(gzip.NewWriterLevel(w, gzip.BestCompression)) },
	"deflate": func(w io.Writer) io.WriteCloser { return must(flate.NewWriter(w, flate.BestCompression)) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
	"zstd":    func(w io.Writer) io.WriteCloser { return must(zstd.NewWriter(w, zstd.WithWindowSize(8<<20))) },
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// zeros returns n zero bytes in one or several nested codings.
func zeros(n int64, codings ...string) []byte {
	var b bytes.Buffer
	w := io.WriteCloser(nopCloser{&b})
	all := []io.Closer{w}
	for i := len(codings) - 1; i >= 0; i-- {
		w = coders[codings[i]](w)
		all = append(all, w)
	}
	chunk := make([]byte, 1<<20)
	for ; n > 0; n -= int64(len(chunk)) {
		w.Write(chunk[:min(n, 1<<20)])
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Close()
	}
	return b.Bytes()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// A body that exceeds the expansion limit is refused early and without much memory.
func TestBombs(t *testing.T) {
	for _, codings := range [][]string{{"gzip"}, {"deflate"}, {"br"}, {"zstd"}, {"gzip", "gzip"}, {"br", "gzip", "zstd"}} {
		name := strings.Join(codings, ", ")
		t.Run(name, func(t *testing.T) {
			bomb := zeros(24<<20, codings...)
			if name == "gzip" {
				bomb = bytes.Repeat(bomb, 43) // 1 GiB in 1 MiB
			}
			server := httptest.NewServer(coded(name, bomb))
			defer server.Close()
			f := new(http.Fetcher)
			defer f.CloseIdle()
			var n int64
			var err error
			took := allocated(func() { n, err = count(t, f, server.URL) })
			if !errors.Is(err, fetchers.ErrCoding) || !strings.Contains(err.Error(), "were made from") {
				t.Errorf("error %v, want ErrCoding", err)
			}
			if n > 32<<20 || took > 64<<20 {
				t.Errorf("%d bytes came out, %d were allocated, of %d sent", n, took, len(bomb))
			}
		})
	}
}

// A body within the expansion limit is complete, whatever its size.
func TestExpansionWithinLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		size    int64
		most    int64
		refused bool
	}{
		{"zeros that are harmless", 16 << 20, 0, false},
		{"as large as the limit", 1 << 20, 1 << 20, false},
		{"larger than the limit", 1<<20 + 1, 1 << 20, true},
		{"without a limit, up to the expansion ratio", 24 << 20, -1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(coded("gzip", zeros(c.size, "gzip")))
			defer server.Close()
			f := &http.Fetcher{MaxDecoded: c.most}
			defer f.CloseIdle()
			n, err := count(t, f, server.URL)
			if errors.Is(err, fetchers.ErrCoding) != c.refused || !c.refused && (err != nil || n != c.size) {
				t.Errorf("%d bytes, error %v", n, err)
			}
			if c.most > 0 && n > c.most {
				t.Errorf("%d bytes came out, the limit is %d", n, c.most)
			}
		})
	}
}

// Every coding decodes data larger than its window and its buffers.
func TestCodings(t *testing.T) {
	for name, coder := range coders {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := coder(&b)
			large := bytes.Repeat(content, 10)
			w.Write(large)
			w.Close()
			server := httptest.NewServer(coded(name, b.Bytes()))
			defer server.Close()
			f := new(http.Fetcher)
			defer f.CloseIdle()
			got, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Compress: true})
			if err != nil || !bytes.Equal(got, large) || !confirmed {
				t.Errorf("%d bytes of %d, error %v", len(got), len(large), err)
			}
		})
	}
}

// A zstd stream cannot make the decoder exceed the memory limit (RFC 9659).
func TestWindow(t *testing.T) {
	var b bytes.Buffer
	w := must(zstd.NewWriter(&b, zstd.WithWindowSize(16<<20)))
	w.Write([]byte("x"))
	w.Flush()
	w.Write([]byte("y"))
	w.Close()
	server := httptest.NewServer(coded("zstd", b.Bytes()))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	if _, err := count(t, f, server.URL); !errors.Is(err, fetchers.ErrCoding) {
		t.Errorf("error %v, want ErrCoding", err)
	}
}

func coded(coding string, body []byte) nethttp.Handler {
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Encoding", coding)
		w.Write(body)
	})
}

// count reads and discards a document that may be compressed.
func count(t *testing.T, f fetchers.Fetcher, at string) (int64, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, at), Compress: true})
	if err != nil {
		return 0, err
	}
	defer res.Close()
	return io.Copy(io.Discard, res.Body)
}

// The names of codings in warnings and errors are short and have no control characters.
func TestNamesOfCodings(t *testing.T) {
	for field, want := range map[string]string{
		"gzip":                              "the coding gzip",
		"gzip, x-y":                         "the coding gzip, x-y",
		strings.Repeat("x", 64):             "the coding " + strings.Repeat("x", 64),
		strings.Repeat("x", 65):             "an unknown coding",
		"gzip, " + strings.Repeat("x", 1e5): "an unknown coding",
		"a b":                               "an unknown coding",
		"gz\u00e4p":                         "an unknown coding",
		strings.Repeat("gzip,", 1000):       "1000 codings",
	} {
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.Header().Set("Content-Encoding", field)
			io.WriteString(w, "x")
		}))
		f := new(http.Fetcher)
		for _, compress := range []bool{false, true} {
			var warned []string
			ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Warn: func(_ context.Context, text string) { warned = append(warned, text) }})
			res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL), Compress: compress})
			if err == nil {
				res.Close()
			}
			switch {
			case err != nil && len(err.Error()) > 200:
				t.Errorf("%.80q: an error of %d octets", field, len(err.Error()))
			case !compress && (len(warned) != 1 || warned[0] != "the body is still in "+want+", which was not requested"):
				t.Errorf("%.80q: %.200q", field, warned)
			}
		}
		f.CloseIdle()
		server.Close()
	}
}
