package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/internal/pty"
)

// startHalf starts a server that sends half of each file, and the other half once finish is called.
// It has no /missing.
func startHalf(t *testing.T) (url string, finish func()) {
	finished := make(chan bool)
	half := strings.Repeat("x", 1_500_000)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/missing" {
			nethttp.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", "3000000")
		io.WriteString(w, half)
		w.(nethttp.Flusher).Flush()
		<-finished
		io.WriteString(w, half)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() { close(finished) }
}

// TestBars: a long download has a bar at a terminal, below the messages. At its end the bar
// disappears.
func TestBars(t *testing.T) {
	server, finish := startHalf(t)
	t.Chdir(t.TempDir())
	name := "a\u202efile"
	term := atTerminal(t, "-o", name, "-o", name+".2", "-o", name+".3", server+"/a", server+"/b", server+"/missing")
	term.Await(`a\u202efile `)
	term.Await("1.4 MiB of 2.9 MiB")
	term.Await("1 done, 2 on their way")
	finish()
	if status := term.Wait(); status != 22 {
		t.Errorf("exit status %d", status)
	}
	screen := term.Screen()
	if !strings.Contains(screen, "404 Not Found\r\n") {
		t.Errorf("the failure is not said: %q", screen)
	}
	last := screen[strings.LastIndex(screen, "\x1b["):]
	if ok, _ := regexp.MatchString(`^\x1b\[Jfetch: 2 saved, 5\.7 MiB in [0-9.]+ s; 1 failed: not-found 1\r\n$`, last); !ok {
		t.Errorf("the bars are not taken away before the summary: %q", last)
	}
}

// TestNoBars: a quick download has no bar, and neither has a silent run.
func TestNoBars(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		io.WriteString(w, "hello\n")
	}))
	defer server.Close()
	for _, flags := range [][]string{{"-s"}, {"--progress", "none"}} {
		term := atTerminal(t, append(flags, "-o", filepath.Join(t.TempDir(), "file"), server.URL)...)
		if status := term.Wait(); status != 0 || term.Screen() != "" {
			t.Errorf("%q: exit status %d; it shows %q", flags, status, term.Screen())
		}
	}
	term := atTerminal(t, "-o", filepath.Join(t.TempDir(), "file"), server.URL)
	if status := term.Wait(); status != 0 || strings.Contains(term.Screen(), "\x1b") {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}
}

// TestOutcome: at a terminal each file has its line at the end, and an interrupt is reported once.
func TestOutcome(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := make(chan struct{})
	content := strings.Repeat("x", 3<<20)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.URL.Path == "/quick?.txt" {
			io.WriteString(w, "hello\n")
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		io.WriteString(w, content[:2<<20])
		w.(nethttp.Flusher).Flush()
		<-seen
		<-r.Context().Done()
	}))
	defer server.Close()
	term := atTerminal(t, "-O", server.URL+"/quick%3F.txt")
	if status := term.Wait(); status != 0 || !regexp.MustCompile(`^fetch: quick_\.txt: 6 B in [^;]+; renamed from "quick\?\.txt"\r\n$`).MatchString(term.Screen()) {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}

	term = atTerminal(t, "-O", server.URL+"/a", server.URL+"/b")
	seen <- struct{}{}
	seen <- struct{}{}
	close(seen)
	term.Await("2.0 MiB")
	term.Signal(os.Interrupt)
	if status := term.Wait(); status != 130 || strings.Count(term.Screen(), "interrupted") != 1 {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}
	term.Await("interrupted: 2 of 2 files that were on their way are kept in part: run the same command again to go on\r\n")
}

// TestDumbTerminal: a terminal without escapes has lines, and no bars.
func TestDumbTerminal(t *testing.T) {
	server, finish := startHalf(t)
	term := atTerminalOf(t, 80, "dumb", "-o", filepath.Join(t.TempDir(), "a"), server)
	term.Await("a: 1.4 MiB of 2.9 MiB, ")
	finish()
	if status := term.Wait(); status != 0 || strings.Contains(term.Screen(), "\x1b") {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}
}

// TestBackgroundJob: a job in the background draws no bar, and reports the outcome.
func TestBackgroundJob(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the job is one of bash, and there is none")
	}
	t.Chdir(t.TempDir())
	server, finish := startHalf(t)
	cmd := exec.Command("bash", "--norc", "-i", "-c", "set -m; fetch -o a "+server+" & wait")
	cmd.Env = append(os.Environ(), "TERM=xterm", "GORACE=atexit_sleep_ms=0")
	term := pty.Start(t, cmd, 80, 24)
	time.Sleep(2 * time.Second) // a bar would come within half a second
	finish()
	term.Await("fetch: a: 2.9 MiB in ")
	if strings.Contains(term.Screen(), "1.4 MiB of") {
		t.Errorf("it shows %q", term.Screen())
	}
}
