package http_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A frames is the server's side of a connection of HTTP/2.
type frames struct {
	*xhttp2.Framer
	mu    sync.Mutex
	block bytes.Buffer
	head  *hpack.Encoder
}

// framedServer starts a server with TLS whose first connections, as many as shared, speak
// HTTP/2, and the others HTTP/1.1 as h1 does. h2 is called for the HEADERS of each request.
func framedServer(t *testing.T, shared int32, h2 func(s *frames, id uint32), h1 nethttp.HandlerFunc) (string, *http.Fetcher) {
	s := httptest.NewUnstartedServer(h1)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.TLSNextProto = map[string]func(*nethttp.Server, *tls.Conn, nethttp.Handler){
		"h2": func(_ *nethttp.Server, c *tls.Conn, _ nethttp.Handler) { serveFrames(c, h2) },
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

func serveFrames(c net.Conn, h2 func(s *frames, id uint32)) {
	io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
	s := &frames{Framer: xhttp2.NewFramer(c, c)}
	s.head = hpack.NewEncoder(&s.block)
	s.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: http.MaxStreams})
	s.WriteSettingsAck()
	for {
		frame, err := s.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*xhttp2.HeadersFrame); ok {
			h2(s, h.StreamID)
		}
	}
}

// answer answers a request with "ok".
func (s *frames) answer(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block.Reset()
	s.head.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	s.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: s.block.Bytes(), EndHeaders: true})
	s.WriteData(id, true, []byte("ok"))
}

func (s *frames) reset(id uint32, code xhttp2.ErrCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WriteRSTStream(id, code)
}

func (s *frames) goAway(last uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.WriteGoAway(last, xhttp2.ErrCodeNo, nil)
}
