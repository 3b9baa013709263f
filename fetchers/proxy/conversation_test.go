package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
)

// conversations are those that doc.go shows: alternately the bytes that the client sends and the
// answers of the proxy.
var conversations = []struct {
	via, to string
	wire    []string
}{
	{"socks5h://127.0.0.1", "example.org:80", []string{
		"\x05\x01\x00", "\x05\x00",
		"\x05\x01\x00\x03\x0Bexample.org\x00\x50", "\x05\x00\x00\x01\x7F\x00\x00\x01\x04\x38",
	}},
	{"socks5h://joe:secret@127.0.0.1", "example.org:80", []string{
		"\x05\x02\x00\x02", "\x05\x02",
		"\x01\x03joe\x06secret", "\x01\x00",
		"\x05\x01\x00\x03\x0Bexample.org\x00\x50", "\x05\x00\x00\x03\x05bound\x04\x38",
	}},
	{"socks5://joe@127.0.0.1", "192.0.2.7:443", []string{
		"\x05\x02\x00\x02", "\x05\x00", // no password is sent if the proxy does not demand one
		"\x05\x01\x00\x01\xC0\x00\x02\x07\x01\xBB", "\x05\x00\x00\x03\x00\x04\x38",
	}},
	{"socks://joe@127.0.0.1", "[2001:db8::7]:65535", []string{
		"\x05\x02\x00\x02", "\x05\x02",
		"\x01\x03joe\x00", "\x01\x00",
		"\x05\x01\x00\x04\x20\x01\x0D\xB8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\xFF\xFF", "\x05\x00\x00\x04" + strings.Repeat("\x00", 18),
	}},
	{"socks4://127.0.0.1", "192.0.2.7:80", []string{
		"\x04\x01\x00\x50\xC0\x00\x02\x07\x00", "\x00\x5A\x00\x00\x00\x00\x00\x00",
	}},
	{"socks4a://joe@127.0.0.1", "example.org:80", []string{
		"\x04\x01\x00\x50\x00\x00\x00\x01joe\x00example.org\x00", "\x00\x5A\x00\x00\x00\x00\x00\x00",
	}},
	{"http://joe:secret@127.0.0.1", "example.org:21", []string{
		"CONNECT example.org:21 HTTP/1.1\r\nHost: example.org:21\r\nUser-Agent: fetch\r\nProxy-Authorization: Basic am9lOnNlY3JldA==\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 Connection established\r\nContent-Length: 9\nVia: x\r\n\r\n",
	}},
	{"http://127.0.0.1", "[2001:db8::7]:21", []string{
		"CONNECT [2001:db8::7]:21 HTTP/1.1\r\nHost: [2001:db8::7]:21\r\nUser-Agent: fetch\r\n\r\n",
		"HTTP/1.1 204\n\n",
	}},
}

// converse plays the proxy until it has sent limit bytes, and then calls next.
func converse(wire []string, limit int, next func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		for i := 0; i < len(wire); i += 2 {
			got := make([]byte, len(wire[i]))
			if _, err := io.ReadFull(c, got); err != nil || string(got) != wire[i] {
				fmt.Fprintf(c, "not %q", got)
				return
			}
			reply := wire[i+1]
			if len(reply) >= limit {
				io.WriteString(c, reply[:limit])
				break
			}
			limit -= len(reply)
			io.WriteString(c, reply)
		}
		next(c)
	}
}

func stall(c net.Conn) { io.Copy(io.Discard, c) }

// at returns a proxy whose connections are handled by serve.
func at(t *testing.T, via string, serve func(net.Conn)) *proxy.Proxy {
	u, err := proxy.Parse(via)
	if err != nil {
		t.Fatal(err)
	}
	addr := listen(t, serve)
	return &proxy.Proxy{URL: u, Forward: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
}

// Each conversation is exact, and bytes of the server in the same packet as the last reply are
// kept.
func TestConversations(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.via+" "+c.to, func(t *testing.T) {
			wire := append([]string(nil), c.wire...)
			wire[len(wire)-1] += "220 ready\r\n"
			conn, err := at(t, c.via, converse(wire, 1<<20, func(c net.Conn) { io.Copy(c, c) })).Dial(t.Context(), "tcp", c.to)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, "QUIT\r\n")
			got := make([]byte, len("220 ready\r\nQUIT\r\n"))
			if _, err := io.ReadFull(conn, got); string(got) != "220 ready\r\nQUIT\r\n" || err != nil {
				t.Errorf("the server says %q, %v", got, err)
			}
			if conn.RemoteAddr().String() != c.to {
				t.Errorf("RemoteAddr is %v", conn.RemoteAddr())
			}
		})
	}
}

