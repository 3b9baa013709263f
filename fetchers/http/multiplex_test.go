package http_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A counted is a server with TLS that counts its connections and concurrent requests.
type counted struct {
	*httptest.Server
	connections, active, most atomic.Int32
}

// connectionKey is the key of the connection of a request.
type connectionKey struct{}

// newCounted starts a server that allows a number of streams. If that is 0, it uses HTTP/1.1 only.
func newCounted(t *testing.T, streams uint32, answer nethttp.HandlerFunc) (*counted, *http.Fetcher) {
	s := new(counted)
	s.Server = httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		n := s.active.Add(1)
		defer s.active.Add(-1)
		for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
		}
		answer(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
		if state == nethttp.StateNew {
			s.connections.Add(1)
		}
	}
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	s.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	if streams > 0 {
		s.TLS.NextProtos = []string{"h2", "http/1.1"}
		s.Config.HTTP2 = &nethttp.HTTP2Config{MaxConcurrentStreams: int(streams)}
		s.EnableHTTP2 = true
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	f := &http.Fetcher{TLS: trustIn(s.Server), HTTP2OnDemand: true}
	t.Cleanup(f.CloseIdle)
	return s, f
}

// together fetches n URLs at the same time, each with its own path. It counts the values of
// Resource.Streams.
func together(t *testing.T, f fetchers.Fetcher, base string, n int, multiplex bool) map[int]int {
	t.Helper()
	var (
		mu      sync.Mutex
		all     sync.WaitGroup
		streams = make(map[int]int)
	)
	for i := range n {
		all.Go(func() {
			path := fmt.Sprintf("/%d", i)
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, base+path), Multiplex: multiplex})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			defer res.Close()
			body, err := io.ReadAll(res.Body)
			if string(body) != path || err != nil {
				t.Errorf("%s is %q, %v", path, body, err)
			}
			mu.Lock()
			defer mu.Unlock()
			streams[res.Streams]++
		})
	}
	all.Wait()
	return streams
}

func echo(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.URL.Path) }

// Requests with Multiplex share one HTTP/2 connection, and never exceed the server's limit of
// streams. Resource.Streams is that limit, at most MaxStreams.
func TestMultiplex(t *testing.T) {
	for _, c := range []struct {
		name     string
		streams  uint32
		want     int
		multiple bool // each request has a connection
	}{
		{"the server allows 250 streams", 250, http.MaxStreams, false},
		{"the server allows 100 streams", 100, 100, false},
		{"the server allows 7 streams", 7, 7, false},
		{"the server allows one stream", 1, 1, false},
		{"the server speaks HTTP/1.1", 0, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, f := newCounted(t, c.streams, echo)
			const n = 100
			streams := together(t, f, server.URL, n, true)
			if streams[c.want] != n {
				t.Errorf("Streams: %v, want %d", streams, c.want)
			}
			if n := server.connections.Load(); !c.multiple && n != 1 {
				t.Errorf("%d connections, want one", n)
			}
			if c.streams > 0 && server.most.Load() > int32(c.streams) {
				t.Errorf("%d requests at the same time, of %d", server.most.Load(), c.streams)
			}
		})
	}
}

// The first connection to an HTTP/1.1 server is used, and so is each later one: later requests do
// not negotiate alone again.
func TestMultiplexWithHTTP1(t *testing.T) {
	arrived, all := make(chan bool), make(chan bool)
	server, f := newCounted(t, 0, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		arrived <- true
		<-all
		echo(w, r)
	})
	const n = 20
	for round := range 2 {
		done := make(chan map[int]int)
		go func() { done <- together(t, f, server.URL, n, true) }()
		for range n { // as many requests at once
			<-arrived
		}
		for range n {
			all <- true
		}
		<-done
		if round == 0 && server.connections.Load() != n {
			t.Errorf("%d connections for %d requests", server.connections.Load(), n)
		}
	}
}

