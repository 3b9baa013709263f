//go:build unix

package download_test

import (
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestPipeIsSparedToo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := download.CreateBeside(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.CommitBeside(); got != name+".1" || err != nil {
		t.Errorf("CommitBeside = %q, %v", got, err)
	}
}

// A download waits for the reader of a pipe until its context ends.
func TestPipeWithoutReader(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"small", strings.Repeat("large", 1<<20)} {
		srv := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, body) }))
		defer srv.Close()
		s := &download.Saver{Fetcher: web(t)}
		req := request(t, srv.URL)

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := s.Save(ctx, req, download.Target{Name: name})
		var file *download.FileError
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &file) {
			t.Errorf("nobody reads it: %v", err)
		}

		read := make(chan string)
		go func() {
			time.Sleep(50 * time.Millisecond)
			got, _ := os.ReadFile(name)
			read <- string(got)
		}()
		if _, err := s.Save(t.Context(), req, download.Target{Name: name}); err != nil {
			t.Errorf("somebody reads it: %v", err)
		}
		if got := <-read; got != body {
			t.Errorf("%d bytes came through the pipe, want %d", len(got), len(body))
		}
	}
}

// TestPipeIsNotBegunAgain checks that a download to a pipe does not restart: the bytes cannot be
// undone.
func TestPipeIsNotBegunAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	answers := 0
	srv := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		answers++
		v4.chunked(w, 32_000)
	}))
	defer srv.Close()
	read := make(chan int)
	go func() {
		got, _ := os.ReadFile(name)
		read <- len(got)
	}()
	client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 3, Delay: time.Millisecond}}
	_, err := (&download.Saver{Fetcher: client}).Save(t.Context(), request(t, srv.URL), download.Target{Name: name})
	if !errors.Is(err, io.ErrUnexpectedEOF) || answers != 1 {
		t.Errorf("%v, after %d answers", err, answers)
	}
	if n := <-read; n > 32_000 {
		t.Errorf("%d bytes came through the pipe", n)
	}
}