// If a proxy stalls or closes the connection after any byte, Dial fails within the deadline of the
// context.
func TestTruncatedReply(t *testing.T) {
	for _, c := range conversations {
		replies := 0
		for i := 1; i < len(c.wire); i += 2 {
			replies += len(c.wire[i])
		}
		for limit := range replies {
			_, err := at(t, c.via, converse(c.wire, limit, func(net.Conn) {})).Dial(t.Context(), "tcp", c.to)
			closed := err != nil && strings.HasSuffix(err.Error(), ": it closed the connection before it answered")
			reset := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) // unread data cause a reset
			if !errors.Is(err, fetchers.ErrProxy) || !closed && !reset {
				t.Errorf("%s, closed after %d octets: %v", c.via, limit, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Millisecond, cancel)
			began := time.Now()
			_, err = at(t, c.via, converse(c.wire, limit, stall)).Dial(ctx, "tcp", c.to)
			if !errors.Is(err, fetchers.ErrProxy) || !errors.Is(err, context.Canceled) || time.Since(began) > 2*time.Second {
				t.Errorf("%s, silent after %d octets: %v after %v", c.via, limit, err, time.Since(began))
			}
		}
	}
}

func TestDeadline(t *testing.T) {
	for _, via := range []string{"socks5://127.0.0.1", "socks4://127.0.0.1", "http://127.0.0.1", "https://127.0.0.1"} {
		nw := &fetchers.Network{Dial: at(t, via, stall).Dial, Connect: 20 * time.Millisecond}
		if _, err := nw.DialContext(t.Context(), "tcp", "192.0.2.7:80"); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, fetchers.ErrProxy) {
			t.Errorf("%s: %v", via, err)
		}
	}
}

