package tftptest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/tftptest"
)

var files = fstest.MapFS{"pub/a.txt": {Data: bytes.Repeat([]byte("0123456789\n"), 200)}, "b": {Data: []byte("b\n")}}

// A client sends datagrams to a server, and answers where they came from.
type client struct {
	*net.UDPConn
	t  *testing.T
	to *net.UDPAddr
}

func newClient(t *testing.T, s *tftptest.Server) *client {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	to, _ := net.ResolveUDPAddr("udp", s.Addr)
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &client{c, t, to}
}

// ask sends a datagram and returns the answer.
func (c *client) ask(octets string) string {
	c.t.Helper()
	c.WriteToUDP([]byte(octets), c.to)
	return c.hear()
}

func (c *client) hear() string {
	c.t.Helper()
	p := make([]byte, 1<<16)
	n, from, err := c.ReadFromUDP(p)
	if err != nil {
		c.t.Fatal(err)
	}
	c.to = from
	return string(p[:n])
}

func ack(n uint16) string { return string(binary.BigEndian.AppendUint16([]byte{0, 4}, n)) }

func TestBlocks(t *testing.T) {
	s := tftptest.New(t, files)
	c := newClient(t, s)
	got := c.ask("\x00\x01pub/a.txt\x00octet\x00")
	for n := uint16(1); n <= 4; n++ {
		if got[:4] != string([]byte{0, 3, 0, byte(n)}) || len(got) != 516 {
			t.Fatalf("block %d: %q", n, got)
		}
		got = c.ask(ack(n))
	}
	if len(got) != 4+152 {
		t.Errorf("the last block has %d octets", len(got)-4)
	}
	c.WriteToUDP([]byte(ack(5)), c.to)
	if lines := s.Transcript(); !slices.Equal(lines, []string{"RRQ pub/a.txt octet"}) {
		t.Errorf("%q", lines)
	}
}

func TestOptions(t *testing.T) {
	s := tftptest.New(t, files)
	c := newClient(t, s)
	got := c.ask("\x00\x01pub/a.txt\x00octet\x00tsize\x000\x00blksize\x00100\x00windowsize\x003\x00x\x001\x00")
	if got != "\x00\x06tsize\x002200\x00blksize\x00100\x00windowsize\x003\x00" {
		t.Fatalf("%q", got)
	}
	var heads []string
	heads = append(heads, c.ask(ack(0))[2:4], c.hear()[2:4], c.hear()[2:4])
	if fmt.Sprint(heads) != fmt.Sprint([]string{"\x00\x01", "\x00\x02", "\x00\x03"}) {
		t.Errorf("the window is %q", heads)
	}
	if got := c.ask(ack(1)); got[2:4] != "\x00\x02" {
		t.Errorf("after 1 comes %q", got[2:4])
	}
	if r := s.Requests()[0]; r.File != "pub/a.txt" || strings.Join(r.Options, " ") != "tsize=0 blksize=100 windowsize=3 x=1" {
		t.Errorf("%+v", r)
	}
	for _, refused := range []struct{ asked, want string }{
		{"\x00\x01none\x00octet\x00", "\x00\x05\x00\x01File not found\x00"},
		{"\x00\x01b\x00mail\x00", "\x00\x05\x00\x04Illegal TFTP operation\x00"},
		{"\x00\x02b\x00octet\x00", "\x00\x05\x00\x04Illegal TFTP operation\x00"},
		{"\x00\x01b\x00netascii\x00", "\x00\x03\x00\x01b\r\n"},
	} {
		if got := newClient(t, s).ask(refused.asked); got != refused.want {
			t.Errorf("%q: %q", refused.asked, got)
		}
	}
}

// A copy of an acknowledgement is not answered, and a block without acknowledgement is sent again.
func TestResend(t *testing.T) {
	s := tftptest.New(t, files, tftptest.Resend(100*time.Millisecond))
	c := newClient(t, s)
	first := c.ask("\x00\x01pub/a.txt\x00octet\x00")
	if again := c.hear(); again != first {
		t.Errorf("%q is not sent again, but %q", first[:4], again[:4])
	}
	second := c.ask(ack(1))
	c.WriteToUDP([]byte(ack(1)), c.to)
	if third := c.ask(ack(2)); second[3] != 2 || third[3] != 3 {
		t.Errorf("blocks %d and %d", second[3], third[3])
	}
	if acks := s.Acks(); len(acks) < 2 {
		t.Errorf("acknowledged are %v", acks)
	}
}
