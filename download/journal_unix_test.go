//go:build unix

package download_test

import (
	"errors"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestJournalPipe checks that a pipe with the name of a journal is ignored, without waiting for it.
func TestJournalPipe(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	for _, begun := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "f")
		if err := syscall.Mkfifo(file+".part.json", 0o600); err != nil {
			t.Fatal(err)
		}
		if begun {
			write(t, file+".part", v1.content[:1000])
		}
		saver := &download.Saver{Fetcher: web(t)}
		if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
			t.Error(err)
		}
		wantContent(t, file, v1.content)
	}
}

// TestSpecialName checks that a name from a stranger is not used for a pipe or device.
func TestSpecialName(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v4.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	saver := &download.Saver{Fetcher: web(t)}
	_, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Strange: true})
	var failed *download.FileError
	if !errors.As(err, &failed) {
		t.Errorf("error %v, want a FileError", err)
	}
}

// TestJournalFull checks that a journal without enough disk space is not left behind.
func TestJournalFull(t *testing.T) {
	if !inChild(t) {
		return
	}
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	end := limitFiles(t, 10)
	_, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	end()
	var failed *download.FileError
	if !errors.As(err, &failed) {
		t.Errorf("error %v, want a FileError", err)
	}
	wantAlone(t, file)
	wantNone(t, file)
}
