package sftptest_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

var files = fstest.MapFS{
	"pub/hello.txt": {Data: []byte("hello\n"), ModTime: time.Unix(981173106, 0)},
	"pub/sub/a":     {Data: []byte("a")},
}

// A client sends packets to a server.
type client struct {
	t       *testing.T
	conn    *ssh.Client
	channel ssh.Channel
}

// dial logs in by the methods, and opens SFTP.
func dial(t *testing.T, s *sftptest.Server, methods ...ssh.AuthMethod) (*client, error) {
	t.Helper()
	tcp, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tcp.Close() })
	return on(t, tcp, s, methods...)
}

// on is dial on a connection.
func on(t *testing.T, conn net.Conn, s *sftptest.Server, methods ...ssh.AuthMethod) (*client, error) {
	t.Helper()
	config := &ssh.ClientConfig{User: "joe", Auth: methods, HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if !strings.HasSuffix(s.KnownHosts(), " "+string(ssh.MarshalAuthorizedKey(key))) || s.Fingerprint() != ssh.FingerprintSHA256(key) {
			return errors.New("another key")
		}
		return nil
	}}
	c, channels, requests, err := ssh.NewClientConn(conn, s.Addr, config)
	if err != nil {
		return nil, err
	}
	cl := &client{t: t, conn: ssh.NewClient(c, channels, requests)}
	t.Cleanup(func() { cl.conn.Close() })
	channel, asked, err := cl.conn.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(asked)
	if ok, err := channel.SendRequest("subsystem", true, ssh.Marshal(struct{ Name string }{"sftp"})); !ok || err != nil {
		t.Fatal(ok, err)
	}
	cl.channel = channel
	if got := cl.ask(1, "\x00\x00\x00\x03"); got != "\x02\x00\x00\x00\x03" {
		t.Fatalf("%q in place of VERSION", got)
	}
	return cl, nil
}

