package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// newPipe makes a named pipe.
func newPipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The first interrupt ends a command that waits for a writer or a reader of a pipe.
func TestPipesObeyInterrupts(t *testing.T) {
	var answered atomic.Int32
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("ETag", `"x"`)
		answered.Add(1)
	}))
	defer server.Close()
	dir := t.TempDir()
	cert := filepath.Join(dir, "cert")
	if err := os.WriteFile(cert, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"-b", "--hsts", "--netrc-file", "--config", "--cacert", "--cert", "--cert " + cert + " --key", "--etag-compare", "-i"} {
		name := newPipe(t)
		var held *os.File
		interrupted(t, func() bool {
			var err error
			held, err = os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
			return err == nil // once the command reads
		}, append(strings.Fields(flags), name, server.URL)...)
		if held != nil {
			held.Close()
		}
	}
	for _, flag := range []string{"-c", "--etag-save"} {
		before := answered.Load()
		interrupted(t, func() bool { return answered.Load() > before }, flag, newPipe(t), server.URL)
	}
	events := filepath.Join(dir, "events")
	interrupted(t, func() bool {
		_, err := os.Stat(events)
		return err == nil
	}, "--events", events, "--trace", newPipe(t), server.URL)
}

// Only the user may read a new file with the URLs of fetches.
func TestNewFilesArePrivate(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.Header().Set("ETag", `"x"`) }))
	defer server.Close()
	for _, flag := range []string{"--events", "--trace", "--etag-save"} {
		name := filepath.Join(t.TempDir(), "new")
		if status, _, stderr := command(flag, name, server.URL); status != 0 {
			t.Fatal(stderr)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", flag, info.Mode(), err)
		}
	}
}

// A pipe that another process closes, as <(command) in a shell, is read like a file.
func TestPipesAreRead(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if _, _, ok := r.BasicAuth(); !ok && r.URL.Path == "/private" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		w.Header().Set("Set-Cookie", "new=1")
		r.Header.Write(w)
	}))
	defer server.Close()
	for _, c := range []struct{ flag, text, path, want string }{
		{"-b", "127.0.0.1\tFALSE\t/\tFALSE\t0\tid\ts3cret\n", "/", "Cookie: id=s3cret"},
		{"--netrc-file", "machine 127.0.0.1 login joe password s3cret\n", "/private", "Authorization: Basic am9lOnMzY3JldA=="},
		{"--config", "user-agent = \"me\"\n", "/", "User-Agent: me"},
		{"--etag-compare", "\"x\"\n", "/", "If-None-Match: \"x\""},
	} {
		ours, theirs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("fetch", c.flag, "/dev/fd/3", server.URL+c.path)
		cmd.ExtraFiles = []*os.File{ours}
		go func() {
			io.WriteString(theirs, c.text)
			theirs.Close()
		}()
		out, err := cmd.CombinedOutput()
		ours.Close()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s", c.flag, err, out)
		}
	}
	jar := newPipe(t)
	cmd := exec.Command("fetch", "-c", jar, server.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(jar)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if err != nil || !strings.Contains(string(text), "new\t1") {
		t.Errorf("%v, %q", err, text)
	}
}
