package download_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/url"
)

// TestClone: a file of this machine comes whole, however it is copied, and one that
// becomes shorter meanwhile does not come.
func TestClone(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	whole := content(7, 20<<20+1)
	write(t, from, whole)
	place := url.File{Path: filepath.ToSlash(from)}.URL()
	client := &fetchers.Client{Fetcher: new(file.Fetcher), Retry: fetchers.Retry{Max: 1}}

	for name, c := range map[string]struct {
		to       download.Target
		segments int
	}{
		"by the system":   {},
		"hashed":          {to: download.Target{Hash: sha256.New()}},
		"in segments":     {segments: 3},
		"with its meter":  {to: download.Target{Meter: new(download.Meter)}},
		"with its time":   {to: download.Target{Times: true}},
		"beside the last": {to: download.Target{Beside: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c.to.Name = filepath.Join(t.TempDir(), "to")
			saver := &download.Saver{Fetcher: client, Segments: c.segments}
			saved, err := saver.Save(t.Context(), &fetchers.Request{URL: place}, c.to)
			if err != nil || saved.Fetched != int64(len(whole)) || saved.Received() != int64(len(whole)) || !saved.Confirmed() {
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

	t.Run("cut", func(t *testing.T) {
		shrinking := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res, err := new(file.Fetcher).Fetch(ctx, req)
			if err == nil {
				err = os.Truncate(from, 17<<20)
			}
			return res, err
		})
		to := filepath.Join(t.TempDir(), "to")
		_, err := (&download.Saver{Fetcher: shrinking}).Save(t.Context(), &fetchers.Request{URL: place}, download.Target{Name: to})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error = %v, want %v", err, io.ErrUnexpectedEOF)
		}
		wantNone(t, to)
	})
}