// Without Multiplex, a request has its own connection if HTTP2OnDemand is set, and otherwise uses
// the shared one. Protocols without HTTP/2 prevail over Multiplex.
func TestHTTP2OnDemand(t *testing.T) {
	for _, c := range []struct {
		name      string
		onDemand  bool
		multiplex bool
		protocols *nethttp.Protocols
		want      string
	}{
		{"on demand, with Multiplex", true, true, nil, "HTTP/2.0"},
		{"on demand, without Multiplex", true, false, nil, "HTTP/1.1"},
		{"always, with Multiplex", false, true, nil, "HTTP/2.0"},
		{"always, without Multiplex", false, false, nil, "HTTP/2.0"},
		{"HTTP/1.1 only, with Multiplex", true, true, oneVersion(), "HTTP/1.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, f := newCounted(t, 100, func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto) })
			f.HTTP2OnDemand, f.Protocols = c.onDemand, c.protocols
			// A kept HTTP/1.1 connection does not prevent HTTP/2.
			for _, multiplex := range []bool{false, c.multiplex} {
				body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Multiplex: multiplex})
				if err != nil || multiplex == c.multiplex && string(body) != c.want {
					t.Errorf("%q, %v, want %q", body, err, c.want)
				}
			}
		})
	}
}

// A request with a Tap uses HTTP/1.1, even with Multiplex.
func TestMultiplexWithTap(t *testing.T) {
	server, f := newCounted(t, 100, func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto) })
	tap := &fetchers.Tap{Sent: func([]byte) {}, Got: func([]byte) {}, Ended: func(error) {}}
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Tap: func(_ context.Context, _, _ string) *fetchers.Tap { return tap }})
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL), Multiplex: true})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if body, err := io.ReadAll(res.Body); string(body) != "HTTP/1.1" || err != nil || res.Streams != 0 {
		t.Errorf("%q, %v, %d streams", body, err, res.Streams)
	}
}

// Requests that wait for the negotiation do not fail if the first one is cancelled. If the
// connection fails, all of them fail at once.
func TestNegotiationFails(t *testing.T) {
	server, f := newCounted(t, 100, echo)
	var dials atomic.Int32
	begun, goOn := make(chan bool), make(chan error)
	f.Network = &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		begun <- true
		select {
		case err := <-goOn:
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	first, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error)
	go func() {
		_, err := f.Fetch(first, &fetchers.Request{URL: parse(t, server.URL), Multiplex: true})
		cancelled <- err
	}()
	<-begun
	done := make(chan map[int]int)
	go func() { done <- together(t, f, server.URL, 10, true) }()
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	<-begun
	goOn <- nil
	<-done
	if dials.Load() != 2 {
		t.Errorf("%d dials, want one for the request that was cancelled, and one for the others", dials.Load())
	}
}

// If a connection is refused, all requests that wait for it fail.
func TestNegotiationIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		f := &http.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
			dials++
			time.Sleep(time.Second)
			return nil, fmt.Errorf("%w: by policy", fetchers.ErrBlocked)
		}}}
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				_, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "https://h.example/"), Multiplex: true})
				if !errors.Is(err, fetchers.ErrBlocked) {
					t.Errorf("error %v", err)
				}
			})
		}
		all.Wait()
		if dials != 1 {
			t.Errorf("%d dials", dials)
		}
	})
}

// If the server closes the connection in an orderly way after every few requests, every request
// gets its own response.
func TestMultiplexWithGoAway(t *testing.T) {
	var n atomic.Int32
	server, f := newCounted(t, 50, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if n.Add(1)%40 == 0 {
			w.Header().Set("Connection", "close") // HTTP/2 sends a GOAWAY
		}
		echo(w, r)
	})
	together(t, f, server.URL, 300, true)
	if n := server.connections.Load(); n < 2 || n > 20 {
		t.Errorf("%d connections", n)
	}
}

