package oddhttp

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// second is the answer to each request but the first.
const second = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"

// A held connection is that to a server that keeps it: a request is answered by the next of
// some answers, or by second. If the client waits for more, the server ends it. So no test has
// to wait.
type held struct {
	mu      sync.Mutex
	answers []string
	asked   []byte
	said    []byte
}

// holding returns a Network whose first connection gives answers.
func holding(answers ...string) *fetchers.Network {
	return &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
		c := &held{answers: answers}
		answers = nil
		return c, nil
	}}
}

func (c *held) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, p...)
	for end := []byte("\r\n\r\n"); bytes.Contains(c.asked, end); {
		_, c.asked, _ = bytes.Cut(c.asked, end)
		answer := second
		if len(c.answers) > 0 {
			answer, c.answers = c.answers[0], c.answers[1:]
		}
		c.said = append(c.said, answer...)
	}
	return len(p), nil
}

func (c *held) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.said) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.said)
	c.said = c.said[n:]
	return n, nil
}

func (c *held) Close() error                     { return nil }
func (c *held) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *held) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *held) SetDeadline(time.Time) error      { return nil }
func (c *held) SetReadDeadline(time.Time) error  { return nil }
func (c *held) SetWriteDeadline(time.Time) error { return nil }
