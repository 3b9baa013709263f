package telnet_test

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
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
)

// FuzzSession checks that a session, for any bytes of a server, neither panics nor runs forever,
// answers each request at most once, and returns exactly the data.
func FuzzSession(f *testing.F) {
	f.Add([]byte("\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0login: "), true)
	f.Add([]byte("\xff\xfb\x01\xff\xfc\x01\xff\xfb\x01caf\xe9\xff\xff\r\x00\r\n"), false)
	f.Add([]byte("\xff\xf1\xff\xf9\xff\xef\xff\xf2a\xff\xfa\x1fxx\xff\xffy\xff\xfd\x1fb\xff\xf0c\xff"), true)
	f.Add([]byte{255, 253, 31, 255, 250, 24, 1, 255, 240, 255}, true)
	f.Fuzz(func(t *testing.T, sent []byte, terminal bool) {
		server := &replay{said: bytes.NewReader(sent)}
		fetcher := &telnet.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return server, nil }}}
		if terminal {
			fetcher.Terminal = "vt100"
		}
		res, err := fetcher.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "telnet://h.dom/")})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		conn, err := res.Session.Dial(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		s := conn.(*telnet.Session)
		s.Resize(255, 300)
		got, err := io.ReadAll(s)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fetchers.ErrProtocol) {
			t.Fatalf("the error is %v", err)
		}
		want, whole, answers := meaning(sent, terminal)
		if string(got) != want && (err == nil || !strings.HasPrefix(want, string(got))) {
			t.Errorf("read %q, want %q", got, want)
		}
		if whole != (err == nil) && !errors.Is(err, fetchers.ErrProtocol) {
			t.Errorf("the error is %v, and whole is %v", err, whole)
		}
		if _, _, requests := meaning(server.heard.Bytes(), true); requests > answers {
			t.Errorf("%d requests were answered by %d", answers, requests)
		}
	})
}

// FuzzTyped checks that the server decodes exactly the typed text, in whatever chunks it is
// written.
func FuzzTyped(f *testing.F) {
	f.Add([]byte("caf\xe9 \xff\xff\r\r\n\n\x00\r\x00"), uint16(10))
	f.Fuzz(func(t *testing.T, typed []byte, at uint16) {
		server := &replay{said: bytes.NewReader(nil)}
		fetcher := &telnet.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return server, nil }}}
		s := open(t, fetcher, "telnet://h.dom/")
		cut := min(int(at), len(typed))
		for _, piece := range [][]byte{typed[:cut], typed[cut:]} {
			if n, err := s.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("Write = %d, %v, want %d", n, err, len(piece))
			}
		}
		if got, whole, requests := meaning(server.heard.Bytes(), false); got != string(typed) || !whole || requests > 0 {
			t.Errorf("%q is understood as %q, with %d requests", typed, got, requests)
		}
	})
}

// meaning is a simple reference parser for RFC 854. It returns the data of a stream, whether the
// stream ends outside of a command, and the number of requests. With a terminal, the client accepts
// BINARY, and then a NUL after CR is data.
func meaning(p []byte, terminal bool) (data string, whole bool, requests int) {
	var out []byte
	binary, cr := false, false
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == 255 {
			if i++; i == len(p) {
				return string(out), false, requests
			}
			switch c := p[i]; {
			case c == 255:
			case c == 250:
				next, ok := subEnd(p, i+1)
				if !ok {
					return string(out), false, requests
				}
				i = next
				continue
			case c >= 251:
				if i++; i == len(p) {
					return string(out), false, requests
				}
				requests++
				if p[i] == 0 && (c == 251 || c == 252) {
					binary = c == 251 && terminal
				}
				continue
			default:
				continue
			}
		}
		if c == 0 && cr && !binary {
			cr = false
			continue
		}
		cr = c == '\r'
		out = append(out, c)
	}
	return string(out), true, requests
}

// subEnd returns the offset of the last byte of the subnegotiation at p[i]. Another command may end
// it early.
func subEnd(p []byte, i int) (int, bool) {
	for ; i < len(p); i++ {
		if p[i] != 255 {
			continue
		}
		if i++; i == len(p) {
			return 0, false
		}
		switch p[i] {
		case 255:
		case 240:
			return i, true
		default:
			return i - 2, true
		}
	}
	return 0, false
}

// A replay is a connection whose server has sent all its bytes, and accepts any bytes.
type replay struct {
	net.Conn
	said  *bytes.Reader
	heard bytes.Buffer
}

func (r *replay) Read(p []byte) (int, error)       { return r.said.Read(p) }
func (r *replay) Write(p []byte) (int, error)      { return r.heard.Write(p) }
func (r *replay) Close() error                     { return nil }
func (r *replay) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (r *replay) SetWriteDeadline(time.Time) error { return nil }
