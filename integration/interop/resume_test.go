package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A download that broke off is resumed.
func TestResume(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		const kept = 3 << 20
		client := newClient(t)
		req := &fetchers.Request{URL: parse(t, server.Tree+"/5m.bin")}
		to := download.Target{Name: filepath.Join(t.TempDir(), "file")}

		breaking := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res, err := client.Fetch(ctx, req)
			if err == nil {
				res.Body = &body{ReadCloser: res.Body, then: kept, pass: func() error { return io.ErrUnexpectedEOF }}
			}
			return res, err
		})
		if _, err := (&download.Saver{Fetcher: breaking, Segments: 1}).Save(t.Context(), req, to); err == nil {
			t.Fatal("the first download did not break off")
		}
		saved, err := (&download.Saver{Fetcher: client, Segments: 1}).Save(t.Context(), req, to)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(servers.Size5m - kept); saved.Resumed != kept || saved.Fetched != want {
			t.Errorf("%d octets were kept and %d came, want %d and %d", saved.Resumed, saved.Fetched, kept, want)
		}
		checkFile(t, to.Name, onDisk(t, server, "5m.bin"))
	})
}

// A file comes in segments, over several connections at once.
func TestSegments(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client := newClient(t)
		var asked atomic.Int32
		several := make(chan struct{})
		var once sync.Once
		// The first connection stands still until another one has its answer.
		gated := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			first := asked.Add(1) == 1
			res, err := client.Fetch(ctx, req)
			switch {
			case err != nil:
				return nil, err
			case first:
				res.Body = &body{ReadCloser: res.Body, then: 64 << 10, pass: func() error { return await(ctx, several) }}
			case res.Range.Offset > 0:
				once.Do(func() { close(several) })
			}
			return res, nil
		})
		to := download.Target{Name: filepath.Join(t.TempDir(), "file")}
		saver := &download.Saver{Fetcher: gated, Segments: 3}
		if _, err := saver.Save(ctx, &fetchers.Request{URL: parse(t, server.Tree+"/5m.bin")}, to); err != nil {
			t.Fatal(err)
		}
		checkFile(t, to.Name, onDisk(t, server, "5m.bin"))
	})
}

// A body calls pass once, after a number of octets. It ends if pass returns an error.
type body struct {
	io.ReadCloser
	then int64
	pass func() error
}

func (b *body) Read(p []byte) (int, error) {
	if b.then == 0 {
		if err := b.pass(); err != nil {
			return 0, err
		}
		b.then = -1
	}
	if b.then > 0 {
		p = p[:min(int64(len(p)), b.then)]
	}
	n, err := b.ReadCloser.Read(p)
	if b.then > 0 {
		b.then -= int64(n)
	}
	return n, err
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no segment came: %w", ctx.Err())
	}
}

func checkFile(t *testing.T, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%d octets that are not the %d on disk", len(got), len(want))
	}
}
