package ftptest

import (
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var modified = time.Date(2020, 2, 29, 23, 5, 6, 0, time.UTC)

func files() fstest.MapFS {
	return fstest.MapFS{
		"hello.txt":         {Data: []byte("hello\nworld\n"), Mode: 0o644, ModTime: modified},
		"crlf.txt":          {Data: []byte("one\r\ntwo\n\nthree"), Mode: 0o600, ModTime: modified},
		"timeless":          {Data: []byte("x")},
		"pub/a":             {Data: []byte("0123456789"), Mode: 0o640, ModTime: modified},
		"pub/b c;d":         {Data: nil, Mode: 0o444, ModTime: modified},
		"pub/\u00e4":        {Data: []byte("umlaut"), Mode: 0o644, ModTime: modified},
		"pub/deep/er/x":     {Data: []byte("x")},
		`say "hi"/file`:     {Data: []byte("quoted")},
		"home/joe/etc/host": {Data: []byte("relative")},
		"etc/host":          {Data: []byte("absolute")},
	}
}

func newServer(t *testing.T, opts ...Option) *Server {
	t.Helper()
	server := NewServer(files(), opts...)
	t.Cleanup(server.Close)
	return server
}

// A client sends lines of FTP and checks the replies.
type client struct {
	*textproto.Conn
	t *testing.T
}

func connect(t *testing.T, server *Server) *client {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &client{textproto.NewConn(conn), t}
	t.Cleanup(func() { c.Close() })
	c.expect("220")
	return c
}

// login connects, and logs in as anonymous.
func login(t *testing.T, server *Server) *client {
	t.Helper()
	c := connect(t, server)
	c.talk("USER anonymous", "331")
	c.talk("PASS me@example.org", "230")
	return c
}

// talk sends a line and wants a reply that begins so.
func (c *client) talk(line, want string) {
	c.t.Helper()
	c.send(line)
	if got := c.reply(); !strings.HasPrefix(got, want) {
		c.t.Errorf("%s: got %q, want %q", line, got, want)
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	if err := c.PrintfLine("%s", line); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) expect(want string) {
	c.t.Helper()
	if got := c.reply(); !strings.HasPrefix(got, want) {
		c.t.Errorf("got %q, want %q", got, want)
	}
}

// reply reads a whole reply: "code text", with LF between lines.
func (c *client) reply() string {
	c.t.Helper()
	code, text, err := c.ReadResponse(0)
	if err != nil {
		c.t.Fatalf("reading a reply: %v", err)
	}
	return fmt.Sprint(code, " ", text)
}

// passive makes a data connection with EPSV.
func (c *client) passive(server *Server) *net.TCPConn {
	c.t.Helper()
	c.send("EPSV")
	var port string
	reply := c.reply()
	if _, err := fmt.Sscanf(reply, "229 Entering Extended Passive Mode (|||%5s", &port); err != nil {
		c.t.Fatalf("EPSV: %q: %v", reply, err)
	}
	host, _, _ := net.SplitHostPort(server.Addr)
	conn, err := net.Dial("tcp", net.JoinHostPort(host, strings.TrimRight(port, "|)")))
	if err != nil {
		c.t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c.t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// get runs a transfer and returns its data.
func (c *client) get(server *Server, command string) (data string, err error) {
	c.t.Helper()
	conn := c.passive(server)
	c.talk(command, "150")
	octets, err := io.ReadAll(conn)
	return string(octets), err
}
