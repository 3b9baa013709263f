package download_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// chunked sends n bytes of v as a body of unknown length, and cuts off if v is longer.
func (v version) chunked(w nethttp.ResponseWriter, n int) {
	for at := 0; at < n; at += 16 << 10 {
		w.Write(v.content[at:min(at+16<<10, n)])
		w.(nethttp.Flusher).Flush()
	}
	if n < len(v.content) {
		panic(nethttp.ErrAbortHandler)
	}
}

// whole answers with all of v, even for a range.
func (v version) whole(w nethttp.ResponseWriter, r *nethttp.Request) {
	r.Header.Del("Range")
	v.serve(w, r)
}

// TestBeginsAgain checks that a download that cannot be resumed restarts, within the retries of the
// Client, and is never mixed with earlier content.
func TestBeginsAgain(t *testing.T) {
	bare := func(v version) version { return version{content: v.content} }
	small := version{v4.content, v4.etag, v4.time}
	half := func(v version, w nethttp.ResponseWriter, r *nethttp.Request) {
		v.serve(&cutter{w, len(v.content) / 2}, r)
	}
	for name, c := range map[string]struct {
		answer  func(n int, w nethttp.ResponseWriter, r *nethttp.Request) // the nth response
		want    []byte                                                    // nil means an error
		err     error
		answers int
		resumed int64
	}{
		"ranges are ignored": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(v1, w, r)
			} else {
				v1.whole(w, r)
			}
		}, v1.content, nil, 3, 0},
		"ranges are ignored, and it is small": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(small, w, r)
			} else {
				small.whole(w, r)
			}
		}, small.content, nil, 3, 0},
		"a range is refused": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			switch {
			case n == 1:
				half(v1, w, r)
			case r.Header.Get("Range") != "":
				w.WriteHeader(nethttp.StatusBadRequest)
			default:
				v1.serve(w, r)
			}
		}, v1.content, nil, 4, 0}, // the Client and the Saver both request it
		"its length is not told": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n < 4 {
				v1.chunked(w, n*500_000)
			}
			v1.chunked(w, len(v1.content))
		}, v1.content, nil, 4, 0},
		"it breaks off each time": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			v1.chunked(w, n*500_000)
		}, nil, io.ErrUnexpectedEOF, 4, 0},
		"nothing proves that it is the same": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(bare(v1), w, r)
			}
			bare(v2).serve(w, r)
		}, v2.content, nil, 2, 0},
		"it changed": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(v1, w, r)
			}
			v2.serve(w, r)
		}, v2.content, nil, 3, 0},
		"it changed to a small one": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(v1, w, r)
			}
			v4.serve(w, r)
		}, v4.content, nil, 3, 0},
		"it changes each time": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			half(version{content(uint64(n), 3<<20), `"` + strconv.Itoa(n) + `"`, day}, w, r)
		}, nil, fetchers.ErrChanged, 0, 0},
		"it is gone": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			if n == 1 {
				half(bare(v1), w, r)
			}
			nethttp.NotFound(w, r)
		}, nil, nil, 2, 0},
		"it goes on in the end": {func(n int, w nethttp.ResponseWriter, r *nethttp.Request) {
			switch n {
			case 1:
				half(v1, w, r)
			case 2:
				v1.whole(w, r)
			default:
				v1.serve(w, r)
			}
		}, v1.content, nil, 3, int64(len(v1.content) / 2)},
	} {
		for _, segments := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, segments %d", name, segments), func(t *testing.T) {
				var answers, retries atomic.Int32
				server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
					c.answer(int(answers.Add(1)), w, r)
				}))
				defer server.Close()
				ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Retry: func(context.Context, int, time.Duration, error) { retries.Add(1) }})
				client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 3, Delay: time.Millisecond}}
				saver := &download.Saver{Fetcher: client, Segments: segments}
				h, meter := sha256.New(), new(download.Meter)
				file := filepath.Join(t.TempDir(), "f")
				saved, err := saver.Save(ctx, request(t, server.URL), download.Target{Name: file, Hash: h, Meter: meter})
				if c.want == nil {
					if err == nil || c.err != nil && !errors.Is(err, c.err) {
						t.Errorf("error %v, want %v", err, c.err)
					}
					wantNone(t, file)
				} else {
					if err != nil {
						t.Fatal(err)
					}
					wantContent(t, file, c.want)
					wantAlone(t, file)
					if segments == 1 && (saved.Resumed != c.resumed || saved.Resumed+saved.Fetched != int64(len(c.want))) {
						t.Errorf("resumed after %d, and %d came; want %d", saved.Resumed, saved.Fetched, c.resumed)
					}
					if !bytes.Equal(h.Sum(nil), sum256(c.want)) || meter.Have() != int64(len(c.want)) {
						t.Errorf("the hash is %x, the meter at %d", h.Sum(nil), meter.Have())
					}
				}
				if got := int(answers.Load()); segments == 1 && c.answers > 0 && got != c.answers || got > 20 {
					t.Errorf("%d answers, want %d", got, c.answers)
				}
				// The first of several segments may be complete before its connection is cut off.
				if retries.Load() == 0 && (segments == 1 || name != "it goes on in the end") {
					t.Error("the Trace was told of no retry")
				}
			})
		}
	}
}

