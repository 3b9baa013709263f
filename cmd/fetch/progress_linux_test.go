package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestBars: what takes a while has a bar at a terminal, below what is said, and
// leaves nothing behind.
func TestBars(t *testing.T) {
	finish := make(chan bool)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/missing" {
			nethttp.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", "3000000")
		io.WriteString(w, strings.Repeat("x", 1_500_000))
		w.(nethttp.Flusher).Flush()
		<-finish
		io.WriteString(w, strings.Repeat("x", 1_500_000))
	}))
	defer server.Close()
	t.Chdir(t.TempDir())
	name := "a\u202efile"
	term := atTerminal(t, "-o", name, "-o", name+".2", "-o", name+".3", server.URL+"/a", server.URL+"/b", server.URL+"/missing")
	term.Await(`a\u202efile `)
	term.Await("1.4 MiB of 2.9 MiB")
	term.Await("1 done, 2 on their way")
	close(finish)
	if status := term.Wait(); status != 22 {
		t.Errorf("exit status %d", status)
	}
	screen := term.Screen()
	if !strings.Contains(screen, "404 Not Found\r\n") {
		t.Errorf("the failure is not said: %q", screen)
	}
	if last := screen[strings.LastIndex(screen, "\x1b["):]; last != "\x1b[J" {
		t.Errorf("the bars are not taken away: %q", last)
	}
}

// TestNoBars: what is quick has none, and neither has what is to be silent.
func TestNoBars(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		io.WriteString(w, "hello\n")
	}))
	defer server.Close()
	term := atTerminal(t, "-o", filepath.Join(t.TempDir(), "file"), server.URL)
	if status := term.Wait(); status != 0 || term.Screen() != "" {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}
}
