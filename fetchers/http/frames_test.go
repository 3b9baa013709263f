package http_test

import (
	"bytes"
	"context"
	"crypto/tls"
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
	"golang.org/x/net/http2/hpack"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A frames is the server's side of an HTTP/2 connection.
type frames struct {
	*xhttp2.Framer
	conn   net.Conn
	noPing bool // do not answer PING
	mu     sync.Mutex
	block  bytes.Buffer
	head   *hpack.Encoder
}

// framedServer starts a server with TLS. The first connections, in the number of shared, use
// HTTP/2, and the others HTTP/1.1 with the handler h1. h2 is called for the HEADERS of each
// request.
func framedServer(t *testing.T, shared int32, h2 func(s *frames, id uint32), h1 nethttp.HandlerFunc) (string, *http.Fetcher) {
	s := httptest.NewUnstartedServer(h1)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.TLSNextProto = map[string]func(*nethttp.Server, *tls.Conn, nethttp.Handler){
		"h2": func(_ *nethttp.Server, c *tls.Conn, _ nethttp.Handler) { serveFrames(c, http.MaxStreams, h2) },
	}
	s.TLS = new(tls.Config)
	s.StartTLS()
	certificates := s.TLS.Certificates
	var connections atomic.Int32
	s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		versions := []string{"h2", "http/1.1"}
		if connections.Add(1) > shared {
			versions = versions[1:]
		}
		return &tls.Config{Certificates: certificates, NextProtos: versions}, nil
	}
	f := &http.Fetcher{TLS: trustIn(s), HTTP2OnDemand: true}
	t.Cleanup(func() { f.CloseIdle(); s.CloseClientConnections(); s.Close() })
	return s.URL, f
}

// memoryServer returns a Fetcher of HTTP/2 without TLS to servers in memory, for a test with
// testing/synctest. All hosts allow a number of streams. open counts the connections.
func memoryServer(t *testing.T, streams uint32, h2 func(s *frames, id uint32)) (f *http.Fetcher, open *atomic.Int32) {
	open = new(atomic.Int32)
	f = &http.Fetcher{Protocols: new(nethttp.Protocols), Network: &fetchers.Network{
		Response: 200 * time.Millisecond,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			server := &queued{Conn: far, sent: make(chan []byte, 1000)}
			open.Add(1)
			go server.write()
			go func() {
				defer open.Add(-1)
				defer server.Close()
				serveFrames(server, streams, h2)
			}()
			return near, nil
		},
	}}
	f.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(func() {
		synctest.Wait() // a cancelled request counts until the PING after it is answered
		f.CloseIdle()
	})
	return f, open
}

// A queued is a connection whose Write does not wait for the peer. Writes after Close fail.
type queued struct {
	net.Conn
	sent  chan []byte
	close sync.Once
}

func (q *queued) Write(p []byte) (int, error) {
	q.sent <- bytes.Clone(p)
	return len(p), nil
}

func (q *queued) write() {
	for p := range q.sent {
		q.Conn.Write(p)
	}
}

func (q *queued) Close() error {
	q.close.Do(func() { close(q.sent) })
	return q.Conn.Close()
}

func serveFrames(c net.Conn, streams uint32, h2 func(s *frames, id uint32)) {
	io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
	s := &frames{Framer: xhttp2.NewFramer(c, c), conn: c}
	s.head = hpack.NewEncoder(&s.block)
	s.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: streams})
	s.WriteSettingsAck()
	for {
		frame, err := s.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *xhttp2.HeadersFrame:
			h2(s, frame.StreamID)
		case *xhttp2.PingFrame: // follows a cancelled request
			if !s.noPing && !frame.IsAck() {
				s.ping(true, frame.Data)
			}
		}
	}
}

// answer sends the response "ok" to a request.
func (s *frames) answer(id uint32) {
	s.begin(id, false)
	s.end(id)
}

// begin sends the header of a response. whole ends the stream.
func (s *frames) begin(id uint32, whole bool) { s.header(id, "200", whole) }

func (s *frames) header(id uint32, status string, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block.Reset()
	s.head.WriteField(hpack.HeaderField{Name: ":status", Value: status})
	s.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: s.block.Bytes(), EndHeaders: true, EndStream: whole})
}

// end sends the body "ok" of a response.
func (s *frames) end(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WriteData(id, true, []byte("ok"))
}

func (s *frames) reset(id uint32, code xhttp2.ErrCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WriteRSTStream(id, code)
}

func (s *frames) ping(ack bool, data [8]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WritePing(ack, data)
}

// hangUp closes the connection.
func (s *frames) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.Close()
}

func (s *frames) goAway(last uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WriteGoAway(last, xhttp2.ErrCodeNo, nil)
}