// mustDial is dial for a server that accepts every client.
func mustDial(t *testing.T, s *sftptest.Server) *client {
	t.Helper()
	c, err := dial(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends a packet, and returns the answer from its type on. An end of the connection is "end".
func (c *client) ask(kind byte, body string) string {
	c.t.Helper()
	c.channel.Write(append(binary.BigEndian.AppendUint32(nil, uint32(1+len(body))), kind))
	io.WriteString(c.channel, body)
	var length [4]byte
	if _, err := io.ReadFull(c.channel, length[:]); err != nil {
		return "end"
	}
	p := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(c.channel, p); err != nil {
		return "end"
	}
	return string(p)
}

// text returns s as it is in a packet.
func text(s string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s
}

const (
	id      = "\x00\x00\x00\x07"
	missing = "\x65" + id + "\x00\x00\x00\x02\x00\x00\x00\x0cNo such file\x00\x00\x00\x00"
	failure = "\x65" + id + "\x00\x00\x00\x04\x00\x00\x00\x07Failure\x00\x00\x00\x00"
	success = "\x65" + id + "\x00\x00\x00\x00\x00\x00\x00\x07Success\x00\x00\x00\x00"
	theEnd  = "\x65" + id + "\x00\x00\x00\x01\x00\x00\x00\x0bEnd of file\x00\x00\x00\x00"
	nothing = "\x65" + id + "\x00\x00\x00\x08\x00\x00\x00\x15Operation unsupported\x00\x00\x00\x00"

	owned = "\x00\x00\x03\xe8\x00\x00\x03\xe8"
	when  = "\x3a\x7b\x83\x72\x3a\x7b\x83\x72" // 2001-02-03 04:05:06
	hello = "\x00\x00\x00\x0f" + "\x00\x00\x00\x00\x00\x00\x00\x06" + owned + "\x00\x00\x80\x00" + when
)

// Each request has its answer, and is a line of the transcript.
func TestRequests(t *testing.T) {
	s := sftptest.New(t, files, sftptest.Home("pub"), sftptest.Reply(`STAT "/odd"`, "\x00\x00\x00\x09\x65????\x00\x00\x00\x03"))
	c := mustDial(t, s)
	at := func(offset, length string) string {
		return "\x00\x00\x00\x00\x00\x00\x00" + offset + "\x00\x00\x00" + length
	}
	for _, r := range []struct {
		kind             byte
		body, want, line string
	}{
		{17, text("/pub/hello.txt"), "\x69" + id + hello, `STAT "/pub/hello.txt"`},
		{17, text("hello.txt"), "\x69" + id + hello, `STAT "hello.txt"`},
		{7, text("/pub/../../pub/hello.txt"), "\x69" + id + hello, `LSTAT "/pub/../../pub/hello.txt"`},
		{17, text("/nope"), missing, `STAT "/nope"`},
		{17, text("/odd"), "\x65" + id + "\x00\x00\x00\x03", `STAT "/odd"`},
		{16, text("."), "\x68" + id + "\x00\x00\x00\x01" + text("/pub") + text("/pub") + "\x00\x00\x00\x00", `REALPATH "."`},
		{3, text("/pub/hello.txt") + "\x00\x00\x00\x01\x00\x00\x00\x00", "\x66" + id + text("handle1"), `OPEN "/pub/hello.txt"`},
		{8, text("handle1"), "\x69" + id + hello, "FSTAT"},
		{5, text("handle1") + at("\x01", "\x03"), "\x67" + id + text("ell"), "READ 1-3"},
		{5, text("handle1") + at("\x04", "\x09"), "\x67" + id + text("o\n"), "READ 4-12"},
		{5, text("handle1") + at("\x06", "\x01"), theEnd, "READ 6-6"},
		{5, text("handle9") + at("\x00", "\x01"), failure, "READ 0-0"},
		{12, text("handle1"), failure, "READDIR"},
		{4, text("handle1"), success, "CLOSE"},
		{8, text("handle1"), failure, "FSTAT"},
		{11, text("/pub/sub"), "\x66" + id + text("handle2"), `OPENDIR "/pub/sub"`},
		{5, text("handle2") + at("\x00", "\x01"), failure, "READ 0-0"},
		{12, text("handle2"), "", "READDIR"},
		{12, text("handle2"), theEnd, "READDIR"},
		{13, text("/pub/hello.txt"), nothing, "TYPE 13"},
	} {
		got := c.ask(r.kind, id+r.body)
		if r.want != "" && got != r.want || r.want == "" && !strings.Contains(got, text("a")) {
			t.Errorf("%s: %q, want %q", r.line, got, r.want)
		}
		all := s.Transcript()
		if last := all[len(all)-1]; last != r.line {
			t.Errorf("the transcript has %s, want %s", last, r.line)
		}
	}
	for name, body := range map[string]string{
		"a packet of 40,000 octets":        strings.Repeat("x", 40_000),
		"a packet without a path":          id,
		"a path that is not in its packet": id + "\x00\x00\x00\x05/pub",
		"a path of 4 GiB":                  id + "\xff\xff\xff\xff/pub",
	} {
		if got := mustDial(t, s).ask(17, body); got != "end" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The options decide which logins succeed.
func TestLogins(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	authorized := sftptest.AuthorizedKey(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	asked := ""
	answers := ssh.KeyboardInteractive(func(_, instruction string, questions []string, _ []bool) ([]string, error) {
		asked = instruction + "|" + strings.Join(questions, "|")
		return []string{"blue", "7"}[:len(questions)], nil
	})
	questions := []sftptest.Option{sftptest.Question("Colour? ", "blue"), sftptest.Question("Number? ", "7"), sftptest.Instruction("Two:")}
	byKey := ssh.PublicKeys(signer)
	for name, c := range map[string]struct {
		opts    []sftptest.Option
		methods []ssh.AuthMethod
		want    bool
	}{
		"everybody":        {want: true},
		"a password":       {[]sftptest.Option{sftptest.User("joe", "secret")}, []ssh.AuthMethod{ssh.Password("secret")}, true},
		"another password": {[]sftptest.Option{sftptest.User("joe", "secret")}, []ssh.AuthMethod{ssh.Password("x")}, false},
		"another user":     {[]sftptest.Option{sftptest.User("jim", "secret")}, []ssh.AuthMethod{ssh.Password("secret")}, false},
		"nothing":          {[]sftptest.Option{sftptest.User("joe", "secret")}, nil, false},
		"a key":            {[]sftptest.Option{authorized}, []ssh.AuthMethod{byKey}, true},
		"answers":          {questions, []ssh.AuthMethod{answers}, true},
		"a key alone":      {append([]sftptest.Option{authorized, sftptest.Both()}, questions...), []ssh.AuthMethod{byKey}, false},
		"answers alone":    {append([]sftptest.Option{authorized, sftptest.Both()}, questions...), []ssh.AuthMethod{answers}, false},
		"both":             {append([]sftptest.Option{authorized, sftptest.Both()}, questions...), []ssh.AuthMethod{byKey, answers}, true},
	} {
		asked = ""
		if _, err := dial(t, sftptest.New(t, files, c.opts...), c.methods...); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if asked != "" && asked != "Two:|Colour? |Number? " {
			t.Errorf("%s: asked %q", name, asked)
		}
	}
}

// A fault strikes a file after a number of octets, and with Once one time.
func TestFaults(t *testing.T) {
	read := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x06"
	rest := "\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x02"
	for do, want := range map[sftptest.Action][]string{
		sftptest.Cut:    {text("hell"), "end", ""},
		sftptest.Reset:  {"", "end", ""},
		sftptest.End:    {text("hell"), theEnd, hello},
		sftptest.Fail:   {text("hell"), failure, hello},
		sftptest.Change: {text("hello\n"), text("o\n"), strings.ReplaceAll(hello, "\x83\x72", "\x83\xae")},
	} {
		fault := sftptest.Fault{Path: "/pub/hello.txt", After: 4, Do: do, Once: true}
		s := sftptest.New(t, files, sftptest.Faults(fault))
		if text := fault.String(); text != "/pub/hello.txt: "+do.String()+" after 4, once" {
			t.Errorf("%q", text)
		}
		c := mustDial(t, s)
		c.ask(3, id+text("/pub/hello.txt")+"\x00\x00\x00\x01\x00\x00\x00\x00")
		if got := c.ask(5, id+text("handle1")+read); want[0] != "" && got != "\x67"+id+want[0] {
			t.Errorf("%v: %q, want %q", do, got, want[0])
		}
		if got := c.ask(5, id+text("handle1")+rest); !strings.HasSuffix(got, want[1]) {
			t.Errorf("%v, then: %q, want %q", do, got, want[1])
		}
		if got := c.ask(8, id+text("handle1")); want[2] != "" && got != "\x69"+id+want[2] {
			t.Errorf("%v: FSTAT %q, want %q", do, got, want[2])
		}
		c = mustDial(t, s)
		c.ask(3, id+text("/pub/hello.txt")+"\x00\x00\x00\x01\x00\x00\x00\x00")
		if got := c.ask(5, id+text("handle2")+read); got != "\x67"+id+text("hello\n") {
			t.Errorf("%v, once more: %q", do, got)
		}
	}
}

// Close does not wait for clients, even during a stall.
func TestClose(t *testing.T) {
	s := sftptest.New(t, files, sftptest.Faults(sftptest.Fault{Do: sftptest.Stall}))
	c := mustDial(t, s)
	c.ask(3, id+text("/pub/hello.txt")+"\x00\x00\x00\x01\x00\x00\x00\x00")
	answer := make(chan string)
	go func() {
		answer <- c.ask(5, id+text("handle1")+"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x06")
	}()
	for !slices.Contains(s.Transcript(), "READ 0-5") {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if got := <-answer; got != "end" {
		t.Errorf("%q", got)
	}
	s.Close()
}

// A server leads to others, where Jump allows it, and has no more connections than MaxConnections.
func TestConnections(t *testing.T) {
	far, near := sftptest.New(t, files), sftptest.New(t, nil, sftptest.Jump(), sftptest.MaxConnections(1))
	first := mustDial(t, near)
	conn, err := first.conn.Dial("tcp", far.Addr)
	if err != nil {
		t.Fatal(err)
	}
	c, err := on(t, conn, far)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.ask(17, id+text("/pub/hello.txt")); got != "\x69"+id+hello {
		t.Errorf("%q", got)
	}
	if conn, err := c.conn.Dial("tcp", near.Addr); err == nil {
		conn.Close()
		t.Error("a server without Jump leads to another one")
	}
	if _, err := dial(t, near); err == nil || near.Connections() != 1 {
		t.Errorf("%v, %d connections", err, near.Connections())
	}
}

// With another host key the server is another one, for further connections.
func TestChangeHostKey(t *testing.T) {
	s := sftptest.New(t, files)
	before, c := s.KnownHosts(), mustDial(t, s)
	s.ChangeHostKey()
	if s.KnownHosts() == before {
		t.Error("the key is the same")
	}
	if got := c.ask(17, id+text("/pub/hello.txt")); got != "\x69"+id+hello {
		t.Errorf("%q", got)
	}
	mustDial(t, s)
}

// A relay passes the octets of SFTP on, to and from a listener.
func TestRelay(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	heard := make(chan []byte, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		p := make([]byte, 9)
		io.ReadFull(conn, p)
		heard <- p
		fmt.Fprint(conn, "\x00\x00\x00\x05\x02\x00\x00\x00\x03")
	}()
	mustDial(t, sftptest.New(t, nil, sftptest.Relay(listener.Addr().String())))
	if p := <-heard; !bytes.Equal(p, []byte("\x00\x00\x00\x05\x01\x00\x00\x00\x03")) {
		t.Errorf("%q", p)
	}
}
