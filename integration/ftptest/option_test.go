package ftptest

import (
	"crypto/tls"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
)

func TestPathFaults(t *testing.T) {
	server := newServer(t, Faults(
		Fault{Path: "pub/a", After: 4, Do: Say451},
		Fault{Command: "LIST", Path: "pub", Do: Say426},
		Fault{Command: "SIZE", Path: "/hello.txt", Do: Say451, Once: true},
		Fault{Command: "CWD", Path: "pub/deep", Do: SayNone},
		Fault{Command: "EPSV", Do: NoPort, Once: true},
		Fault{Command: "MDTM", Do: Cut},
	))
	c := login(t, server)
	c.talk("TYPE I", "200")

	c.send("EPSV")
	var port string
	if reply := c.reply(); !strings.HasPrefix(reply, "229 ") {
		t.Fatal(reply)
	} else {
		port = strings.Trim(reply[strings.Index(reply, "|"):], "|)")
	}
	if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
		conn.Close()
		t.Error("the port is open")
	}

	for _, get := range []struct{ command, data, reply string }{
		{"RETR hello.txt", "hello\nworld\n", "226"},
		{"RETR /pub/../pub/a", "0123", "451"},
		{"LIST -la pub", "", "426"},
		{"NLST pub/a", "pub/a\r\n", "226"},
	} {
		data, err := c.get(server, get.command)
		if err != nil || data != get.data {
			t.Errorf("%s: %q, %v, want %q", get.command, data, err, get.data)
		}
		c.expect(get.reply)
	}
	c.talk("SIZE pub/a", "213 10")
	c.talk("SIZE hello.txt", "451")
	c.talk("SIZE hello.txt", "213 12")
	c.send("CWD pub/deep")
	c.talk("NOOP", "200")
	c.send("MDTM pub/a")
	if line, err := c.ReadLine(); err != io.EOF {
		t.Errorf("got %q, %v, want the end", line, err)
	}
}

func TestDataFaults(t *testing.T) {
	for do, want := range map[Action]string{
		Flip:  "0123556789",
		Extra: "0123456789x",
	} {
		server := newServer(t, Faults(Fault{After: 4, Do: do}))
		c := login(t, server)
		if data, err := c.get(server, "RETR pub/a"); data != want || err != nil {
			t.Errorf("%v: %q, %v, want %q", do, data, err, want)
		}
		c.expect("226")
	}
}

// Hold: all data and the reply 226 arrive, and the data connection stays open.
func TestHold(t *testing.T) {
	server := newServer(t, Faults(Fault{Do: Hold}))
	c := login(t, server)
	conn := c.passive(server)
	c.talk("RETR pub/a", "150")
	c.expect("226")
	if _, err := io.ReadFull(conn, make([]byte, 10)); err != nil {
		t.Error(err)
	}
	c.send("NOOP") // waits for the end of the transfer
	conn.Close()
	c.expect("200")
}

func TestFaultNames(t *testing.T) {
	for want, f := range map[string]Fault{
		"Lie226":                         {},
		"RETR pub/a: Reset after 4":      {Command: "RETR", Path: "pub/a", After: 4, Do: Reset},
		"EPSV: NoPort, once":             {Command: "EPSV", Do: NoPort, Once: true},
		"pub: Action(99)":                {Path: "pub", Do: 99},
		"STOR: Hold after 1000000000":    {Command: "STOR", After: 1e9, Do: Hold},
		"STOR x: Early226 after 1, once": {Command: "STOR", Path: "x", After: 1, Do: Early226, Once: true},
	} {
		if got := f.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, f := range []Fault{{Command: "SIZE", Do: Flip}, {Do: NoPort}, {Command: "STOR", Do: Hold}, {Command: "CWD"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: no panic", f)
				}
			}()
			newServer(t, Faults(f))
		}()
	}
}

