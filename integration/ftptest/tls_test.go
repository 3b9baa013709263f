package ftptest

import (
	"crypto/tls"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// secure wraps a client in TLS.
func secure(c *client, conn net.Conn, config *tls.Config) *client {
	c.t.Helper()
	wrapped := tls.Client(conn, config)
	if err := wrapped.Handshake(); err != nil {
		c.t.Fatal(err)
	}
	return &client{textproto.NewConn(wrapped), c.t}
}

// dialTLS connects to a server, in TLS with AUTH or from the beginning, and logs
// in. The data connections are to be protected.
func dialTLS(t *testing.T, server *Server, config *tls.Config) *client {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &client{textproto.NewConn(conn), t}
	if strings.HasPrefix(server.URL, "ftps:") {
		c = secure(c, conn, config)
		c.expect("220")
	} else {
		c.expect("220")
		c.talk("AUTH TLS", "234")
		c = secure(c, conn, config)
	}
	c.talk("USER anonymous", "331")
	c.talk("PASS me@example.org", "230")
	c.talk("PBSZ 0", "200")
	c.talk("PROT P", "200")
	return c
}

func TestTLS(t *testing.T) {
	for name, mode := range map[string]Option{"explicit": StartTLS(), "implicit": TLS()} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, mode)
			config := &tls.Config{ServerName: "127.0.0.1", RootCAs: server.Roots()}
			c := dialTLS(t, server, config)
			for range 2 {
				data := tls.Client(c.passive(server), config)
				c.talk("RETR hello.txt", "150")
				if got, err := io.ReadAll(data); string(got) != "hello\r\nworld\r\n" || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
				data.Close()
				c.expect("226")
			}
			c.talk("AUTH TLS", "503")
			c.talk("PROT C", "200")
			if got, err := c.get(server, "RETR hello.txt"); got != "hello\r\nworld\r\n" || err != nil {
				t.Errorf("in clear: got %q, %v", got, err)
			}
		})
	}
}

func TestRequireReuse(t *testing.T) {
	server := newServer(t, StartTLS(), RequireReuse())
	for _, reuse := range []bool{true, false} {
		config := &tls.Config{ServerName: "127.0.0.1", RootCAs: server.Roots()}
		if reuse {
			config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
		}
		c := dialTLS(t, server, config)
		data := tls.Client(c.passive(server), config)
		c.talk("RETR hello.txt", "150")
		got, _ := io.ReadAll(data)
		if reuse {
			c.expect("226")
		} else {
			c.expect("522")
		}
		if (len(got) > 0) != reuse {
			t.Errorf("reuse %v: got %q", reuse, got)
		}
	}
}

func TestWithoutTLS(t *testing.T) {
	c := connect(t, newServer(t))
	c.talk("AUTH TLS", "502")
	c.talk("PBSZ 0", "503")
	c.talk("PROT P", "503")
	c = connect(t, newServer(t, StartTLS()))
	c.talk("AUTH SSL", "504")
	c.talk("PROT P", "503")
	c.talk("USER anonymous", "331")
}

func TestInject(t *testing.T) {
	c := connect(t, newServer(t, StartTLS(), Inject("200 injected\r\n")))
	c.talk("AUTH TLS", "234")
	c.expect("200 injected")
}

func TestNoNotify(t *testing.T) {
	server := newServer(t, StartTLS(), Faults(Fault{After: 4, Do: NoNotify}))
	config := &tls.Config{ServerName: "127.0.0.1", RootCAs: server.Roots()}
	c := dialTLS(t, server, config)
	raw := c.passive(server)
	data := tls.Client(raw, config)
	c.talk("RETR hello.txt", "150")
	got, err := io.ReadAll(data)
	if string(got) != "hell" || err != nil {
		t.Errorf("got %q, %v; crypto/tls forgives a cut between records", got, err)
	}
	c.expect("226")
}
