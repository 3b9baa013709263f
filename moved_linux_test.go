package fetch_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// A mover is a file that accepts bytes moved by the system, and counts them.
type mover struct {
	bytes.Buffer
	moved int64
}

func (m *mover) Take(from *os.File, n int64) int64 {
	n, _ = io.CopyN(&m.Buffer, from, n)
	m.moved += n
	return n
}

// TestMoved checks that the system moves an unmodified body of a plain connection without a Trace.
// A body that is decrypted, reassembled or reported to a Trace cannot be moved.
func TestMoved(t *testing.T) {
	content := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(content)
	tree := fstest.MapFS{"file.bin": {Data: content, ModTime: time.Unix(1e9, 0)}}
	name := filepath.Join(t.TempDir(), "file.bin")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}

	handler := http.NewServeMux()
	handler.HandleFunc("/file.bin", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(content))
	})
	handler.HandleFunc("/chunked", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(content)
	})
	web, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer web.Close()
	defer secure.Close()
	ftp, ftps := ftptest.NewServer(tree), ftptest.NewServer(tree, ftptest.TLS())
	defer ftp.Close()
	defer ftps.Close()
	gopher := gophertest.NewServer(tree)
	defer gopher.Close()

	set := fetch.NewSet(nil)
	set.HTTP.TLS = &tls.Config{InsecureSkipVerify: true}
	set.FTP.TLS = set.HTTP.TLS
	client := &fetchers.Client{Fetcher: set.Registry(), Retry: fetchers.Retry{Max: 1}}
	defer client.CloseIdle()

	var tap func(string) *fetchers.Tap
	tap = func(string) *fetchers.Tap {
		return &fetchers.Tap{Sent: func([]byte) {}, Got: func([]byte) {}, Ended: func(error) {}, Data: tap}
	}
	heard := &fetchers.Trace{Tap: func(_ context.Context, _, addr string) *fetchers.Tap { return tap(addr) }}
	for _, c := range []struct {
		url   string
		moved bool
	}{
		{web.URL + "/file.bin", true},
		{ftp.URL + "/file.bin", true},
		{gopher.URL + "/9/file.bin", true},
		{"file://" + filepath.ToSlash(name), true},
		{web.URL + "/chunked", false},
		{secure.URL + "/file.bin", false},
		{ftps.URL + "/file.bin", false},
	} {
		if moved := copyTo(t, t.Context(), client, c.url, content); c.moved != (moved > int64(len(content))*9/10) || !c.moved && moved > 0 {
			t.Errorf("%s: %d of %d bytes were moved by the system", c.url, moved, len(content))
		}
		client.CloseIdle()
		if moved := copyTo(t, fetchers.WithTrace(t.Context(), heard), client, c.url, content); moved > 0 && !strings.HasPrefix(c.url, "file:") {
			t.Errorf("%s: %d bytes were moved by the system while somebody listens", c.url, moved)
		}
	}
}

// copyTo fetches a URL, and returns the number of moved bytes.
func copyTo(t *testing.T, ctx context.Context, client *fetchers.Client, u string, want []byte) int64 {
	res, err := client.Get(ctx, u)
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return 0
	}
	defer res.Close()
	to := new(mover)
	n, err := io.Copy(to, res.Body)
	if err != nil || n != int64(len(want)) || res.Received() != n || !bytes.Equal(to.Bytes(), want) {
		t.Errorf("%s: %d of %d bytes, Received = %d: %v", u, n, len(want), res.Received(), err)
	}
	return to.moved
}
