package download_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// ranged serves ranges of data, through the bodies that wrap returns. n counts from 1.
func ranged(data []byte, wrap func(n int, content io.Reader, ctx context.Context) io.ReadCloser) fetchers.Fetcher {
	var n atomic.Int32
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := int64(len(data))
		if req.Range.Length > 0 {
			to = req.Range.Offset + req.Range.Length
		}
		res := &fetchers.Resource{
			URL: req.URL, Kind: fetchers.Document, Size: int64(len(data)), Range: req.Range,
			Validator: fetchers.Validator{ETag: long.etag}, Confirmed: func() bool { return true },
		}
		res.SetBody(wrap(int(n.Add(1)), bytes.NewReader(data[req.Range.Offset:to]), ctx))
		return res, nil
	})
}

// An ending reader calls ended at its end.
type ending struct {
	io.Reader
	ended func()
}

func (e ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF {
		e.ended()
	}
	return n, err
}

// TestInterruptedBetweenGaps interrupts a download after the first of two gaps is filled, before
// any connection has failed.
func TestInterruptedBetweenGaps(t *testing.T) {
	const mib = 1 << 20
	name := filepath.Join(t.TempDir(), "f")
	part := bytes.Clone(long.content[:5*mib])
	clear(part[mib : 2*mib])
	writePrivate(t, name+".part", part)
	writePrivate(t, name+".part.json", journalOf(fmt.Sprintf(`{"url":"http://h.example/f","size":8388608,"etag":%q,"have":[[0,1048576],[2097152,5242880]]}`, long.etag)))
	ctx, cancel := context.WithCancel(t.Context())
	fetcher := ranged(long.content, func(_ int, content io.Reader, _ context.Context) io.ReadCloser {
		return io.NopCloser(ending{content, cancel})
	})
	saver := &download.Saver{Fetcher: fetcher}
	if _, err := saver.Save(ctx, request(t, "http://h.example/f"), download.Target{Name: name}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	wantNone(t, name)
}

// A stopping body sends so many bytes, and then none until it is closed.
type stopping struct {
	io.Reader
	left   int
	closed chan struct{}
	ctx    context.Context
}

func (s *stopping) Read(p []byte) (int, error) {
	if s.left == 0 {
		select {
		case <-s.ctx.Done():
		case <-s.closed:
		}
		return 0, io.ErrClosedPipe
	}
	n, err := s.Reader.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

func (s *stopping) Close() error {
	close(s.closed)
	return nil
}

// TestConnectionStandsStill checks that other connections fetch the rest of a stalled connection,
// so that the download does not wait for it.
func TestConnectionStandsStill(t *testing.T) {
	for _, after := range []int{1, 40_000, 200_000, 1_000_000, 3_000_000} {
		for _, segments := range []int{2, 4, 16} {
			synctest.Test(t, func(t *testing.T) {
				fetcher := ranged(long.content, func(n int, content io.Reader, ctx context.Context) io.ReadCloser {
					time.Sleep(20 * time.Millisecond)
					content = &timed{content, 2 << 20}
					if n > 1 {
						return io.NopCloser(content)
					}
					return &stopping{content, after, make(chan struct{}), ctx}
				})
				name := filepath.Join(t.TempDir(), "f")
				saver := &download.Saver{Fetcher: fetcher, Segments: segments}
				begun := time.Now()
				if _, err := saver.Save(t.Context(), request(t, "http://h.example/f"), download.Target{Name: name}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took > 12*time.Second {
					t.Errorf("%d segments, one of which sends %d bytes: %v", segments, after, took)
				}
				wantContent(t, name, long.content)
			})
		}
	}
}
