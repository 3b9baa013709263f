package wire

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

var errCut = errors.New("the end without close_notify")

// An alert connection fails at the end of the socket, which crypto/tls takes for the end.
type alert struct{ net.Conn }

func (c alert) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		err = errCut
	}
	return n, err
}

// TLS begins at the step of the script, and ends with close_notify or without.
func TestPlayTLS(t *testing.T) {
	for verb, end := range map[string]error{"! close": nil, "! cut": errCut} {
		t.Run(verb, func(t *testing.T) {
			p := Play(t, parse(t, "C: STARTTLS\nS: go on\n! tls\nC: a\nS* 1000 b\n"+verb+"\n"))
			plain := dial(t, p.Addr())
			plain.send("STARTTLS\r\n")
			plain.line("go on")
			over := tls.Client(alert{plain.Conn}, ClientTLS())
			c := &client{T: t, Conn: over, r: bufio.NewReader(over)}
			c.send("a\r\n")
			got, err := io.ReadAll(c.r)
			if string(got) != strings.Repeat("b", 1000) || !errors.Is(err, end) {
				t.Errorf("%d octets, %v; want 1000, %v", len(got), err, end)
			}
			plain.Close()
			if err := p.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A client that does not begin TLS, or does so too early, is a difference.
func TestPlayNoTLS(t *testing.T) {
	for name, c := range map[string]struct{ steps, client, want string }{
		"a line":       {"! tls\n", "hello\r\n", "line 2: want TLS: "},
		"nothing":      {"! tls\n", "", "line 2: want TLS: "},
		"octets ahead": {"C: a\n! tls\n", "a\r\nb", `line 3: want TLS, got "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, c.steps)
			s.Patience = 100 * time.Millisecond
			p := Play(t, s)
			conn := dial(t, p.Addr())
			conn.Write([]byte(c.client))
			if err := p.Wait(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Wait = %v, want %q", err, c.want)
			}
		})
	}
}