// TestBeginsAgainFTP checks a server without file times, where nothing proves that a file is the
// same.
func TestBeginsAgainFTP(t *testing.T) {
	server := ftptest.NewServer(fstest.MapFS{"f": {Data: v1.content}}, ftptest.Without("MDTM"), ftptest.Without("MLST"), ftptest.Faults(ftptest.Fault{After: cutAt, Do: ftptest.Cut, Once: true}))
	defer server.Close()
	client := &fetchers.Client{Fetcher: new(ftp.Fetcher), Retry: fetchers.Retry{Max: 1, Delay: time.Millisecond}}
	defer client.CloseIdle()
	file := filepath.Join(t.TempDir(), "f")
	if _, err := (&download.Saver{Fetcher: client}).Save(t.Context(), request(t, server.URL+"/f"), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, v1.content)
}

// TestBeginsAgainAfterInterruption checks a partial file of an old version. The server serves its
// rest once, is cut off, and then serves the new version.
func TestBeginsAgainAfterInterruption(t *testing.T) {
	var answers atomic.Int32
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch answers.Add(1) {
		case 1:
			v1.serve(&cutter{w, 1 << 20}, r)
		case 2:
			v1.serve(&cutter{w, 1 << 19}, r)
		default:
			v2.serve(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	fetcher := web(t)
	if _, err := (&download.Saver{Fetcher: fetcher}).Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err == nil {
		t.Fatal("no error")
	}
	var restarted int
	client := &fetchers.Client{Fetcher: fetcher, Retry: fetchers.Retry{Max: 3, Delay: time.Millisecond}}
	saver := &download.Saver{Fetcher: client, Restart: func(*fetchers.Request) { restarted++ }}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	if err != nil || saved.Resumed != 0 || restarted != 1 {
		t.Fatalf("%+v, %v; told %d times that it starts over", saved, err, restarted)
	}
	wantContent(t, file, v2.content)
	wantAlone(t, file)
}

// TestHeadIsNotRestarted checks that the range after a Head is not fetched again from a restart, since the
// new response may be of another version. The file is unchanged.
func TestHeadIsNotRestarted(t *testing.T) {
	const head = 1_000_000
	for name, second := range map[string]version{"another version": v2, "no validator": {content: v2.content}, "the same": v1} {
		t.Run(name, func(t *testing.T) {
			var answers atomic.Int32
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if answers.Add(1) == 1 {
					version{content: v1.content}.serve(&cutter{w, 1000}, r)
				}
				second.serve(w, r)
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "f")
			write(t, file, v1.content[:head])
			req := request(t, server.URL)
			req.Range.Offset = head
			client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 3, Delay: time.Millisecond}}
			_, err := (&download.Saver{Fetcher: client}).Save(t.Context(), req, download.Target{Name: file, Head: head})
			if !errors.Is(err, io.ErrUnexpectedEOF) || answers.Load() != 1 {
				t.Errorf("%v after %d answers", err, answers.Load())
			}
			wantContent(t, file, v1.content[:head])
			wantAlone(t, file)
		})
	}
}

// TestRefusalOfRest checks that an error page in place of the rest does not replace the partial
// file, also with NoFail, and that the rest is fetched later.
func TestRefusalOfRest(t *testing.T) {
	for _, code := range []int{nethttp.StatusServiceUnavailable, nethttp.StatusForbidden} {
		var answers atomic.Int32
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			switch answers.Add(1) {
			case 1:
				v1.cut(w, r)
			case 2:
				nethttp.Error(w, "refused", code)
			default:
				v1.serve(w, r)
			}
		}))
		file := filepath.Join(t.TempDir(), "f")
		saver := &download.Saver{Fetcher: web(t)}
		req := request(t, server.URL)
		req.NoFail = true
		for range 2 {
			if _, err := saver.Save(t.Context(), req, download.Target{Name: file}); err == nil {
				t.Errorf("%d: no error", code)
			}
		}
		saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
		if err != nil {
			t.Fatal(err)
		}
		wantContent(t, file, v1.content)
		if saved.Resumed == 0 {
			t.Errorf("%d: what was there is fetched again", code)
		}
		server.Close()
	}
}
