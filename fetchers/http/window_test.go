package http_test

import (
	"crypto/tls"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The windows of an HTTP/2 connection bound the memory of unread bodies: a stream has room for a
// path of 100 Mbit/s with a round-trip time of 80 ms, and the connection for MaxStreams such
// bodies.
func TestWindows(t *testing.T) {
	const (
		line        = 100_000_000 / 8 * 80 / 1000
		unannounced = 1<<16 - 1 // connection window before any WINDOW_UPDATE
	)
	windows := make(chan [2]int, 1)
	s := httptest.NewUnstartedServer(nil)
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.Config.TLSNextProto = map[string]func(*nethttp.Server, *tls.Conn, nethttp.Handler){
		"h2": func(_ *nethttp.Server, c *tls.Conn, _ nethttp.Handler) {
			io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
			var w [2]int
			for in := xhttp2.NewFramer(c, c); ; {
				frame, err := in.ReadFrame()
				if err != nil {
					return
				}
				switch frame := frame.(type) {
				case *xhttp2.SettingsFrame:
					n, _ := frame.Value(xhttp2.SettingInitialWindowSize)
					w[0] = int(n)
				case *xhttp2.WindowUpdateFrame:
					w[1] = unannounced + int(frame.Increment)
				case *xhttp2.HeadersFrame:
					windows <- w
					return
				}
			}
		},
	}
	s.StartTLS()
	defer s.Close()
	f := &http.Fetcher{TLS: trustIn(s)}
	defer f.CloseIdle()
	read(t, f, &fetchers.Request{URL: parse(t, s.URL)})
	w := <-windows
	if w[0] < line || w[1] > 100<<20+unannounced || w[1] < http.MaxStreams*w[0] {
		t.Errorf("%d octets for a stream, %d for the connection", w[0], w[1])
	}
}
