package http_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An HTTP/2 connection counts as one connection of its host. For a request that needs another
// connection it is closed: at once if idle, or else after its requests.
func TestHostLimitOfHTTP2(t *testing.T) {
	s, f := newCounted(t, 100, echo)
	f.Network = &fetchers.Network{MaxConnsPerHost: 1, IdleConnTimeout: -1}
	for i := range 6 {
		path := fmt.Sprintf("/%d", i)
		body, _, err := read(t, f, &fetchers.Request{URL: parse(t, s.URL+path), Multiplex: i%2 == 0})
		if err != nil || string(body) != path {
			t.Fatalf("%s: %q, %v", path, body, err)
		}
	}
	if n := s.connections.Load(); n != 6 {
		t.Errorf("%d connections for three turns of both versions", n)
	}
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			path := fmt.Sprintf("/%d", i)
			body, _, err := read(t, f, &fetchers.Request{URL: parse(t, s.URL+path), Multiplex: i%3 > 0})
			if err != nil || string(body) != path {
				t.Errorf("%s: %q, %v", path, body, err)
			}
		})
	}
	all.Wait()
	if n := s.connections.Load(); n > 66 {
		t.Errorf("%d connections for 66 requests", n)
	}
}

// HTTP/2 requests to one host share a connection within the limit.
func TestHostLimitOfStreams(t *testing.T) {
	s, f := newCounted(t, 100, echo)
	f.Network = &fetchers.Network{MaxConnsPerHost: 1}
	if streams := together(t, f, s.URL, 50, true); streams[100] != 50 || s.connections.Load() != 1 {
		t.Errorf("%v, %d connections", streams, s.connections.Load())
	}
}

// MaxIdleConns applies to HTTP/2 connections, too.
func TestIdleLimitOfHTTP2(t *testing.T) {
	for most, want := range map[int]int32{-1: 6, 1: 6, 0: 3} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			var servers []*counted
			var connections int32
			s, f := newCounted(t, 100, echo)
			servers = append(servers, s)
			f.Network = &fetchers.Network{MaxIdleConns: most}
			for range 2 {
				other, _ := newCounted(t, 100, echo)
				servers = append(servers, other)
			}
			f.TLS.InsecureSkipVerify = true
			for range 2 {
				for _, s := range servers {
					if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, s.URL+"/"), Multiplex: true}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, s := range servers {
				connections += s.connections.Load()
			}
			if connections != want {
				t.Errorf("%d connections to three servers in two rounds, want %d", connections, want)
			}
		})
	}
}
