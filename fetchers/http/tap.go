package http

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// transportFor returns the Transport for a fetch. One that somebody listens to goes over
// connections of its own, which speak HTTP/1.1.
func (f *Fetcher) transportFor(ctx context.Context) *nethttp.Transport {
	if fetchers.ContextTrace(ctx).Tapped() {
		return f.tapped()
	}
	return f.start()
}

// tapped makes the Transport of those fetches at its first use.
func (f *Fetcher) tapped() *nethttp.Transport {
	plain := f.start()
	f.tapOnce.Do(func() {
		t := plain.Clone()
		t.ForceAttemptHTTP2, t.TLSNextProto = false, nil
		t.Protocols = new(nethttp.Protocols)
		t.Protocols.SetHTTP1(true)
		config := new(tls.Config)
		if f.TLS != nil {
			config = f.TLS.Clone()
		}
		config.NextProtos = []string{"http/1.1"}
		dial := plain.DialContext
		t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dial(ctx, network, addr)
			if err != nil || hopOf(ctx) != nil {
				return c, err
			}
			return newTap(c, fetchers.ContextTrace(ctx).Tap("tcp", addr)), nil
		}
		t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			host, _, _ := net.SplitHostPort(addr)
			config := config.Clone()
			config.ServerName = cmp.Or(config.ServerName, host)
			secure, err := f.secured(ctx, c, config)
			if err != nil {
				return nil, err
			}
			return newTap(secure, fetchers.ContextTrace(ctx).Tap("tcp", addr)), nil
		}
		f.tapTransport = t
	})
	return f.tapTransport
}

// A tap is a connection in HTTP/1.1 of which somebody is told what goes over it, with
// what header fields keep secret masked. So headers are told in lines.
type tap struct {
	net.Conn
	told *fetchers.Tap

	mu      sync.Mutex // net/http reads and writes at once
	sent    bytes.Buffer
	got     bytes.Buffer
	body    bool // what comes is no header
	interim bool // the header that comes has a status of 1xx
}

func newTap(c net.Conn, told *fetchers.Tap) net.Conn {
	if told == nil {
		return c
	}
	return &tap{Conn: c, told: told}
}

func (t *tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.flush(&t.got, t.told.Got)
	t.body = false
	t.sent.Write(p)
	for line := range whole(&t.sent) {
		t.told.Sent([]byte(maskedLine(line)))
	}
	t.mu.Unlock()
	return t.Conn.Write(p)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush(&t.sent, t.told.Sent)
	t.take(p[:n])
	if err != nil {
		t.flush(&t.got, t.told.Got)
		t.told.Ended(err)
	}
	return n, err
}

// take tells what came.
func (t *tap) take(p []byte) {
	if t.body {
		t.told.Got(p)
		return
	}
	t.got.Write(p)
	for line := range whole(&t.got) {
		t.told.Got([]byte(maskedLine(line)))
		switch text := strings.TrimRight(line, "\r\n"); {
		case strings.HasPrefix(text, "HTTP/1.") && len(text) > 9:
			t.interim = text[9] == '1'
		case text == "" && !t.interim:
			t.body = true
			t.told.Got(t.got.Bytes())
			t.got.Reset()
			return
		}
	}
}

// flush tells what is no whole line, and will not become one.
func (t *tap) flush(b *bytes.Buffer, tell func([]byte)) {
	if b.Len() > 0 {
		tell([]byte(maskedLine(b.String())))
		b.Reset()
	}
}

// whole yields the lines that are complete in b, and takes them out.
func whole(b *bytes.Buffer) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for bytes.IndexByte(b.Bytes(), '\n') >= 0 {
			line, err := b.ReadString('\n')
			if err == io.EOF || !yield(line) {
				return
			}
		}
	}
}

// maskedLine hides what a line of a header keeps secret.
func maskedLine(line string) string {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return line
	}
	text := strings.TrimRight(value, "\r\n")
	trimmed := strings.TrimLeft(text, " \t")
	return key + ":" + text[:len(text)-len(trimmed)] + masked(key, trimmed) + value[len(text):]
}
