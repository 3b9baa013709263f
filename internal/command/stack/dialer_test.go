package stack

import (
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// unixServer starts an http server at a Unix socket, and returns its path.
func unixServer(t *testing.T, secure bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &nethttp.Server{Handler: nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		io.WriteString(w, r.Host+" "+r.Proto)
	})}}
	if server.EnableHTTP2 = secure; secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return path
}

// A Unix socket is the way to every host, by all versions of HTTP, and proxies of the environment
// are not used.
func TestUnixSocket(t *testing.T) {
	t.Setenv("all_proxy", "http://127.0.0.1:1")
	plain, secure := unixServer(t, false), unixServer(t, true)
	for _, c := range []struct{ url, socket, want string }{
		{"http://h.example/x", plain, "h.example HTTP/1.1"},
		{"https://h.example/x", secure, "h.example HTTP/2.0"},
	} {
		if got, err := body(t, c.url, "-k", "--unix-socket", c.socket); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.url, got, err, c.want)
		}
	}
	_, err := body(t, "https://h.example/x", "--unix-socket", secure)
	if _, status := record.Classify(err); status != record.ExitUntrusted {
		t.Errorf("a certificate at a Unix socket: %v", err)
	}
	for about, path := range map[string]string{"no socket": filepath.Join(t.TempDir(), "none"), "an abstract socket": "@" + plain, "a file": write(t, "file", "")} {
		_, err := body(t, "http://h.example/x", "--unix-socket", path)
		if class, status := record.Classify(err); class != record.ClassConnect || status != record.ExitConnect {
			t.Errorf("%s: class %s, status %d: %v", about, class, status, err)
		}
	}
}

// Nothing else goes to the network: no datagram, and no data connection of FTP.
func TestUnixSocketIsTheOnlyWay(t *testing.T) {
	nw, _, err := newNetwork(options(t, "--unix-socket", unixServer(t, false)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nw.DialContext(t.Context(), "udp", "127.0.0.1:1"); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("datagrams: %v", err)
	}
	if _, err := nw.DialDataContext(t.Context(), "tcp", "127.0.0.1:1"); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("a data connection: %v", err)
	}
	config := write(t, "config.toml", "public-only = true\n['http://h.example']\nunix-socket = 's'\n")
	if _, err := body(t, "http://h.example/", "--config", config); err == nil || !strings.Contains(err.Error(), "--public-only allows no --unix-socket") {
		t.Errorf("with public-only: %v", err)
	}
}

// The times are those of the flags, and 0 is at once.
func TestTimesOfConnections(t *testing.T) {
	for args, want := range map[string]net.Dialer{
		"":                               {FallbackDelay: 200 * time.Millisecond},
		"--happy-eyeballs-timeout-ms=50": {FallbackDelay: 50 * time.Millisecond},
		"--happy-eyeballs-timeout-ms=0":  {FallbackDelay: 1},
		"--no-keepalive":                 {FallbackDelay: 200 * time.Millisecond, KeepAlive: -1},
		"--keepalive-time=70":            {FallbackDelay: 200 * time.Millisecond, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 70 * time.Second, Interval: 70 * time.Second}},
	} {
		got := withTimes(net.Dialer{}, options(t, strings.Fields(args)...).Route)
		if got.FallbackDelay != want.FallbackDelay || got.KeepAlive != want.KeepAlive || got.KeepAliveConfig != want.KeepAliveConfig {
			t.Errorf("%q: %+v, want %+v", args, got, want)
		}
	}
}