func TestRequests(t *testing.T) {
	server := newServer(t, User("joe", "secret"), StartTLS())
	c := connect(t, server)
	c.talk("user joe", "331")
	c.talk("PASS secret", "230")
	c.talk("CWD pub", "250")
	c.talk("size a", "550")
	c.talk("LIST -a deep", "425")
	c.talk("CDUP", "250")
	c.talk("MLST", "250")
	second := connect(t, server)
	second.talk("DELE /pub/../x y", "530")
	want := []Request{
		{Conn: 1, Line: "user joe", Command: "USER", Arg: "joe"},
		{Conn: 1, Line: "PASS secret", Command: "PASS", Arg: "secret"},
		{Conn: 1, Line: "CWD pub", Command: "CWD", Arg: "pub", User: "joe", Path: "pub"},
		{Conn: 1, Line: "size a", Command: "SIZE", Arg: "a", User: "joe", Path: "pub/a"},
		{Conn: 1, Line: "LIST -a deep", Command: "LIST", Arg: "-a deep", User: "joe", Path: "pub/deep"},
		{Conn: 1, Line: "CDUP", Command: "CDUP", User: "joe", Path: "."},
		{Conn: 1, Line: "MLST", Command: "MLST", User: "joe", Path: "."},
		{Conn: 2, Line: "DELE /pub/../x y", Command: "DELE", Arg: "/pub/../x y", Path: "x y"},
	}
	if got := server.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestLoginFunction(t *testing.T) {
	server := newServer(t, User("joe", "secret"), Login(func(name, password string) bool { return name == password }))
	c := connect(t, server)
	c.talk("USER joe", "331")
	c.talk("PASS secret", "530")
	c.talk("USER anonymous", "331")
	c.talk("PASS me@", "530")
	c.talk("USER x", "331")
	c.talk("PASS x", "230")
}

func TestReplyFunction(t *testing.T) {
	sizes := 0
	server := newServer(t,
		Reply("GREETING", "220-a\r\n220 b"),
		ReplyFunc("size", func(r Request) (string, bool) {
			sizes++
			return "450 " + r.Path + " " + r.User, sizes%2 == 1
		}),
		Reply("SIZE pub", "550 never"),
	)
	c := login(t, server)
	c.talk("TYPE I", "200")
	c.talk("SIZE pub/a", "450 pub/a anonymous")
	c.talk("SIZE pub/a", "550 never")
	c.talk("SIZE /hello.txt", "450 hello.txt anonymous")
	c.talk("SIZE /hello.txt", "213 12")
}

func TestMaxConnections(t *testing.T) {
	for _, opts := range [][]Option{nil, {TLS()}} {
		server := newServer(t, append(opts, MaxConnections(1))...)
		dial := func() net.Conn {
			conn, err := net.Dial("tcp", server.Addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
			if config := server.ClientTLS(); config != nil {
				return tls.Client(conn, config)
			}
			return conn
		}
		first := dial()
		if _, err := io.ReadFull(first, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		second := dial()
		io.WriteString(second, "USER joe\r\n")
		if all, err := io.ReadAll(second); string(all) != "421 Too many connections.\r\n" {
			t.Errorf("%s: %q, %v", server.URL, all, err)
		}
		if n := server.Connections(); n != 1 {
			t.Errorf("%d connections", n)
		}
	}
}

// TestIPv6: both ways to make a data connection, and TLS.
func TestIPv6(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skipf("no IPv6: %v", err)
	} else {
		l.Close()
	}
	server := newServer(t, Listen("[::1]:0"), StartTLS())
	if !strings.HasPrefix(server.URL, "ftp://[::1]:") {
		t.Errorf("the URL is %s", server.URL)
	}
	c := dialTLS(t, server, server.ClientTLS())
	c.talk("PROT C", "200")
	c.talk("PASV", "425")
	c.talk("EPSV 1", "522 Network protocol not supported, use (2)")
	c.talk("EPSV 2", "229")
	c.talk("EPRT |1|127.0.0.1|1029|", "522")
	if data, err := c.get(server, "RETR pub/a"); data != "0123456789" || err != nil {
		t.Errorf("passive: %q, %v", data, err)
	}
	c.expect("226")
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c.talk("EPRT |2|::1|"+port+"|", "200")
	c.send("RETR pub/a")
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c.expect("150")
	if data, err := io.ReadAll(conn); string(data) != "0123456789" || err != nil {
		t.Errorf("active: %q, %v", data, err)
	}
}

// NewUnstarted: a client waits for Start, whose options may contain the address. After Close the
// port is free.
func TestUnstarted(t *testing.T) {
	server := NewUnstarted(files())
	defer server.Close()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	server.Start(Greeting("this is "+server.Addr), TLS())
	if server.URL != "ftps://"+server.Addr {
		t.Errorf("the URL is %s", server.URL)
	}
	secured := tls.Client(conn, server.ClientTLS())
	want := "220 this is " + server.Addr + "\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(secured, got); string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a second Start does not panic")
			}
		}()
		server.Start()
	}()
	server.Close()
	again := newServer(t, Listen(server.Addr))
	if again.Addr != server.Addr {
		t.Errorf("the port is %s, want %s", again.Addr, server.Addr)
	}
	NewUnstarted(files()).Close() // a server that is never started can be closed
}