// The context of the dial no longer affects the connection.
func TestContextEnds(t *testing.T) {
	c := conversations[0]
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := at(t, c.via, converse(c.wire, 1<<20, func(c net.Conn) { io.Copy(c, c) })).Dial(ctx, "tcp", c.to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	time.Sleep(10 * time.Millisecond)
	io.WriteString(conn, "x")
	if n, err := conn.Read(make([]byte, 1)); n != 1 {
		t.Errorf("Read = %d, %v", n, err)
	}
}

// A refusal has the text of the proxy and a class, and is a ProxyError.
func TestRefusals(t *testing.T) {
	socks5 := func(code string) string { return "\x05\x00\x05" + code + "\x00\x01\x00\x00\x00\x00\x00\x00" }
	for _, c := range []struct {
		via, says, words string
		class            error // nil without a class
	}{
		{"socks5h", socks5("\x01"), "1 general SOCKS server failure", nil},
		{"socks5h", socks5("\x02"), "2 connection not allowed by ruleset", fs.ErrPermission},
		{"socks5h", socks5("\x03"), "3 network unreachable", syscall.ENETUNREACH},
		{"socks5h", socks5("\x04"), "4 host unreachable", syscall.EHOSTUNREACH},
		{"socks5h", socks5("\x05"), "5 connection refused", syscall.ECONNREFUSED},
		{"socks5h", socks5("\x06"), "6 TTL expired", syscall.EHOSTUNREACH},
		{"socks5h", socks5("\x08"), "8 address type not supported", nil},
		{"socks5h", socks5("\x99"), "153 unassigned", nil},
		{"socks5h", "\x05\xFF", "255 no acceptable methods", fs.ErrPermission},
		{"socks5h", "\x05\x02\x01\x01", `1 login refused for "joe"`, fs.ErrPermission},
		{"socks5h", "\x05\x02\x05\x00", "version 5 of the login", fetchers.ErrProtocol},
		{"socks5h", "\x05\x01", "method 1, which was not offered", fetchers.ErrProtocol},
		{"socks5h", "\x00\x5B", "version 0 of SOCKS", fetchers.ErrProtocol},
		{"socks5h", "HTTP/1.1 400 Bad Request\r\n", "version 72 of SOCKS", fetchers.ErrProtocol},
		{"socks5h", "\x05\x00\x04\x00\x00\x01", "version 4 of SOCKS", fetchers.ErrProtocol},
		{"socks5h", "\x05\x00\x05\x00\x00\x07", "address type 7", fetchers.ErrProtocol},
		{"socks4a", "\x00\x5B\x00\x00\x00\x00\x00\x00", "91 request rejected or failed", nil},
		{"socks4a", "\x00\x5C\x00\x00\x00\x00\x00\x00", "92 request rejected: the proxy cannot ask our identd", fs.ErrPermission},
		{"socks4a", "\x00\x5D\x00\x00\x00\x00\x00\x00", "93 request rejected: our identd names another user", fs.ErrPermission},
		{"socks4a", "\x05\x5A\x00\x00\x00\x00\x00\x00", "version 5 of a reply", fetchers.ErrProtocol},
		{"socks4a", "\x00\x01\x00\x00\x00\x00\x00\x00", "reply 1", fetchers.ErrProtocol},
		{"http", "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", "407 Proxy Authentication Required", fs.ErrPermission},
		{"http", "HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nno\r\n", "403 No", fs.ErrPermission},
		{"http", "HTTP/1.1 503\r\n\r\n", "503", fetchers.ErrTemporary},
		{"http", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", "302 Found", nil},
		{"http", "HTTP/1.1 20 OK\r\n\r\n", `"HTTP/1.1 20 OK" in place of a status`, fetchers.ErrProtocol},
		{"http", "HTTP/2 200 OK\r\n\r\n", "in place of a status", fetchers.ErrProtocol},
		{"http", "\r\n\r\n", "in place of a status", fetchers.ErrProtocol},
		{"http", "SSH-2.0-x\r\n\r\n", `"SSH-2.0-x" in place of a status`, fetchers.ErrProtocol},
		{"http", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 50_000), "a header of more than 262144 bytes", fetchers.ErrProtocol},
		{"http", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 5_000), "more than 16 interim responses", fetchers.ErrProtocol},
		{"http", strings.Repeat("x", 300_000), "a header of more than 262144 bytes", fetchers.ErrProtocol},
	} {
		login := "joe:s3cret@"
		if c.via == "socks4a" {
			login = "joe@"
		}
		p := at(t, c.via+"://"+login+"127.0.0.1", func(conn net.Conn) {
			io.WriteString(conn, c.says)
			stall(conn)
		})
		_, err := p.Dial(t.Context(), "tcp", "example.org:80")
		if err == nil {
			t.Errorf("%s says %.40q, and there is no error", c.via, c.says)
			continue
		}
		if !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), "proxy "+c.via+"://joe") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s says %.40q: the error is %v, want %q", c.via, c.says, err, c.words)
		}
		if !errors.Is(err, fetchers.ErrProxy) || errors.Is(err, fetchers.ErrLogin) || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s says %.40q: the error %v is not of class %v", c.via, c.says, err, c.class)
		}
		var refused *fetchers.StatusError
		if errors.As(err, &refused) == (c.class == fetchers.ErrProtocol) {
			t.Errorf("%s says %.40q: refused = %v", c.via, c.says, refused)
		}
	}
}

// Without a login, the error says that one is required.
func TestLoginRequired(t *testing.T) {
	p := at(t, "socks5h://127.0.0.1", func(c net.Conn) { io.WriteString(c, "\x05\xFF") })
	_, err := p.Dial(t.Context(), "tcp", "example.org:80")
	if !errors.Is(err, fs.ErrPermission) || !strings.HasSuffix(err.Error(), "255 a login is required") {
		t.Errorf("error %v", err)
	}
}

// The Retry-After of a busy proxy is reported.
func TestRetryAfter(t *testing.T) {
	p := at(t, "http://127.0.0.1", func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n")
		stall(c)
	})
	_, err := p.Dial(t.Context(), "tcp", "example.org:80")
	var refused *fetchers.StatusError
	if !errors.As(err, &refused) || refused.Wait != 7*time.Second {
		t.Errorf("error %v, want a wait of 7 s: %+v", err, refused)
	}
}

// If the proxy cannot reach one address of a name, the next is tried; if it refuses, none is.
func TestSeveralAddresses(t *testing.T) {
	for code, want := range map[string]int{"\x04": 2, "\x02": 1} {
		var asked atomic.Int32
		p := at(t, "socks5://127.0.0.1", func(c net.Conn) {
			asked.Add(1)
			io.WriteString(c, "\x05\x00\x05"+code+"\x00\x01\x00\x00\x00\x00\x00\x00")
			stall(c)
		})
		if _, err := p.Dial(t.Context(), "tcp", "localhost:80"); err == nil || int(asked.Load()) != want {
			t.Errorf("reply %q: %v after %d requests, want %d", code, err, asked.Load(), want)
		}
	}
}
