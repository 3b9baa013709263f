package main

import (
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// A meeting is a server that answers requests once as many as expected have arrived. It counts
// requests and connections.
type meeting struct {
	server  *httptest.Server
	handler nethttp.Handler // the meeting itself, or another one for several servers

	mu       sync.Mutex
	expected []int // requests that meet, one number after the other; afterwards none wait
	met      chan struct{}
	versions [3]int // requests by HTTP/1 and HTTP/2
	running  int
	most     int // requests at the same time
	made     int // connections
	open     int
	mostOpen int
}

// newMeeting starts a server of http.
func newMeeting(t *testing.T, expected ...int) *meeting {
	m := unstarted(expected...)
	m.server.Start()
	t.Cleanup(m.server.Close)
	return m
}

// newSecureMeeting starts a server of https that speaks HTTP/2.
func newSecureMeeting(t *testing.T, expected ...int) *meeting {
	m := unstarted(expected...)
	m.server.EnableHTTP2 = true
	m.server.StartTLS()
	t.Cleanup(m.server.Close)
	return m
}

func unstarted(expected ...int) *meeting {
	m := &meeting{expected: expected, met: make(chan struct{})}
	m.handler = m
	m.server = httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { m.handler.ServeHTTP(w, r) }))
	m.server.Config.ConnState = m.connected
	return m
}

func (m *meeting) connected(_ net.Conn, state nethttp.ConnState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch state {
	case nethttp.StateNew:
		m.made++
		m.open++
		m.mostOpen = max(m.mostOpen, m.open)
	case nethttp.StateClosed:
		m.open--
	}
}

func (m *meeting) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	m.mu.Lock()
	m.running++
	m.versions[r.ProtoMajor]++
	m.most = max(m.most, m.running)
	met, waits := m.met, len(m.expected) > 0
	if waits && m.running >= m.expected[0] {
		m.expected = m.expected[1:]
		close(m.met)
		m.met = make(chan struct{})
	}
	m.mu.Unlock()
	if waits {
		select {
		case <-met:
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
			m.giveUp(w)
		}
		time.Sleep(10 * time.Millisecond) // a fast server would need no further connections
	}
	m.mu.Lock()
	m.running--
	m.mu.Unlock()
	fmt.Fprintln(w, r.URL.Path)
}

// giveUp ends a meeting for which too few requests have arrived: the request fails, and others do
// not wait any more.
func (m *meeting) giveUp(w nethttp.ResponseWriter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected = nil
	w.WriteHeader(nethttp.StatusGone)
}

// fetchAll runs the command to fetch n files of each server to a directory by one list.
func fetchAll(t *testing.T, n int, servers []*meeting, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for i, m := range servers {
		for f := range n {
			fmt.Fprintf(&list, "%s/%d/%d\tout=%d-%d\n", m.server.URL, i, f, i, f)
		}
	}
	name := filepath.Join(dir, "list")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, said := command(append([]string{"--no-config", "-s", "--output-dir", dir, "-i", name}, flags...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	for i := range servers {
		for f := range n {
			text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d-%d", i, f)))
			if want := fmt.Sprintf("/%d/%d\n", i, f); string(text) != want {
				t.Fatalf("the file has %q, %v; want %q", text, err, want)
			}
		}
	}
}

// Without --per-host a web server gets eight connections, and more while they help.
func TestConnectionsGrow(t *testing.T) {
	m := newMeeting(t, 8, 10)
	fetchAll(t, 100, []*meeting{m})
	if len(m.expected) > 0 || m.mostOpen > 48 {
		t.Errorf("%d requests at the same time did not happen; %d did, on %d connections", m.expected, m.most, m.mostOpen)
	}
}

// The help of --per-host has the number of connections that are used without it.
func TestPerHostTellsItsDefault(t *testing.T) {
	for _, f := range option.Table() {
		web, other := hosts.Most("https"), hosts.Most("ftp")
		if want := fmt.Sprintf("to %d by http(s), else %d;", web, other); f.Name == "per-host" && !strings.Contains(f.Help, want) {
			t.Errorf("%q, want %q", f.Help, want)
		}
	}
}

// --per-host limits the number of connections, also with --segments.
func TestPerHostIsABound(t *testing.T) {
	m := newMeeting(t, 3)
	fetchAll(t, 100, []*meeting{m}, "--per-host", "3")
	if len(m.expected) > 0 || m.most != 3 || m.mostOpen > 3 {
		t.Errorf("%d requests at the same time, on %d connections; want 3", m.most, m.mostOpen)
	}
	m = newMeeting(t)
	fetchAll(t, 20, []*meeting{m}, "--per-host", "3", "--segments", "3")
	if m.most > 1 {
		t.Errorf("%d requests for files that may have three segments each, at the same time", m.most)
	}
}

// Many https files of one host come by one connection of HTTP/2. A few files, or any number with
// --http1.1, come by HTTP/1.1. The URLs may also stand on the command line.
func TestManyFilesShareAConnection(t *testing.T) {
	for name, test := range map[string]struct {
		files    int
		flags    []string
		expected []int
		versions [3]int
		made     int // the most connections allowed
	}{
		"many":                 {200, nil, []int{8, 60}, [3]int{0, 0, 200}, 1},
		"with --per-host":      {200, []string{"--per-host", "2"}, []int{2, 60}, [3]int{0, 0, 200}, 1},
		"with -j":              {50, []string{"-j", "4"}, []int{4}, [3]int{0, 0, 50}, 1},
		"a few":                {7, nil, []int{7}, [3]int{0, 7, 0}, 7},
		"a few with --http2":   {7, []string{"--http2"}, []int{7}, [3]int{0, 0, 7}, 1},
		"with --http1.1":       {100, []string{"--http1.1"}, []int{8, 10}, [3]int{0, 100, 0}, 100},
		"HTTP/1.1 and a bound": {100, []string{"--http1.1", "--per-host", "2"}, []int{2}, [3]int{0, 100, 0}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			m := newSecureMeeting(t, test.expected...)
			fetchAll(t, test.files, []*meeting{m}, append(test.flags, "-k")...)
			if len(m.expected) > 0 || m.versions != test.versions || m.made > test.made {
				t.Errorf("%d requests at the same time, want %d more; by versions %v, want %v; %d connections", m.most, m.expected, m.versions, test.versions, m.made)
			}
		})
	}
}

// Hosts take turns: the second host of a list does not wait for the first.
func TestHostsOfAListTakeTurns(t *testing.T) {
	one, other := newMeeting(t), newMeeting(t)
	other.server.URL = strings.Replace(other.server.URL, "127.0.0.1", "localhost", 1)
	both := &meeting{expected: []int{2}, met: make(chan struct{})}
	one.handler, other.handler = both, both
	fetchAll(t, 50, []*meeting{one, other}, "--per-host", "1", "-j", "2")
	if len(both.expected) > 0 || both.most != 2 {
		t.Errorf("%d requests at the same time, want 2", both.most)
	}
}