// A connection that ends after a GOAWAY which leaves open whether the request was processed is a
// temporary failure.
func TestGoAwayInPlaceOfAnswer(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	config.NextProtos = []string{"h2"}
	for _, code := range []xhttp2.ErrCode{xhttp2.ErrCodeNo, xhttp2.ErrCodeInternal} {
		base, _ := keeper(t, config, func(n int64, c net.Conn, _ *bufio.Reader) {
			serveFrames(c, 100, func(s *frames, id uint32) {
				if n%2 == 0 {
					s.answer(id)
					return
				}
				s.WriteGoAway(id, code, nil)
				c.(*tls.Conn).CloseWrite()
			})
		})
		f := &http.Fetcher{TLS: trust}
		if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); !errors.Is(err, fetchers.ErrTemporary) || errors.Is(err, fetchers.ErrProtocol) {
			t.Errorf("%v: error %v", code, err)
		}
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(body) != "ok" || err != nil {
			t.Errorf("%v: %q, %v", code, body, err)
		}
		f.CloseIdle()
	}
}

// No server receives the zone of its address, in any version of HTTP (RFC 6874, section 4).
func TestZoneIsNotSent(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto+" "+r.Host) }), h2)
		f.TLS = &tls.Config{InsecureSkipVerify: true}
		f.Network = &fetchers.Network{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}}
		want := "HTTP/1.1 [fe80::1]:8443"
		if h2 {
			want = "HTTP/2.0 [fe80::1]:8443"
		}
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, "https://[fe80::1%25eth0]:8443/")}); string(body) != want || err != nil {
			t.Errorf("%q, %v, want %q", body, err, want)
		}
		f.CloseIdle()
		server.Close()
	}
}

// If a connection breaks, each of its requests fails as temporary or gets its own response. None
// blocks.
func TestMultiplexBreaksOff(t *testing.T) {
	var n atomic.Int32
	server, f := newCounted(t, 50, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if n.Add(1)%60 == 0 {
			r.Context().Value(connectionKey{}).(net.Conn).Close()
		}
		echo(w, r)
	})
	client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 5, Min: time.Millisecond, Cap: 10 * time.Millisecond}}
	var all sync.WaitGroup
	for i := range 180 {
		all.Go(func() {
			path := fmt.Sprintf("/%d", i)
			body, _, err := read(t, client, &fetchers.Request{URL: parse(t, server.URL+path), Multiplex: true})
			if err == nil && string(body) != path || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fetchers.ErrTemporary) {
				t.Errorf("%s is %q, %v", path, body, err)
			}
		})
	}
	all.Wait()
}

// A request with Namer ByStranger does not use a connection that has presented a certificate.
func TestMultiplexByStranger(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprint(w, r.Proto, " ", len(r.TLS.PeerCertificates))
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	f := &http.Fetcher{TLS: trustIn(server), HTTP2OnDemand: true}
	defer f.CloseIdle()
	mine, _ := certified(t, "me", time.Now().AddDate(0, 0, 1))
	f.TLS.Certificates = mine.Certificates
	var all sync.WaitGroup
	for range 20 {
		for named, want := range map[fetchers.Namer]string{fetchers.ByUser: "HTTP/2.0 1", fetchers.ByServer: "HTTP/2.0 0", fetchers.ByStranger: "HTTP/2.0 0"} {
			all.Go(func() {
				body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Named: named, Multiplex: true})
				if string(body) != want || err != nil {
					t.Errorf("named by %d: %q, %v, want %q", named, body, err, want)
				}
			})
		}
	}
	all.Wait()
}

// HTTP/2 without TLS is used if the Protocols allow nothing else.
func TestUnencryptedHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto) }))
	server.Config.Protocols = new(nethttp.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.Protocols.SetHTTP1(true)
	server.Start()
	defer server.Close()
	for want, protocols := range map[string]*nethttp.Protocols{"HTTP/2.0": new(nethttp.Protocols), "HTTP/1.1": oneVersion()} {
		protocols.SetUnencryptedHTTP2(true)
		f := &http.Fetcher{Protocols: protocols}
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != want || err != nil {
			t.Errorf("%q, %v, want %s", body, err, want)
		}
		f.CloseIdle()
	}
}
