package ftptest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		fault Fault
		data  string
		reply string // empty for the end of the control connection
	}{
		"lie":                    {Fault{After: 4, Do: Lie226}, "0123", "226 "},
		"say so":                 {Fault{After: 4, Do: Say426}, "0123", "426 "},
		"say so, but all came":   {Fault{After: 10, Do: Say426}, "0123456789", "426 "},
		"at once":                {Fault{Do: Say426}, "", "426 "},
		"a short file is spared": {Fault{After: 11, Do: Say426}, "0123456789", "226 "},
		"fail":                   {Fault{After: 4, Do: Say451}, "0123", "451 "},
		"drop":                   {Fault{After: 4, Do: Cut}, "0123", ""},
		"not this command":       {Fault{Command: "LIST", Do: Cut}, "0123456789", "226 "},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, Faults(test.fault))
			c := login(t, server)
			for range 2 {
				data, err := c.get(server, "RETR pub/a")
				if err != nil || data != test.data {
					t.Errorf("got %q, %v, want %q", data, err, test.data)
				}
				if test.reply == "" {
					if line, err := c.ReadLine(); err != io.EOF {
						t.Errorf("got %q, %v, want EOF", line, err)
					}
					return
				}
				c.expect(test.reply)
			}
		})
	}
}

func TestReset(t *testing.T) {
	server := newServer(t, Faults(Fault{After: 4, Do: Reset}))
	c := login(t, server)
	_, err := c.get(server, "RETR pub/a")
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
	c.expect("226 ")
}

// SayNone: no reply follows the data, and the connection can be used afterwards.
func TestNoReplyAfterATransfer(t *testing.T) {
	server := newServer(t, Faults(Fault{After: 4, Do: SayNone, Once: true}))
	c := login(t, server)
	if data, err := c.get(server, "RETR pub/a"); err != nil || data != "0123" {
		t.Errorf("got %q, %v", data, err)
	}
	c.talk("NOOP", "200 ")
}

func TestCutReset(t *testing.T) {
	server := newServer(t, Faults(Fault{After: 4, Do: CutReset}))
	c := login(t, server)
	if data, err := c.get(server, "RETR pub/a"); err != nil || data != "0123" {
		t.Errorf("got %q, %v", data, err)
	}
	if line, err := c.ReadLine(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %q, %v, want a reset", line, err)
	}
}

func TestStall(t *testing.T) {
	for name, leave := range map[string]func(control *client, data *net.TCPConn){
		"the client closes the data connection": func(_ *client, data *net.TCPConn) { data.Close() },
		"the client closes both":                func(c *client, data *net.TCPConn) { c.Close(); data.Close() },
		"the client closes the control connection": func(c *client, data *net.TCPConn) {
			c.Close()
			if _, err := io.Copy(io.Discard, data); isTimeout(err) {
				t.Error("the data connection stayed open")
			}
		},
		"ABOR": func(c *client, _ *net.TCPConn) {
			c.talk("ABOR", "426 ")
			c.expect("226 ")
			c.talk("NOOP", "200 ")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, Faults(Fault{After: 4, Do: Stall}))
			c := login(t, server)
			conn := c.passive(server)
			c.talk("RETR pub/a", "150 ")
			got := make([]byte, 4)
			if _, err := io.ReadFull(conn, got); err != nil || string(got) != "0123" {
				t.Fatalf("got %q, %v", got, err)
			}
			conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if n, err := conn.Read(got); !isTimeout(err) {
				t.Errorf("got %q, %v, want silence", got[:n], err)
			}
			conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			leave(c, conn)
		})
	}
}

func TestOnceAndInOrder(t *testing.T) {
	server := newServer(t, Faults(
		Fault{After: 100, Do: Cut, Once: true}, // Waits for a file that long.
	), Faults(
		Fault{Command: "nlst", After: 2, Do: Say426, Once: true},
		Fault{Command: "NLST", After: 3, Do: Lie226, Once: true},
	))
	c := login(t, server)
	for _, test := range []struct{ command, data, reply string }{
		{"RETR pub/a", "0123456789", "226 "},
		{"NLST etc", "ho", "426 "},
		{"NLST etc", "hos", "226 "},
		{"NLST etc", "host\r\n", "226 "},
	} {
		data, err := c.get(server, test.command)
		if err != nil || data != test.data {
			t.Errorf("%s: got %q, %v, want %q", test.command, data, err, test.data)
		}
		c.expect(test.reply)
	}
}

