package telnettest_test

import (
	"bytes"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/telnettest"
)

// talk sends octets and returns the octets of the server up to want, or to the end.
func talk(t *testing.T, server *telnettest.Server, sent, want string) string {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for buf := make([]byte, 100); !bytes.Contains(got, []byte(want)); {
		n, err := conn.Read(buf)
		if got = append(got, buf[:n]...); err != nil {
			t.Fatalf("%q, and then %v", got, err)
		}
	}
	return string(got)
}

func TestDialogue(t *testing.T) {
	server := telnettest.NewServer(telnettest.User("joe", "s3cret"), telnettest.Offer(telnettest.IAC, telnettest.DO, 24, telnettest.IAC, telnettest.WILL, 1))
	defer server.Close()
	got := talk(t, server, "\xff\xfb\x18\xff\xfd\x01\xff\xfa\x18\x00VT100\xff\xf0\xff\xfb\x1f\xff\xfa\x1f\x00\x50\xff\xff\x18\xff\xf0\xff\xf1"+
		"joe\r\x00wrong\r\njoe\rs3cret\nterm\r\x00size\r\x00bin\r\x00", "bin\r\n\xff\xff\xff\xff\x00\r\n$ ")
	want := "\xff\xfd\x18\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0telnettest ready.\r\nlogin: joe\r\nPassword: \r\n\r\nLogin incorrect\r\n" +
		"login: joe\r\nPassword: \r\n$ term\r\nVT100\r\n$ size\r\n80x65304\r\n$ bin\r\n\xff\xff\xff\xff\x00\r\n$ "
	if got != want {
		t.Errorf("it says\n%q, want\n%q", got, want)
	}
	heard := []string{"WILL TTYPE", "DO ECHO", "TTYPE VT100", "WILL NAWS", "NAWS 80 65304", "command 241", "joe", "wrong", "joe", "s3cret", "term", "size", "bin"}
	if got := server.Transcript(); !slices.Equal(got, heard) {
		t.Errorf("it heard %q, want %q", got, heard)
	}
}

// The server sends no greeting before its offers are answered.
func TestNoGreetingBeforeOffersAreAnswered(t *testing.T) {
	server := telnettest.NewServer(telnettest.Offer(telnettest.IAC, telnettest.DO, 24))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := make([]byte, 100)
	if n, err := io.ReadFull(conn, got[:3]); string(got[:n]) != "\xff\xfd\x18" {
		t.Fatalf("%q, %v", got[:n], err)
	}
	conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := conn.Read(got); err == nil {
		t.Errorf("it goes on with %q", got[:n])
	}
}

// A fault with Once strikes one connection.
func TestOnce(t *testing.T) {
	server := telnettest.NewServer(telnettest.Faults(
		telnettest.Fault{After: 3, Once: true}, telnettest.Fault{After: 6, Once: true}))
	defer server.Close()
	for _, want := range []string{"tel", "telnet", "telnettest ready.\r\n$ $ bye\r\n"} {
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "\r\nexit\r\n")
		if got, _ := io.ReadAll(conn); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
		conn.Close()
	}
}

// Close ends every connection, in any state.
func TestClose(t *testing.T) {
	const none = telnettest.Action(-1)
	for _, do := range []telnettest.Action{none, telnettest.Cut, telnettest.Half, telnettest.Sub, telnettest.Flood, telnettest.Stall, telnettest.Argue} {
		var faults []telnettest.Fault
		if do != none {
			faults = append(faults, telnettest.Fault{After: 5, Do: do})
		}
		server := telnettest.NewServer(telnettest.Faults(faults...))
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(conn, make([]byte, 5))
		closed := make(chan struct{})
		go func() { server.Close(); server.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(5 * time.Second):
			t.Errorf("action %d: Close waits", do)
		}
		conn.Close()
	}
}
