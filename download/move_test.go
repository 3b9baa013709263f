package download_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// TestMove checks that content moved by the system arrives whole, whether the system can move it or
// not, and that a file that becomes shorter meanwhile is an error.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	whole := content(7, 20<<20+1)
	write(t, from, whole)
	local := url.File{Path: filepath.ToSlash(from)}.URL()
	t.Run("file", func(t *testing.T) { move(t, new(file.Fetcher), &fetchers.Request{URL: local}, whole) })

	web := httptest.NewServer(nethttp.HandlerFunc(version{whole, `"moved"`, day}.serve))
	defer web.Close()
	t.Run("http", func(t *testing.T) { move(t, new(http.Fetcher), request(t, web.URL), whole) })

	server := ftptest.NewServer(fstest.MapFS{"from": {Data: whole, ModTime: day}})
	defer server.Close()
	t.Run("ftp", func(t *testing.T) { move(t, new(ftp.Fetcher), request(t, server.URL+"/from"), whole) })

	t.Run("cut", func(t *testing.T) {
		shrinking := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res, err := new(file.Fetcher).Fetch(ctx, req)
			if err == nil {
				err = os.Truncate(from, 17<<20)
			}
			return res, err
		})
		to := filepath.Join(t.TempDir(), "to")
		_, err := (&download.Saver{Fetcher: shrinking}).Save(t.Context(), &fetchers.Request{URL: local}, download.Target{Name: to})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error = %v, want %v", err, io.ErrUnexpectedEOF)
		}
		wantNone(t, to)
	})
}

// move saves a request with various settings.
func move(t *testing.T, f fetchers.Fetcher, req *fetchers.Request, whole []byte) {
	client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 1}}
	defer client.CloseIdle()
	for name, c := range map[string]struct {
		to       download.Target
		segments int
	}{
		"by the system":   {segments: 1},
		"hashed":          {segments: 1, to: download.Target{Hash: sha256.New()}},
		"in segments":     {segments: 3},
		"as it helps":     {}, // adaptive
		"with its meter":  {segments: 1, to: download.Target{Meter: new(download.Meter)}},
		"with its time":   {segments: 1, to: download.Target{Times: true}},
		"beside the last": {segments: 1, to: download.Target{Beside: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c.to.Name = filepath.Join(t.TempDir(), "to")
			saver := &download.Saver{Fetcher: client, Segments: c.segments}
			saved, err := saver.Save(t.Context(), req, c.to)
			if err != nil || saved.Fetched != int64(len(whole)) || !saved.Confirmed() {
				t.Fatalf("saved: %+v, %v", saved, err)
			}
			shared := c.segments != 1 && req.URL.Scheme != "file" // among several connections
			if !shared && saved.Received() != int64(len(whole)) {
				t.Fatalf("saved: %+v, %v", saved, err)
			}
			wantContent(t, c.to.Name, whole)
			wantAlone(t, c.to.Name)
			if c.to.Meter != nil && c.to.Meter.Have() != int64(len(whole)) {
				t.Errorf("the meter has %d", c.to.Meter.Have())
			}
			if c.to.Hash != nil && !bytes.Equal(c.to.Hash.Sum(nil), sum256(whole)) {
				t.Error("the hash is of something else")
			}
		})
	}
}