func TestRate(t *testing.T) {
	server := newServer(t, Rate(50))
	c := login(t, server)
	start := time.Now()
	if data, err := c.get(server, "RETR pub/a"); err != nil || data != "0123456789" {
		t.Errorf("got %q, %v", data, err)
	}
	c.expect("226 ")
	if took := time.Since(start); took < 150*time.Millisecond {
		t.Errorf("10 octets at 50 a second took %v", took)
	}
}

func TestAborOfALongTransfer(t *testing.T) {
	server := NewServer(fstest.MapFS{"big": {Data: make([]byte, 64<<20)}})
	defer server.Close()
	c := login(t, server)
	c.passive(server) // The client does not read.
	c.talk("RETR big", "150 ")
	c.talk("ABOR", "426 ")
	c.expect("226 ")
	c.passive(server)
	c.talk("RETR big", "150 ")
	c.talk("\xff\xf4\xffABOR", "426 ")
	c.expect("226 ")
}

func TestActive(t *testing.T) {
	server := newServer(t)
	c := login(t, server)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := netip.MustParseAddrPort(listener.Addr().String()).Port()
	for _, line := range []string{
		fmt.Sprintf("PORT 127,0,0,1,%d,%d", port>>8, port&0xff),
		fmt.Sprintf("EPRT |1|127.0.0.1|%d|", port),
	} {
		c.talk(line, "200 ")
		c.send("RETR pub/a")
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(conn); err != nil || string(data) != "0123456789" {
			t.Errorf("%s: %q, %v", line, data, err)
		}
		conn.Close()
		c.expect("150 ")
		c.expect("226 ")
		c.talk("RETR pub/a", "425 ") // One address is for one transfer.
	}
	listener.Close()
	c.talk(fmt.Sprintf("EPRT |1|127.0.0.1|%d|", port), "200 ")
	c.talk("RETR pub/a", "425 ")
}

func TestStrangerOnTheDataPort(t *testing.T) {
	server := newServer(t)
	c := login(t, server)
	c.send("EPSV")
	_, port, _ := strings.Cut(c.reply(), "|||")
	port, _, _ = strings.Cut(port, "|")
	stranger := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	conn, err := stranger.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Skip("there is no second loopback address here:", err)
	}
	defer conn.Close()
	c.talk("RETR pub/a", "425 ")
}

// plainFS hides the methods of its files that fs.File does not have, and fails in the middle of the
// file "broken".
type plainFS struct{ fs.FS }

func (p plainFS) Open(name string) (fs.File, error) {
	if name == "forbidden" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	file, err := p.FS.Open(name)
	return plainFile{file, name}, err
}

type plainFile struct {
	fs.File
	name string
}

func (f plainFile) Read(p []byte) (int, error) {
	if f.name == "broken" {
		return copy(p, "half"), errors.New("disk on fire")
	}
	return f.File.Read(p)
}

func TestPlainFS(t *testing.T) {
	server := NewServer(plainFS{fstest.MapFS{
		"whole":  {Data: []byte("0123456789")},
		"broken": {Data: []byte("half and half")},
	}})
	defer server.Close()
	c := login(t, server)
	c.talk("TYPE I", "200 ")
	c.talk("SIZE forbidden", "550 Permission denied.")
	for _, test := range []struct{ command, data, reply string }{
		{"RETR whole", "6789", "226 "},
		{"RETR broken", "half", "451 "},
	} {
		conn := c.passive(server)
		if test.command == "RETR whole" {
			c.talk("REST 6", "350 ")
		}
		c.talk(test.command, "150 ")
		data, err := io.ReadAll(conn)
		if err != nil || string(data) != test.data {
			t.Errorf("%s: got %q, %v", test.command, data, err)
		}
		c.expect(test.reply)
	}
}

func TestSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	server := NewServer(os.DirFS(dir))
	defer server.Close()
	c := login(t, server)

	list, _ := c.get(server, "LIST")
	c.expect("226 ")
	lines := strings.Split(list, "\r\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "l") || !strings.HasSuffix(lines[1], " link -> file") {
		t.Errorf("LIST: %q", list)
	}
	facts, _ := c.get(server, "MLSD")
	c.expect("226 ")
	if !strings.Contains(facts, "type=OS.unix=symlink;") {
		t.Errorf("MLSD: %q", facts)
	}
	if data, err := c.get(server, "RETR link"); err != nil || data != "x" {
		t.Errorf("RETR: %q, %v", data, err)
	}
}
