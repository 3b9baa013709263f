package wire_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// A Tap is told everything but what is concealed, however the octets come.
func TestTap(t *testing.T) {
	var told strings.Builder
	tap := &fetchers.Tap{
		Sent:  func(p []byte) { told.WriteString("> " + string(p)) },
		Got:   func(p []byte) { told.WriteString(string(p)) },
		Ended: func(err error) { told.WriteString("ended: " + err.Error()) },
	}
	client, server := net.Pipe()
	defer client.Close()
	go func() {
		in := bufio.NewReader(server)
		for _, answer := range []string{"first ", "331 pass", "word s3c", "ret is\r\nhere s3cret", "!\r\n", "s3cret\r\n", "s3cr"} {
			if strings.HasSuffix(answer, "pass") {
				in.ReadString('\n')
			}
			io.WriteString(server, answer)
		}
		server.Close()
	}()
	c := wire.Tap(client, tap)
	buf := make([]byte, 100)
	n, _ := c.Read(buf)
	got := string(buf[:n])
	wire.Conceal(c, "s3cret")
	if _, err := wire.WriteAs(c, []byte("PASS s3cret\r\n"), "PASS ***\r\n"); err != nil {
		t.Fatal(err)
	}
	for !strings.HasSuffix(got, "!\r\n") {
		n, err := c.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += string(buf[:n])
	}
	wire.Conceal(c, "")
	rest, err := io.ReadAll(c)
	if err != nil || got+string(rest) != "first 331 password s3cret is\r\nhere s3cret!\r\ns3cret\r\ns3cr" {
		t.Errorf("the client got %q, %v", got+string(rest), err)
	}
	want := "first > PASS ***\r\n331 password *** is\r\nhere ***!\r\ns3cret\r\ns3crended: EOF"
	if told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
}

func TestNoTap(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	server.Close()
	if c := wire.Tap(client, nil); c != client {
		t.Errorf("a tap for nobody: %v", c)
	}
	wire.Conceal(client, "s3cret")
	if _, err := wire.WriteAs(client, []byte("x"), "***"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing: %v", err)
	}
}
