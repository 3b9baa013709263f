package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
)

// A recited is a connection to a proxy that sends a fixed text, whatever it reads.
type recited struct {
	*bytes.Reader
	heard bytes.Buffer
}

func (c *recited) Write(p []byte) (int, error)      { return c.heard.Write(p) }
func (c *recited) WriteTo(io.Writer) (int64, error) { return 0, errors.ErrUnsupported }
func (c *recited) Close() error                     { return nil }
func (c *recited) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *recited) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *recited) SetDeadline(time.Time) error      { return nil }
func (c *recited) SetReadDeadline(time.Time) error  { return nil }
func (c *recited) SetWriteDeadline(time.Time) error { return nil }

// recitedTo dials through the proxy via, which sends text. It returns how many bytes of text were
// read.
func recitedTo(t *testing.T, via, text string) (read int, err error) {
	t.Helper()
	u, err := proxy.Parse(via)
	if err != nil {
		t.Fatal(err)
	}
	var last *recited
	p := &proxy.Proxy{URL: u, Forward: func(context.Context, string, string) (net.Conn, error) {
		last = &recited{Reader: bytes.NewReader([]byte(text))}
		return last, nil
	}}
	c, err := p.Dial(t.Context(), "tcp", "example.org:80")
	read = len(text) - last.Len()
	if err == nil {
		rest, readErr := io.ReadAll(struct{ io.Reader }{c})
		if string(rest) != text[read:] || readErr != nil {
			t.Errorf("%q: after %d octets comes %q, %v", text, read, rest, readErr)
		}
		c.Close()
	}
	return read, err
}

// checkReply makes a proxy send text. At most longest bytes may be read. If a reply opens a
// connection, exactly its bytes must be read, and none of the server's.
func checkReply(t *testing.T, via, text string, longest int) {
	read, err := recitedTo(t, via, text)
	if read > longest {
		t.Errorf("%d octets are read, and a reply has %d", read, longest)
	}
	if err != nil {
		if !errors.Is(err, fetchers.ErrProxy) || errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%q: %v, want an ErrProxy that no login is given for", text, err)
		}
		return
	}
	if again, err := recitedTo(t, via, text[:read]); err != nil || again != read {
		t.Errorf("%q opens a connection, and alone it does not: %d octets, %v", text[:read], again, err)
	}
	if _, err := recitedTo(t, via, text[:read-1]); err == nil {
		t.Errorf("%q opens a connection, and its last octet is not needed", text[:read])
	}
}

func FuzzSOCKS(f *testing.F) {
	vias := []string{"socks5h://127.0.0.1", "socks5h://joe:secret@127.0.0.1", "socks4a://joe@127.0.0.1"}
	for n, text := range []string{
		"\x05\x00\x05\x00\x00\x01\x7F\x00\x00\x01\x04\x38hello", "\x05\x02\x01\x00\x05\x00\x00\x03\x05bound\x04\x38", "\x00\x5A\x00\x00\x00\x00\x00\x00hello",
		"\x05\x00\x05\x00\x00\x04" + strings.Repeat("\x00", 18), "\x05\x02\x01\x01", "\x00\x5B\x00\x00\x00\x00\x00\x00",
		"\x05\x00\x05\x00\x00\x03\xFF" + strings.Repeat("x", 257), "\x05\x00\x05\x00\x00\x03\x00\x04\x38", "\x04\x5A\x00\x00\x00\x00\x00\x00",
		"\x05\xFF", "\x05\x01", "\x00\x5D\x00\x00\x00\x00\x00\x00", "\x05\x00\x05\x05\x00\x01", "\x05\x00\x05\x00\x00\x02", "",
		"\x05\x00\x05\x09\x00\x01", "HTTP/1.1 400 Bad Request\r\n", "\x00",
	} {
		f.Add(byte(n), text)
	}
	f.Fuzz(func(t *testing.T, n byte, text string) {
		// RFC 1928, sections 3 and 6, and RFC 1929: 2 + 2 + 4 + 1 + 255 + 2 bytes.
		checkReply(t, vias[int(n)%len(vias)], text, 266)
	})
}
